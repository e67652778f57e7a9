//! The options of a site.

use std::rc::Rc;

use ranking::address::Subnet;
use ranking::name::{Name, Named};
use ranking::origin::{OriginPattern, Origins};
use ranking::page::version_of;
use ranking::retention::Retention;
use ranking::site::{Action, Board, Limits, NewMembers, Site};
use ranking::template::Template;
use serde_json::Value;

use super::board::{read_board, read_keep};
use super::error::ConfigError;
use super::forward::read_forward;
use super::node::Node;
use super::rule::{Boolean, Delay, Duration, OneOf, Rule, TimeOfDay, Whole};
use super::template::TemplateOptions;
use super::zone::{KnownZones, ZoneName};

pub(super) fn read_site(name: &Name, site: &Node, zones: &impl KnownZones) -> Result<Site, ConfigError> {
    if let Some(quota) = site.value.get("quota") {
        let why = "in wrangler.toml: only a site that is made at run time has a quota";
        return Err(Node { key: format!("{}.quota", site.key), value: quota }.misplaced(why));
    }
    let fields = site.fields(&[
        "origins",
        "timezone",
        "day_starts_at",
        "week_starts_on",
        "actor_history",
        "activity",
        "activity_entries",
        "journal",
        "actors",
        "visitors_per_address",
        "bots",
        "ignore_addresses",
        "limits",
        "details_from_pages",
        "title_strip",
        "known_items",
        "new_members",
        "max_beacon_events",
        "ingest",
        "ingest_partitions",
        "actor_homes",
        "linger",
        "acknowledge",
        "forward",
        "keep",
        "actions",
        "boards",
    ])?;
    let actions = fields.required_node("actions", "a table of actions")?.named(|_, action| read_action(action))?;
    let keep = fields.get("keep").map_or(Ok(Retention::default()), |keep| read_keep(&keep, &Retention::default()))?;
    let read = fields.required_node("boards", "a table of boards")?.named(|name, board| read_board(name, board, &actions, &keep))?;
    let (boards, templates) = parted(&read);
    let origins = fields.get("origins").map_or(Ok(Origins::Listed(Vec::new())), |origins| read_origins(&origins))?;
    let details_from_pages = fields.or("details_from_pages", false, &Boolean)?;
    if let (true, None, Some(node)) = (details_from_pages, origins.first(), fields.get("details_from_pages")) {
        return Err(node.not_allowed("true beside origins like [\"https://example.com\"], the first of which has the pages of the items"));
    }
    let default = Site::new(name.clone());
    Ok(Site {
        name: name.clone(),
        is_demo: default.is_demo,
        digest: version_of(format!("{} {name} {}", env!("CARGO_PKG_VERSION"), site.value).as_bytes()),
        origins,
        details_from_pages,
        title_strip: fields.get("title_strip").map(|end| end.read(&TitleEnd)).transpose()?,
        timezone: fields.or("timezone", default.timezone, &ZoneName(zones))?,
        day_starts_at_s: fields.or("day_starts_at", default.day_starts_at_s, &TimeOfDay { seconds: false })?,
        week_starts_on: fields.or("week_starts_on", default.week_starts_on, &OneOf::ANY)?,
        actor_history_s: fields.or("actor_history", default.actor_history_s, &Duration(86_400..=Site::MAX_ACTOR_HISTORY_S))?,
        activity: fields.or("activity", default.activity, &Boolean)?,
        activity_entries: fields.or("activity_entries", default.activity_entries, &Whole(0..=1000))?,
        journal_s: fields.or("journal", default.journal_s, &Duration(3600..=31 * 86_400))?,
        actors: fields.or("actors", default.actors, &OneOf::ANY)?,
        visitors_per_address: fields.or("visitors_per_address", default.visitors_per_address, &Whole(0..=1_000_000))?,
        bots: fields.or("bots", default.bots, &OneOf::ANY)?,
        ignore_addresses: fields.get("ignore_addresses").map_or(Ok(Vec::new()), |list| read_addresses(&list))?,
        limits: fields.get("limits").map_or(Ok(default.limits), |limits| read_limits(&limits))?,
        known_items: fields.or("known_items", default.known_items, &Boolean)?,
        new_members: fields.get("new_members").map_or(Ok(default.new_members), |bounds| read_new_members(&bounds))?,
        max_beacon_events: fields.or("max_beacon_events", default.max_beacon_events, &Whole(1..=100))?,
        ingest: fields.or("ingest", default.ingest, &OneOf::ANY)?,
        ingest_partitions: fields.or("ingest_partitions", default.ingest_partitions, &Whole(1..=64))?,
        actor_homes: fields.or("actor_homes", default.actor_homes, &Whole(1..=Site::MAX_HOMES))?,
        linger_ms: fields.or("linger", default.linger_ms, &Delay(0..=2000))?,
        acknowledge: fields.or("acknowledge", default.acknowledge, &OneOf::ANY)?,
        forward: fields.get("forward").map(|forward| read_forward(&forward, &actions)).transpose()?,
        actions,
        boards,
        templates,
        excluded: default.excluded,
        made_ms: default.made_ms,
        quota: default.quota,
    })
}

