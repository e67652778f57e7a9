//! The application as administration sees it.

use serve::app::App;

/// What an application does besides serving, which [`services`](super::services) takes apart.
pub struct Admin<'a, R>(pub &'a App<R>);
