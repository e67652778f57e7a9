//! Configurations that are right, and errors word for word.

use chrono::Weekday;
use engine::adapter::slots::AddressMap;
use engine::adapter::url::RedisUrl;
use ranking::read::ReplicaReads;
use ranking::site::{Members, ReplayWindow};
use ranking::token::Right;
use serde_json::json;

use super::*;

fn demo() -> Value {
    json!({ "demo": {
        "origins": ["http://localhost:8787"],
        "timezone": "UTC",
        "actions": { "view": { "public": true }, "like": { "reversible": true }, "comment": {} },
        "boards": { "articles": { "weights": { "view": 1, "like": 2.5, "comment": -3 }, "windows": ["hour", "all"] } },
    } })
}

fn read(sites: Value) -> Result<Config, ConfigError> {
    Config::read([("SITES".into(), sites), ("REDIS_URL".into(), json!("redis://x"))], |zone| zone == "UTC" || zone == "Asia/Shanghai")
}

/// `pointer` is set to `value`; the line must be `expected`.
#[track_caller]
fn check(pointer: &str, value: Value, expected: &str) {
    let mut sites = demo();
    let (parent, key) = pointer.rsplit_once('/').expect("a JSON pointer");
    sites.pointer_mut(parent).and_then(Value::as_object_mut).expect("a table").insert(key.into(), value);
    assert_eq!(read(sites).expect_err("an error").to_string(), expected);
}

#[test]
fn defaults() {
    let config = read(demo()).expect("valid");
    let site = &config.sites["demo"];
    assert_eq!(config.key_prefix.as_str(), "eb");
    let board = &site.boards["articles"];
    assert_eq!((board.limit, board.max_members.most(), board.members, board.fresh_s), (100, 1_000_000, Members::Items, 2));
    assert_eq!(board.replay_window, ReplayWindow { browsers_s: 3600, servers_s: 86_400, queue_s: 345_600 });
    assert_eq!((site.day_starts_at_s, site.week_starts_on), (0, Weekday::Mon));
    assert!(site.actions["view"].public && !site.actions["like"].public && site.actions["like"].reversible);
}

#[test]
fn replay_windows_by_sender() {
    for (written, browsers_s, servers_s, queue_s) in [
        (json!("10m"), 600, 600, 345_600),
        (json!({ "browsers": "1m" }), 60, 86_400, 345_600),
        (json!({ "servers": "31d" }), 3600, 2_678_400, 345_600),
        (json!({ "browsers": "2h", "servers": "90m", "queue": "14d" }), 7200, 5400, 1_209_600),
        (json!({}), 3600, 86_400, 345_600),
    ] {
        let mut sites = demo();
        sites["demo"]["boards"]["articles"]["replay_window"] = written.clone();
        let config = read(sites).expect("valid");
        assert_eq!(config.sites["demo"].boards["articles"].replay_window, ReplayWindow { browsers_s, servers_s, queue_s }, "{written}");
    }
}

