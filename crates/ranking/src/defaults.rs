//! The defaults of a site and of a board.

use chrono::Weekday;

use super::bounds::{Limits, NewMembers, Quota};
use super::capacity::Capacity;
use super::facts::Sections;
use super::name::{Name, Named};
use super::origin::Origins;
use super::replay::ReplayWindow;
use super::retention::Retention;
use super::site::{Acknowledge, Actors, Board, Bots, Ingest, Late, Members, Ranking, Site};
use super::tier::Tiers;
use super::window::Unit;

impl Site {
    /// Without actions and boards, in UTC, for servers alone.
    pub fn new(name: Name) -> Self {
        Self {
            name,
            is_demo: false,
            digest: String::new(),
            origins: Origins::Listed(Vec::new()),
            timezone: "UTC".into(),
            day_starts_at_s: 0,
            week_starts_on: Weekday::Mon,
            actor_history_s: 31 * 86_400,
            activity: true,
            activity_entries: 0,
            journal_s: 0,
            actors: Actors::Signed,
            visitors_per_address: 8,
            bots: Bots::Drop,
            ignore_addresses: Vec::new(),
            limits: Limits::DEFAULT,
            details_from_pages: false,
            title_strip: None,
            known_items: false,
            new_members: NewMembers::DEFAULT,
            max_beacon_events: Self::MAX_BEACON_EVENTS,
            ingest: Ingest::Direct,
            ingest_partitions: 1,
            actor_homes: 8,
            linger_ms: 0,
            acknowledge: Acknowledge::Written,
            forward: None,
            actions: Named::default(),
            boards: Named::default(),
            templates: Named::default(),
            excluded: Vec::new(),
            made_ms: None,
            quota: Quota::default(),
        }
    }
}

impl Board {
    /// Without weights and windows: it counts items, by sums.
    pub fn new(name: Name) -> Self {
        Self {
            name,
            of_template: None,
            is_archived: false,
            members: Members::Items,
            items: Vec::new(),
            sections: Sections::None,
            weights: Named::default(),
            values: None,
            decimals: None,
            windows: Vec::new(),
            limit: 100,
            max_members: Capacity::of_all(Capacity::DEFAULT),
            replay_window: ReplayWindow::DEFAULT,
            once: Named::default(),
            ties: None,
            ranking: Ranking::Ordinal,
            tiers: Tiers::default(),
            breakdown: false,
            min_score: 0.0,
            movement: true,
            details: None,
            history: 0,
            history_every: Unit::Day,
            keep: Retention::default(),
            archive: false,
            late: Late::Correct,
            totals: Vec::new(),
            snapshot: None,
            fallback: Vec::new(),
            fresh_s: Self::FRESH_S,
        }
    }
}
