//! Each member whose total changes is noted, so that the total is handed on.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};

use crate::call::NOON_MS;
use crate::cases::Counter;
use crate::deployment::{BOARD, Contents, Deployment, Held};
use crate::reconfigured::{self, COUNTED_BY_ACTION, Rare, World};

/// The units whose totals are handed on.
const HANDED_ON: [&str; 2] = ["day", "all"];

pub static NOTED: Counter = Counter::new("totals that changed and were noted");

/// Has a site hand on the totals of its board.
pub fn hand_on(site: &mut Json) {
    site["boards"][BOARD]["totals"] = HANDED_ON.map(|window| json!({ "window": window })).into();
}

/// Takes what is noted, as handing it on does.
pub fn take(on: &Deployment) {
    for unit in HANDED_ON {
        on.server.command(&["DEL", &changed_key(unit)]);
    }
}

fn changed_key(unit: &str) -> String {
    format!("eb:{{site:{BOARD}}}:changed:{unit}")
}

/// Whether everybody whose score or counts by action changed in a period is noted, in those that `may_expire` only if they are still there: what expired
/// changed nothing.
pub fn check_noted(before: &Contents, after: &Contents, may_expire: bool) -> Result<(), String> {
    let has = |of: &Contents, key: &str| of.get(key).map(|key| fields(&key.held)).unwrap_or_default();
    for unit in HANDED_ON {
        let prefix = format!("eb:{{site:{BOARD}}}:{unit}:");
        let noted = match after.get(&changed_key(unit)).map(|key| &key.held) {
            Some(Held::Set(marks)) => marks.iter().cloned().collect(),
            _ => BTreeSet::new(),
        };
        let keys: BTreeSet<&String> = after.keys().chain(before.keys().filter(|_| !may_expire)).collect();
        for key in keys {
            let Some(name) = key.strip_prefix(&prefix) else { continue };
            let number = name.strip_suffix(":actions").unwrap_or(name);
            if number.parse::<i64>().is_err() {
                continue;
            }
            for (member, _) in has(before, key).symmetric_difference(&has(after, key)) {
                if !noted.contains(&format!("{number}:{member}")) {
                    return Err(format!("{member} changed on {key}, and is not noted: {noted:?}"));
                }
                NOTED.add(1);
            }
        }
    }
    Ok(())
}

/// The members of a board or of a hash, each with what it has there.
fn fields(held: &Held) -> BTreeSet<(String, String)> {
    let all = match held {
        Held::Sorted(members) => members.clone(),
        Held::Hash(fields) => fields.clone().into_iter().collect(),
        other => panic!("{other:?}"),
    };
    all.into_iter().filter(|(member, _)| !member.starts_with('\0')).collect()
}

#[test]
fn who_has_counts_by_action_alone_is_noted() {
    let mut site = reconfigured::site(COUNTED_BY_ACTION);
    hand_on(&mut site);
    // `/old` becomes `/new`, and `/a` is removed.
    for (rare, changed) in
        [(Rare::Alias(true), &["/new", "/old"][..]), (Rare::Remove(2, false), &["/a"]), (Rare::Reset(None), &["/a", "/old"])]
    {
        let mut world = World { on: Deployment::start(&site, NOON_MS), is_begun: false, is_merging: false };
        for action in ["view", "down"] {
            world.on.put(&["/old", "/a"].map(|item| json!({ "action": action, "item": item, "actor": "u0" })));
        }
        take(&world.on);
        let before = world.on.contents();
        world.rare(rare);
        let after = world.on.contents();
        check_noted(&before, &after, false).expect("all are noted");
        let Some(Held::Set(noted)) = after.get(&changed_key("all")).map(|key| &key.held) else { panic!("{rare:?}: nobody is noted") };
        let noted: BTreeSet<&str> = noted.iter().filter_map(|mark| mark.strip_prefix("0:")).collect();
        assert_eq!(noted, changed.iter().copied().collect(), "{rare:?}");
    }
}