#[test]
fn every_error_names_key_value_and_what_is_allowed() {
    check(
        "/demo/timezone",
        json!("Mars/Olympus"),
        r#"SITES.demo.timezone = "Mars/Olympus" is not allowed; allowed: an IANA time zone name like "Europe/Berlin""#,
    );
    check(
        "/demo/day_starts_at",
        json!("4:00"),
        r#"SITES.demo.day_starts_at = "4:00" is not allowed; allowed: a time of day from "00:00" to "23:59""#,
    );
    check(
        "/demo/week_starts_on",
        json!("Monday"),
        r#"SITES.demo.week_starts_on = "Monday" is not allowed; allowed: "monday", "tuesday", "wednesday", "thursday", "friday", "saturday" or "sunday"; did you mean "monday"?"#,
    );
    check(
        "/demo/actions/view",
        json!({ "publik": true }),
        "SITES.demo.actions.view.publik = true is not allowed; allowed: the keys public, reversible, signed; did you mean public?",
    );
    check(
        "/demo/actions/View",
        json!({}),
        "SITES.demo.actions.View is not allowed as a name; allowed: 1 to 32 characters a-z, 0-9 and -, not beginning with -; did you mean view?",
    );
    check(
        "/demo/boards/articles/windows",
        json!(["dy"]),
        r#"SITES.demo.boards.articles.windows[0] = "dy" is not allowed; allowed: hour, day, week, month, year, all, last-N-minutes (N from 2 to 744), last-N-hours (N from 2 to 744), last-N-days (N from 2 to 400), last-N-weeks (N from 2 to 366), last-N-months (N from 2 to 366), or a table with name and kind; did you mean "day"?"#,
    );
    check(
        "/demo/boards/articles/windows",
        json!(["day", "day"]),
        r#"SITES.demo.boards.articles.windows[1] = "day" is not allowed; allowed: each window once"#,
    );
    check(
        "/demo/boards/articles/windows",
        json!([]),
        "SITES.demo.boards.articles.windows = [] is not allowed; allowed: at least one of hour, day, week, month, year, all, last-N-minutes (N from 2 to 744), last-N-hours (N from 2 to 744), last-N-days (N from 2 to 400), last-N-weeks (N from 2 to 366), last-N-months (N from 2 to 366)",
    );
    check(
        "/demo/boards/articles/weights/veiw",
        json!(1),
        "SITES.demo.boards.articles.weights.veiw = 1 is not allowed; allowed: the site's actions: comment, like, view; did you mean view?",
    );
    check(
        "/demo/boards/articles/weights/view",
        json!(0),
        "SITES.demo.boards.articles.weights.view = 0 is not allowed; allowed: a number other than 0, at most 1000000000 in size, with at most six decimals",
    );
    check(
        "/demo/boards/articles/limit",
        json!(0),
        "SITES.demo.boards.articles.limit = 0 is not allowed; allowed: a whole number from 1 to 1000",
    );
    let tiers = [
        (json!([]), r#" = [] is not allowed; allowed: a list of 1 to 10 tables like { name = "gold", top = "1%" }"#),
        (json!([{ "name": "gold" }]), r#"[0].top is missing; allowed: a percentage from "0.01%" to "100%", with at most two decimals"#),
        (
            json!([{ "name": "gold", "top": "0.001%" }]),
            r#"[0].top = "0.001%" is not allowed; allowed: a percentage from "0.01%" to "100%", with at most two decimals"#,
        ),
        (
            json!([{ "name": "gold", "top": "1%" }, { "name": "gold", "top": "2%" }]),
            r#"[1].name = "gold" is not allowed; allowed: a name that no other tier of the board has"#,
        ),
        (
            json!([{ "name": "gold", "top": "10%" }, { "name": "silver", "top": "9.99%" }]),
            r#"[1].top = "9.99%" is not allowed; allowed: more than the tier before has"#,
        ),
    ];
    for (value, problem) in tiers {
        check("/demo/boards/articles/tiers", value, &format!("SITES.demo.boards.articles.tiers{problem}"));
    }
    check(
        "/demo/boards/articles/members",
        json!("user"),
        r#"SITES.demo.boards.articles.members = "user" is not allowed; allowed: "items", "actors" or "authors""#,
    );
    check(
        "/demo/boards/articles/replay_window",
        json!("1w"),
        r#"SITES.demo.boards.articles.replay_window = "1w" is not allowed; allowed: a duration from "1m" to "31d", a whole number and s, m, h or d; or a table like { browsers = "1h", servers = "24h" }"#,
    );
    check(
        "/demo/boards/articles/replay_window",
        json!({ "browsers": "59s" }),
        r#"SITES.demo.boards.articles.replay_window.browsers = "59s" is not allowed; allowed: a duration from "1m" to "31d", a whole number and s, m, h or d"#,
    );
    check(
        "/demo/boards/articles/replay_window",
        json!({ "browser": "1h" }),
        r#"SITES.demo.boards.articles.replay_window.browser = "1h" is not allowed; allowed: the keys browsers, servers, queue; did you mean browsers?"#,
    );
    check(
        "/demo/origins",
        json!(["https://a.example/"]),
        "SITES.demo.origins[0] = \"https://a.example/\" is not allowed; allowed: [\"*\"] or a list of origins like \"https://example.com\" (scheme, host and, where it is not the scheme's own, port; no path) or \"https://*.example.com\" (* is one whole label, before at least two)",
    );
    check("/demo/boards", json!({}), "SITES.demo.boards = {} is not allowed; allowed: a table with at least one entry");
}

#[test]
fn templates_are_no_boards() {
    let mut sites = demo();
    sites["demo"]["boards"]["level"] = json!({ "template": true, "on_event": true, "weights": { "view": 1 }, "windows": ["day", "all"] });
    let config = read(sites).expect("valid");
    let site = &config.sites["demo"];
    assert!(site.boards.get("level").is_none() && site.boards.get("articles").is_some());
    let template = &site.templates["level"];
    assert_eq!((template.public, template.on_event, template.max_boards), (false, true, 1_000));
}

#[test]
fn boards_of_templates_are_kept_in_redis_and_the_archive_alone() {
    let with = |option: &str, value: Value| {
        let mut board = json!({ "template": true, "weights": { "view": 1 }, "windows": ["day", "last-7-days"] });
        board[option] = value;
        board
    };
    for (option, value) in [("history", json!(10)), ("sections", json!("category")), ("snapshot", json!("top"))] {
        let expected = format!(
            "SITES.demo.boards.level.{option} = {value} is not allowed beside template = true: its boards are kept in Redis and the archive alone"
        );
        check("/demo/boards/level", with(option, value), &expected);
    }
    check(
        "/demo/boards/level",
        with("max_boards", json!(10_001)),
        "SITES.demo.boards.level.max_boards = 10001 is not allowed; allowed: a whole number from 1 to 10000",
    );
    check(
        "/demo/boards/articles/public",
        json!(true),
        "SITES.demo.boards.articles.public = true is not allowed without template = true: it is about the boards that are made of a template",
    );
}

#[test]
fn what_was_meant_is_suggested() {
    struct Zones;
    impl KnownZones for Zones {
        fn knows(&self, name: &str) -> bool {
            name == "UTC"
        }

        fn names(&self) -> Vec<String> {
            ["UTC", "America/New_York", "Europe/Berlin"].map(String::from).into()
        }
    }
    let error_of = |pointer: &str, value: Value| {
        let mut sites = demo();
        *sites.pointer_mut(pointer).expect("it is there") = value;
        let variables = [("SITES".into(), sites), ("REDIS_URL".into(), json!("redis://x"))];
        Deployment::read(variables, Zones).err().expect("an error").to_string()
    };
    for (zone, meant) in [
        ("Europe/Berln", "\"Europe/Berlin\""),
        ("europe/berlin", "\"Europe/Berlin\""),
        ("Berlin", "\"Europe/Berlin\""),
        ("US/New York", "\"America/New_York\""),
        ("utc", "\"UTC\""),
        ("Mars/Olympus", ""),
    ] {
        let message = error_of("/demo/timezone", json!(zone));
        let expected = if meant.is_empty() { String::new() } else { format!("; did you mean {meant}?") };
        assert_eq!(message.split_once("\"Europe/Berlin\"").map(|(_, rest)| rest), Some(expected.as_str()), "{message}");
    }
    for (window, meant) in
        [("last-7-day", "last-7-days"), ("last_24_hours", "last-24-hours"), ("last7days", "last-7-days"), ("weekly", "week")]
    {
        let message = error_of("/demo/boards/articles/windows", json!([window]));
        assert!(message.ends_with(&format!("; did you mean \"{meant}\"?")), "{message}");
    }
    let message = error_of("/demo/boards/articles/windows", json!(["last-1-days"]));
    assert!(!message.contains("did you mean \"last-1"), "{message}");
}

#[test]
fn missing_things_are_named() {
    let mut sites = demo();
    sites["demo"]["boards"]["articles"].as_object_mut().expect("a table").remove("weights");
    let error = read(sites).expect_err("an error");
    assert_eq!(error.to_string(), "SITES.demo.boards.articles.weights is missing; allowed: a table of actions and what each is worth");
    assert_eq!(
        read(json!({})).expect_err("an error").to_string(),
        "SITES = {} is not allowed; allowed: at least one site, as a table [vars.SITES.NAME]"
    );
}

#[test]
fn variables_are_merged() {
    let more = json!({ "shop": demo()["demo"], "demo": { "boards": { "people": { "members": "actors", "weights": { "view": 1 }, "windows": ["all"] } } } });
    let config = Config::read([("SITES".into(), demo()), ("SITES_2".into(), more)], |_: &str| true).expect("valid");
    assert_eq!(config.sites.values().count(), 2);
    assert_eq!(config.sites["demo"].boards.values().count(), 2);

    let clash = json!({ "demo": { "timezone": "Asia/Shanghai" } });
    let error = Config::read([("SITES".into(), demo()), ("SITES_2".into(), clash)], |_: &str| true).expect_err("an error");
    assert_eq!(
        error.to_string(),
        r#"SITES_2.demo.timezone = "Asia/Shanghai" is not allowed; allowed: one value; another variable says "UTC""#
    );
}

/// `name` is set to `value`, or left out; the line must be `expected`.
#[track_caller]
fn check_deployment(name: &str, value: Option<Value>, expected: &str) {
    let url = Some(json!("https://redis.example"));
    let given = [("SITES", Some(demo())), ("REDIS_URL", url), ("REDIS_TOKEN", Some(json!("hidden")))];
    let others = given.into_iter().filter(|(known, _)| *known != name);
    let variables = others.chain([(name, value)]).filter_map(|(name, value)| Some((name.to_owned(), value?)));
    let error = Deployment::read(variables, |_: &str| true).err().expect("an error").to_string();
    assert_eq!(error, expected);
    assert!(!error.contains("hidden"), "{error}");
}

#[test]
fn deployments_are_judged_and_keep_their_secrets() {
    const URLS: &str = RedisUrl::ALLOWED;
    for name in ["REDIS_URL", "REDIS_TOKEN", "WRITE_TOKEN", "ADMIN_TOKEN", "METRICS_TOKEN"] {
        check_deployment(name, Some(json!(5)), &format!("{name} = (not shown) is not allowed; allowed: text"));
    }
    for nothing in [None, Some(json!(""))] {
        check_deployment("REDIS_URL", nothing.clone(), &format!("REDIS_URL is missing; allowed: {URLS}"));
        check_deployment("REDIS_TOKEN", nothing, "REDIS_TOKEN is missing; allowed: the token of the REST endpoint that REDIS_URL names");
    }
    check_deployment("REDIS_URL", Some(json!("ftp://u:hidden@h")), &format!("REDIS_URL = (not shown) is not allowed; allowed: {URLS}"));
    check_deployment(
        "KEY_PREFIX",
        Some(json!("Staging")),
        r#"KEY_PREFIX = "Staging" is not allowed; allowed: 1 to 32 characters a-z, 0-9 and -, not beginning with -"#,
    );
    check_deployment("SITES", None, "SITES = {} is not allowed; allowed: at least one site, as a table [vars.SITES.NAME]");

    let tokens = [("WRITE_TOKEN", "w, v"), ("ADMIN_TOKEN", ""), ("ADMIN_TOKEN_DEMO", "a"), ("REDIS_URL", "redis://h")];
    let tokens = tokens.map(|(name, text)| (name.into(), json!(text)));
    let deployment = Deployment::read(tokens.into_iter().chain([("SITES".into(), demo())]), |_: &str| true).expect("valid");
    let [here, elsewhere] = ["demo", "other"].map(|name| Name::new(name).expect("a name"));
    for (right, site, given, expected) in [
        (Right::Write, &here, "w", true),
        (Right::Write, &elsewhere, "v", true),
        (Right::Write, &here, "w, v", false),
        (Right::Admin, &here, "a", true),
        (Right::Admin, &elsewhere, "a", false),
        (Right::Admin, &here, "", false),
    ] {
        assert_eq!(deployment.tokens.allow(right, site, given), expected, "{right:?} {site} {given}");
    }
    for hidden in ["hidden,hidden2,hidden3", "hidden,", ",hidden"] {
        let allowed = "a token, or two with a comma between them while one replaces the other";
        check_deployment("WRITE_TOKEN", Some(json!(hidden)), &format!("WRITE_TOKEN = (not shown) is not allowed; allowed: {allowed}"));
    }
    // Whom a deployment tells apart stays the same when somebody else is let in to read metrics.
    let visitor = |more: Option<&str>| {
        let texts = [("REDIS_URL", "redis://h"), ("WRITE_TOKEN", "w")].into_iter().chain(more.map(|text| ("METRICS_TOKEN", text)));
        let variables = texts.map(|(name, text)| (name.into(), json!(text))).chain([("SITES".into(), demo())]);
        let key = Deployment::read(variables, |_: &str| true).expect("valid").tokens.visitors.expect("a key");
        key.fingerprint(&here, "192.0.2.1", "agent")
    };
    assert_eq!(visitor(None), visitor(Some("m")));
    let unknown = "ADMIN_TOKEN_DMEO names no site; allowed: ADMIN_TOKEN_DEMO; did you mean ADMIN_TOKEN_DEMO?";
    check_deployment("ADMIN_TOKEN_DMEO", Some(json!("hidden")), unknown);
    assert_eq!((deployment.redis, deployment.redis_token.as_str()), (RedisUrl::parse("redis://h").expect("valid"), ""));
}

#[test]
fn addresses_of_nodes_are_mapped_on_a_cluster_alone() {
    let read = |url: &str, map: Value| {
        let mut sites = demo();
        sites["demo"]["actions"] = json!({ "view": { "public": true } });
        sites["demo"]["boards"]["articles"]["weights"] = json!({ "view": 1 });
        let variables = [("REDIS_URL", json!(url)), ("REDIS_ADDRESS_MAP", map), ("SITES", sites)];
        Deployment::read(variables.map(|(name, value)| (name.into(), value)), |_: &str| true).map(|read| read.address_map)
    };
    let mapped = read("redis://a,b?cluster=true", json!("10.0.0.1:6379=a:7000"));
    assert_eq!(mapped.ok(), AddressMap::parse("10.0.0.1:6379=a:7000"));
    let problem = |url, map| read(url, map).expect_err("not allowed").to_string();
    assert_eq!(
        problem("redis://a,b?cluster=true", json!("10.0.0.1=a")),
        "REDIS_ADDRESS_MAP = \"10.0.0.1=a\" is not allowed; allowed: announced addresses, each with the one that reaches it: HOST:PORT=HOST:PORT, with commas between pairs",
    );
    assert_eq!(
        problem("redis://a", json!("a:1=b:1")),
        "REDIS_ADDRESS_MAP = \"a:1=b:1\" is not allowed without ?cluster=true in REDIS_URL: it is about the nodes of a cluster",
    );
}

#[test]
fn what_a_call_locks_is_an_option_of_one_server() {
    let read = |url: &str, locks: Value| {
        let mut sites = demo();
        sites["demo"]["actions"] = json!({ "view": { "public": true } });
        sites["demo"]["boards"]["articles"]["weights"] = json!({ "view": 1 });
        let variables = [("REDIS_URL", json!(url)), ("REDIS_LOCKS", locks), ("SITES", sites)];
        let read = Deployment::read(variables.map(|(name, value)| (name.into(), value)), |_: &str| true);
        read.map(|read| read.locks_keys).map_err(|error| error.to_string())
    };
    assert_eq!(read("redis://a", json!("keys")), Ok(true));
    assert_eq!(read("redis://a", json!("database")), Ok(false));
    assert_eq!(read("redis://a", json!("rows")), Err(r#"REDIS_LOCKS = "rows" is not allowed; allowed: "database" or "keys""#.into()));
    let problem = "REDIS_LOCKS = \"keys\" is not allowed with ?cluster=true in REDIS_URL: it is about Upstash, which is no cluster";
    assert_eq!(read("redis://a,b?cluster=true", json!("keys")), Err(problem.into()));
}

#[test]
fn replicas_are_asked_of_a_cluster_alone() {
    let read = |url: &str, reads: Option<&str>| {
        let mut sites = demo();
        sites["demo"]["actions"] = json!({ "view": { "public": true } });
        sites["demo"]["boards"]["articles"]["weights"] = json!({ "view": 1 });
        let variables = [("REDIS_URL", Some(json!(url))), ("REDIS_REPLICA_READS", reads.map(|reads| json!(reads))), ("SITES", Some(sites))];
        let variables = variables.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
        Deployment::read(variables, |_: &str| true).map(|read| read.config.replica_reads)
    };
    const CLUSTER: &str = "redis://a,b?cluster=true";
    assert_eq!(read(CLUSTER, None).ok(), Some(ReplicaReads::Past));
    for reads in ReplicaReads::EACH {
        assert_eq!(read(CLUSTER, Some(reads.name())).ok(), Some(reads));
    }
    assert_eq!(read("redis://a", None).ok(), Some(ReplicaReads::None));
    let problem = |url, reads| read(url, Some(reads)).expect_err("not allowed").to_string();
    assert_eq!(problem(CLUSTER, "current"), "REDIS_REPLICA_READS = \"current\" is not allowed; allowed: \"none\", \"past\" or \"all\"");
    assert_eq!(
        problem("redis://a", "past"),
        "REDIS_REPLICA_READS = \"past\" is not allowed without ?cluster=true in REDIS_URL: it is about the replicas of a cluster",
    );
}

#[test]
fn a_cluster_has_no_archive() {
    let archive = Some(json!("redis://u:hidden@a?cluster=true"));
    let allowed = "one server, since an object and the list of names change together";
    check_deployment("ARCHIVE_REDIS_URL", archive, &format!("ARCHIVE_REDIS_URL = (not shown) is not allowed; allowed: {allowed}"));
}

#[test]
fn an_error_is_one_line_whatever_the_configuration_holds() {
    let breaking = "a\nb\r\u{1b}[31m\u{85}\u{2028}\t";
    check(
        &format!("/demo/{breaking}"),
        json!({ breaking: breaking }),
        r#"SITES.demo.a\nb\r\u{1b}[31m\u{85}\u{2028}\t = {"a\nb\r\u001b[31m\u{85}\u{2028}\t":"a\nb\r\u001b[31m\u{85}\u{2028}\t"} is not allowed; allowed: the keys origins, timezone, day_starts_at, week_starts_on, actor_history, activity, activity_entries, journal, actors, visitors_per_address, bots, ignore_addresses, limits, details_from_pages, title_strip, known_items, new_members, max_beacon_events, ingest, ingest_partitions, actor_homes, linger, acknowledge, forward, keep, actions, boards"#,
    );
    let long = "é".repeat(300);
    check("/demo/activity", json!(long), &format!("SITES.demo.activity = \"{}… is not allowed; allowed: true or false", &long[..199 * 2]));
}

#[test]
fn variables_have_at_most_5_kb() {
    let filled = |bytes: usize| {
        let mut sites = demo();
        sites["demo"]["origins"] = json!([""]);
        let rest = bytes - sites.to_string().len();
        sites["demo"]["origins"] = json!([format!("https://{}", "a".repeat(rest - "https://".len()))]);
        sites
    };
    let message = "bytes; the platform allows at most 5120 in one variable";
    check_deployment("ADMIN_TOKEN", Some(json!("é".repeat(2561))), &format!("ADMIN_TOKEN has 5122 {message}"));
    check_deployment(&"N".repeat(9000), Some(json!("é".repeat(2561))), &format!("{}… has 5122 {message}", "N".repeat(400)));
    assert!(read(filled(5120)).is_ok());
    check_deployment(
        "SITES",
        Some(filled(5121)),
        &format!("SITES has 5121 {message}; split it into several variables whose names begin with SITES, which are merged"),
    );
}