/// Boards and templates, each by its name.
fn parted(read: &Named<(Board, Option<TemplateOptions>)>) -> (Named<Rc<Board>>, Named<Rc<Template>>) {
    let boards = read.iter().filter(|(_, (_, options))| options.is_none()).map(|(name, (board, _))| (name.clone(), Rc::new(board.clone())));
    let template = |(name, (board, options)): (&Name, &(Board, Option<TemplateOptions>))| {
        let TemplateOptions { public, on_event, max_boards } = *options.as_ref()?;
        Some((name.clone(), Rc::new(Template { board: board.clone(), public, on_event, max_boards })))
    };
    (boards.collect(), read.iter().filter_map(template).collect())
}

fn read_addresses(list: &Node) -> Result<Vec<Subnet>, ConfigError> {
    let Value::Array(texts) = list.value else { return Err(list.not_allowed(&format!("a list of {}", Subnet::ALLOWED))) };
    let read = |(i, value)| Node { key: format!("{}[{i}]", list.key), value }.read(&SubnetText);
    texts.iter().enumerate().map(read).collect()
}

/// One of the list of addresses.
struct SubnetText;

impl Rule for SubnetText {
    type Read = Subnet;

    fn allowed(&self) -> String {
        Subnet::ALLOWED.into()
    }

    fn read(&self, value: &Value) -> Option<Subnet> {
        value.as_str().and_then(Subnet::parse)
    }
}

/// What titles end with.
struct TitleEnd;

impl TitleEnd {
    const MOST: usize = 100;
}

impl Rule for TitleEnd {
    type Read = String;

    fn allowed(&self) -> String {
        format!("text of 1 to {} characters, such as \" – Example News\"", Self::MOST)
    }

    fn read(&self, value: &Value) -> Option<String> {
        let is_end = |text: &&str| (1..=Self::MOST).contains(&text.chars().count()) && !text.trim().is_empty();
        value.as_str().filter(is_end).map(str::to_owned)
    }
}

fn read_limits(limits: &Node) -> Result<Limits, ConfigError> {
    let fields = limits.fields(&["beacons", "misses"])?;
    let rule = Whole(0..=Limits::MAX);
    Ok(Limits {
        beacons: fields.or("beacons", Limits::DEFAULT.beacons, &rule)?,
        misses: fields.or("misses", Limits::DEFAULT.misses, &rule)?,
    })
}

fn read_new_members(bounds: &Node) -> Result<NewMembers, ConfigError> {
    let fields = bounds.fields(&["visitor", "address"])?;
    let rule = Whole(0..=NewMembers::MAX);
    Ok(NewMembers {
        visitor: fields.or("visitor", NewMembers::DEFAULT.visitor, &rule)?,
        address: fields.or("address", NewMembers::DEFAULT.address, &rule)?,
    })
}

fn read_origins(origins: &Node) -> Result<Origins, ConfigError> {
    let Value::Array(list) = origins.value else { return Err(origins.not_allowed(&allowed_origins())) };
    if list.len() == 1 && list[0] == "*" {
        return Ok(Origins::Any);
    }
    let read = |(i, value)| Node { key: format!("{}[{i}]", origins.key), value }.read(&OriginText);
    list.iter().enumerate().map(read).collect::<Result<_, _>>().map(Origins::Listed)
}

/// One of the list of origins.
struct OriginText;

impl Rule for OriginText {
    type Read = OriginPattern;

    fn allowed(&self) -> String {
        allowed_origins()
    }

    fn read(&self, value: &Value) -> Option<OriginPattern> {
        value.as_str().and_then(OriginPattern::parse)
    }
}

fn allowed_origins() -> String {
    format!("[\"*\"] or a list of {}", OriginPattern::ALLOWED)
}

fn read_action(action: &Node) -> Result<Action, ConfigError> {
    let fields = action.fields(&["public", "reversible", "signed"])?;
    let reversible = fields.or("reversible", false, &Boolean)?;
    let signed = fields.or("signed", false, &Boolean)?;
    if let (true, false, Some(signed)) = (signed, reversible, fields.get("signed")) {
        // Nothing would keep an actor from doing it a thousand times.
        return Err(signed.not_allowed("true beside reversible = true"));
    }
    Ok(Action { public: fields.or("public", false, &Boolean)?, reversible, signed })
}
