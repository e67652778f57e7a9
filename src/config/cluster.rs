//! What a cluster of Redis does not do: one transaction over boards whose keys may lie on several nodes.

use ranking::counting::Target;
use ranking::facts::Sections;
use ranking::site::Site;

use super::{Config, ConfigError};

impl Config {
    /// Refuses the first action that can be undone and counts on several targets.
    ///
    /// # Errors
    /// When there is one.
    pub fn check_cluster(&self) -> Result<(), ConfigError> {
        for (name, site) in self.sites.iter() {
            for (action, _) in site.actions.iter().filter(|(_, action)| action.reversible) {
                let targets = targets_of(site, action.as_str());
                if targets.len() > 1 {
                    let key = format!("SITES.{name}.actions.{action}.reversible");
                    let problem = format!(
                        "= true is not allowed on a cluster, where what can be undone counts in one place: it counts {}; \
                         allowed: one board without sections, and activity = false",
                        targets.join(", ")
                    );
                    return Err(ConfigError::new(key, problem));
                }
            }
        }
        Ok(())
    }
}

/// Where an action may count.
fn targets_of(site: &Site, action: &str) -> Vec<String> {
    let mut targets = Vec::new();
    for target in Target::each(site) {
        match target {
            Target::Board(board) if board.weights.get(action).is_some() => {
                targets.push(format!("on the board {}", board.name));
                if matches!(board.sections, Sections::ByCategory(_)) {
                    targets.push(format!("on the sections of {}", board.name));
                }
            }
            Target::Board(_) => {}
            Target::ActivityLog => targets.push("in the activity log".into()),
        }
    }
    // An event may name several.
    for (name, _) in site.templates.iter().filter(|(_, template)| template.board.weights.get(action).is_some()) {
        targets.extend([format!("on a board of the template {name}"), format!("on others of {name}")]);
    }
    targets
}
