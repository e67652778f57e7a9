//! The domain: sites and their boards, windows and periods, events, scores, pages of a ranking.
//!
//! # Out of scope
//! Any I/O and any clock. Periods of instants are computed in Lua, on Redis's clock; here period ids become numbers and
//! back by calendar arithmetic alone.

pub mod actor_token;
pub mod address;
pub mod bounds;
pub mod capacity;
pub mod choice;
pub mod composed;
pub mod counting;
pub mod cron;
mod defaults;
pub mod distribution;
pub mod event;
pub mod explained;
pub mod facts;
pub mod grain;
pub mod month;
pub mod name;
pub mod origin;
pub mod page;
pub mod pattern;
pub mod period;
pub mod rank_range;
pub mod read;
pub mod replay;
pub mod retention;
pub mod score;
pub mod season;
pub mod series;
pub mod site;
pub mod standing;
pub mod template;
pub mod tier;
pub mod token;
pub mod values;
pub mod view;
pub mod visitor;
pub mod window;
pub mod zone;
