//! Sites that are made while the deployment runs: who makes, changes and deletes them, and when upkeep looks at them.

pub mod administration;
pub mod due;
pub mod going;

use serve::app::Runtime;
use serve::app::sites::Sites;

/// Changes which sites there are.
pub struct SiteAdministration<'a, R: Runtime> {
    pub(in crate::app) sites: Sites<'a, R>,
}
