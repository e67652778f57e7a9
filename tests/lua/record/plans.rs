//! Plans of events of now: who changes what they follow from drops them, or they are not used any more.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use engine::store::alias::Alias;
use engine::store::keep_off::Whom;
use engine::store::scripts::KEEP_OFF;
use ranking::counting::Outcome;
use ranking::name::Id;
use ranking::visitor::VisitorKey;
use serde_json::{Value as Json, json};

use super::{noon, scores, utc};
use crate::call::{BOARD, Call, NOON_MS, calls, retention};
use crate::deployment::{self, Deployment, Held};
use crate::support::{Connection, Server};

const DAY: &str = super::DAY;

fn one() -> Call {
    utc().event(["a", "1", "", ""])
}

fn is_planned(server: &Server, board: &str) -> bool {
    !server.text(&["HGET", &format!("{board}:state"), "plan:browser"]).is_empty()
}

/// What is planned after one event made the board, and another one the plan.
fn plan(server: &Server, connection: &Connection) {
    server.command(&["FLUSHALL"]);
    server.clock.set(NOON_MS);
    for _ in 0..2 {
        assert_eq!(one().outcomes(connection), "c");
    }
    assert!(is_planned(server, BOARD));
}

fn two(call: Call) -> Call {
    call.event(["a", "1", "", ""]).event(["b", "1", "", ""])
}

#[test]
fn who_changes_what_plans_follow_from_drops_them() {
    let (server, connection) = noon();
    let with_ids = || utc().set("batch_id", "x");
    let changes = [
        ("the order of ties", two(utc().set("options", "first")), 0),
        ("what is counted", two(utc().set("units", "hd").set("retention", &retention("0 0"))), 0),
        ("a part of a batch", with_ids().set("has_all", "0").event(["a", "1", "", "/0"]).event(["b", "1", "", "/1"]), 0),
        ("the turn of ids", two(with_ids()), 0),
        ("a clock that went back", two(utc()), -7_200_000),
    ];
    for (what, call, later_ms) in changes {
        plan(&server, &connection);
        server.clock.set(NOON_MS + later_ms);
        assert_eq!(call.outcomes(&connection), "cc", "{what}");
        assert!(!is_planned(&server, BOARD), "{what}");
    }
    plan(&server, &connection);
    assert_eq!(two(utc()).outcomes(&connection), "cc");
    assert!(is_planned(&server, BOARD), "what changes nothing keeps the plan");
}

/// A removed member does not count, though an event of now was planned before.
#[test]
fn a_removed_member_does_not_count() {
    let (server, connection) = noon();
    plan(&server, &connection);
    let kept_off = Call { script: &KEEP_OFF, ..utc() };
    let named = [("verb", "put"), ("id", "a"), ("is_prefix", "0"), ("max_size", "10")];
    let args = kept_off.args.clone().into_iter().chain(named.map(|(name, value)| (name, value.to_owned()))).collect();
    Call { args, ..kept_off }.send(&connection);
    assert!(!is_planned(&server, BOARD));
    for _ in 0..2 {
        assert_eq!(one().outcomes(&connection), "g");
        assert_eq!(utc().event(["b", "1", "", ""]).outcomes(&connection), "c");
    }
    assert_eq!(scores(&server, DAY), "a=2 b=2");
}

/// What is kept of plans takes 1 MB, and of packed arguments half of that, however many boards take turns, new ones or known ones. Garbage is not
/// counted: how much of it there is depends on when it was collected.
#[test]
fn what_is_kept_of_a_thousand_boards_takes_one_and_a_half_megabytes() {
    let (server, connection) = noon();
    let collect = "function() collectgarbage('collect') return collectgarbage('count') * 1024 end";
    let memory = format!("#!lua name=memory\nredis.register_function('used', {collect})");
    let used = || server.number(&["FCALL", "used", "1", BOARD]);
    for kind in [utc(), utc().set("rolling", " last-7-days:d:7 last-24-hours:h:24"), utc().set("options", "first actions")] {
        // No board says the same of itself as another one, so both plans and packed arguments are kept.
        let of = |n: u32| kind.clone().set("max_members", &(100_000 + n).to_string());
        let call = |n: u32| Call { keys: vec![format!("{BOARD}{n}")], ..of(n) }.tracked(["a", "1", "", "", "view"]);
        let count = |n: u32| assert_eq!(call(n).outcomes(&connection), "c");
        server.command(&["FLUSHALL"]);
        server.command(&["FUNCTION", "FLUSH"]);
        server.command(&["FUNCTION", "LOAD", &memory]);
        count(0);
        let before = used();
        for hundred in 0..10 {
            let new = hundred * 100 + 1..hundred * 100 + 101;
            new.clone().chain(new.clone()).for_each(count);
            assert!(is_planned(&server, &format!("{BOARD}{}", new.start)));
            // Those that are known are used again, and so are kept for longer.
            (1..new.start).for_each(count);
            let more = used() - before;
            assert!(more <= 3 << 19, "{more} bytes more for {} boards with {:?}", new.end, kind.args);
        }
    }
}

/// A deployment that has planned events of servers.
fn planned(board: &Json) -> Deployment {
    let deployment = Deployment::start(&site(board), NOON_MS);
    let view = [json!({ "action": "view", "item": "a" })];
    deployment.put(&view);
    deployment.upkeep(deployment::BOARD);
    (0..2).for_each(|_| drop(deployment.put(&view)));
    assert!(is_planned_for_servers(&deployment));
    deployment
}

fn site(board: &Json) -> Json {
    json!({ "actions": { "view": {} }, "activity": false, "boards": { deployment::BOARD: board } })
}

/// How many commands ran since `CONFIG RESETSTAT`. Now and then a set of ids is looked at for whether it is full.
fn commands(server: &Server) -> u64 {
    calls(server).iter().filter(|(name, _)| *name != "scard").map(|(_, count)| count).sum()
}

fn is_planned_for_servers(deployment: &Deployment) -> bool {
    !deployment.server.text(&["HGET", &format!("{BOARD}:state"), "plan:server"]).is_empty()
}

/// Whatever a board keeps beside sums, an event of now that comes alone is counted by a plan, at a few commands more.
#[test]
fn what_a_board_keeps_costs_a_few_commands() {
    let hot = json!({ "name": "hot", "kind": "half-life", "half_life": "6h" });
    let (calendar, fading) = (json!(["hour", "day", "all"]), json!(["hour", "day", "all", hot]));
    let smooth = json!({ "name": "smooth", "kind": "linear", "resets": "day", "beta": 1.1 });
    let several = json!(["hour", "day", "all", hot, smooth]);
    let totals = json!([{ "window": "day" }, { "window": "all" }]);
    let weights = json!({ "view": 2 });
    let mut plain = 0;
    for (what, board, more) in [
        ("nothing", json!({ "windows": calendar }), 0),
        ("totals", json!({ "windows": calendar, "totals": totals }), 2),
        ("a half-life", json!({ "windows": fading }), 1),
        ("actions", json!({ "windows": calendar, "breakdown": true }), 6),
        ("actions and a half-life", json!({ "windows": fading, "breakdown": true }), 6 + 4),
        ("actions and two windows that fade", json!({ "windows": several, "breakdown": true }), 6 + 4 + 4),
        ("actions, a half-life and totals", json!({ "windows": fading, "breakdown": true, "totals": totals }), 6 + 4 + 2),
        ("distinct scores", json!({ "windows": calendar, "ranking": "dense" }), 3 * 7),
        ("an order of ties and totals", json!({ "windows": calendar, "ties": "last", "totals": totals }), 5 + 2),
    ] {
        let mut board = board;
        board["weights"] = weights.clone();
        let deployment = Deployment::start(&site(&board), NOON_MS);
        let mut taken = 0;
        for id in 0..5 {
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            let sent = deployment.send(&json!({ "id": format!("{id}"), "events": [{ "action": "view", "item": "a" }] }));
            assert_eq!(sent, [Outcome::Counted], "{what}");
            taken = commands(&deployment.server);
        }
        if plain == 0 {
            plain = taken;
        }
        assert_eq!(taken, plain + more, "{what}: {:?}", calls(&deployment.server));
        for window in ["hour", "day", "all"] {
            let first = &deployment.read(deployment::BOARD, window, None).entries[0];
            assert_eq!((first.id.as_str(), first.score.to_string().as_str()), ("a", "10"), "{what}");
        }
    }
}

/// A member that is new on a board is counted by the plan as well, whatever the board keeps and it is worth. All is read before, with a command more for
/// each board: whether there is room.
#[test]
fn a_new_member_costs_what_is_read_before() {
    let (calendar, rolling) = (json!(["hour", "day", "all"]), json!(["day", "all", "last-3-days"]));
    let hot = json!({ "name": "hot", "kind": "half-life", "half_life": "6h" });
    for (board, expected) in [
        (json!({ "windows": calendar, "weights": { "view": 2 }, "ties": "last" }), 22),
        (json!({ "windows": calendar, "weights": { "view": 2 }, "breakdown": true }), 25),
        (json!({ "windows": rolling, "weights": { "view": 2 }, "ties": "first", "breakdown": true }), 33),
        (json!({ "windows": ["hour", "day", "all", hot], "weights": { "view": 2 }, "breakdown": true }), 31),
        (json!({ "windows": calendar, "weights": { "view": 0.5 } }), 16),
        (json!({ "windows": rolling, "weights": { "view": 0.5 } }), 19),
        (json!({ "windows": calendar, "score": "max", "actions": ["view"], "decimals": 0 }), 17),
        (json!({ "windows": calendar, "score": "last", "actions": ["view"], "decimals": 0, "ties": "first" }), 29),
        (json!({ "windows": calendar, "weights": { "view": 2 }, "ranking": "dense" }), 25),
        (json!({ "windows": calendar, "score": "max", "actions": ["view"], "decimals": 0, "ranking": "dense" }), 26),
    ] {
        let deployment = Deployment::start(&site(&board), NOON_MS);
        let cost = |item: &str| {
            let mut view = json!({ "action": "view", "item": item });
            if board.get("score").is_some() {
                view["value"] = json!(2);
            }
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            assert_eq!(deployment.send(&json!({ "id": item, "events": [view] })), [Outcome::Counted], "{board}");
            commands(&deployment.server)
        };
        for item in ["a", "b"] {
            cost(item);
        }
        deployment.upkeep(deployment::BOARD);
        cost("c");
        assert_eq!(cost("d"), expected, "{board}: {:?}", calls(&deployment.server));
        for window in ["day", "all"] {
            let page = deployment.read(deployment::BOARD, window, None);
            let expected = board["weights"]["view"].as_f64().unwrap_or(2.0).to_string();
            assert_eq!(page.entries.iter().map(|entry| entry.score.to_string()).collect::<Vec<_>>(), vec![expected; 4], "{board}");
        }
    }
}

/// Whether a visitor's event puts a new member on a board is found by the plan, too: with three commands, and two more where an hour of new members
/// begins. One of an older member, which is new in its hour only, costs none of them.
#[test]
fn a_visitors_new_member_costs_three_commands_more() {
    let windows = json!(["hour", "day", "all"]);
    for board in [
        json!({ "windows": windows, "weights": { "view": 2 }, "ties": "last" }),
        json!({ "windows": windows, "weights": { "view": 2 }, "breakdown": true }),
        json!({ "windows": windows, "weights": { "view": 0.5 } }),
        json!({ "windows": windows, "score": "max", "actions": ["view"], "decimals": 0 }),
        json!({ "windows": windows, "score": "last", "actions": ["view"], "decimals": 0, "ties": "first" }),
    ] {
        let mut of = site(&board);
        of["new_members"] = json!({ "visitor": 2, "address": 0 });
        let deployment = Deployment::start(&of, NOON_MS);
        let visitor = VisitorKey::new("a-secret").fingerprint(&deployment.site().name, "192.0.2.1", "agent").expect("an address");
        let cost = |id: &str, item: &str, browser: bool, outcome: Outcome| {
            let mut view = json!({ "action": "view", "item": item });
            if board.get("score").is_some() {
                view["value"] = json!(2);
            }
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            let body = json!({ "id": id, "events": [view] });
            let sent = deployment.try_send_as(&body, browser.then(|| visitor.clone()), |_| ()).expect("redis answers");
            assert_eq!(sent[0].1, Ok(vec![outcome]), "{id} of {board}");
            commands(&deployment.server)
        };
        let by_server = |id: &str, item: &str| cost(id, item, false, Outcome::Counted);
        let by_browser = |id: &str, item: &str| cost(id, item, true, Outcome::Counted);
        for id in ["a1", "a2"] {
            by_server(id, "a");
            by_browser(&format!("b{id}"), "a");
        }
        let new = by_server("c", "c");
        assert_eq!(by_browser("d", "d"), new + 5, "{board}: {:?}", calls(&deployment.server));
        assert_eq!(by_browser("e", "e"), new + 3, "{board}: {:?}", calls(&deployment.server));
        let refused = cost("f", "f", true, Outcome::TooManyNew);
        assert!(refused < new, "{board}: {refused}");
        assert_eq!(cost("e", "e", true, Outcome::Duplicate), cost("c", "c", false, Outcome::Duplicate), "{board}");
        deployment.advance(3_600_000);
        for (id, item) in [("g", "a"), ("h", "c")] {
            by_server(id, item);
            by_browser(&format!("b{id}"), item);
        }
        // The salt of the hour ended, but nobody new came.
        deployment.advance(3_600_000);
        by_server("i", "a");
        by_browser("j", "a");
        assert_eq!(by_browser("k", "c"), by_server("l", "d"), "{board}: {:?}", calls(&deployment.server));
        assert_eq!(deployment.read(deployment::BOARD, "all", None).total, 4, "{board}");
    }
}

/// What a log remembers one by one is written beside what it counts, with three commands, whether the event counts once, happened often or is plain.
#[test]
fn an_entry_of_the_activity_log_costs_three_commands() {
    for (action, count) in [("view", 1), ("vote", 1), ("view", 2)] {
        let cost = |entries: usize| {
            let board = json!({ "windows": ["day"], "weights": { "view": 1, "vote": 1 }, "once": { "vote": "day" } });
            let of = json!({ "actions": { "view": {}, "vote": {} }, "activity_entries": entries, "boards": { deployment::BOARD: board } });
            let (deployment, mut cost) = (Deployment::start(&of, NOON_MS), 0);
            for i in 0..6 {
                let mut event = json!({ "action": action, "item": format!("item-{i}"), "actor": "u" });
                if count > 1 {
                    event["count"] = json!(count);
                }
                deployment.server.command(&["CONFIG", "RESETSTAT"]);
                assert_eq!(deployment.send(&json!({ "id": i.to_string(), "events": [event] })), [Outcome::Counted], "{action}");
                cost = commands(&deployment.server);
            }
            (cost, deployment.contents().remove("eb:{site}:entries:u"))
        };
        let ((plain, _), (with_entries, kept)) = (cost(0), cost(3));
        assert_eq!(with_entries, plain + 3, "{action} {count}");
        let Some(Held::Sorted(kept)) = kept.map(|key| key.held) else { panic!("{action}: no entries") };
        let texts: Vec<_> = kept.iter().map(|(entry, _)| entry.split_once(' ').map_or("", |(_, text)| text)).collect();
        assert_eq!(texts, [3, 4, 5].map(|i| format!("{count} {action}\nitem-{i}")), "the oldest are dropped");
    }
}

/// The scores of a sorted set, or the numbers in a hash of counts by action.
fn held_numbers(held: &Held) -> Vec<f64> {
    match held {
        Held::Sorted(members) => {
            members.iter().filter_map(|(_, score)| score.parse().ok()).filter(|score: &f64| score.is_finite()).collect()
        }
        Held::Hash(fields) => fields.values().flat_map(|text| text.split(' ')).filter_map(|word| word.parse().ok()).collect(),
        _ => Vec::new(),
    }
}

/// A like and its undo are counted by the plan as well where actions are counted on boards that fade. The undo leaves nothing there.
#[test]
fn an_undo_costs_no_more_than_its_like_where_windows_fade() {
    let windows = ["6h", "2d"].map(|life| json!({ "name": format!("hot-{life}"), "kind": "half-life", "half_life": life }));
    for count in [1, 2] {
        let windows: Vec<_> = [json!("day"), json!("all")].into_iter().chain(windows[..count].iter().cloned()).collect();
        let board = json!({ "windows": windows, "weights": { "view": 1, "like": 2 }, "breakdown": true });
        let mut of = site(&board);
        of["actions"] = json!({ "view": {}, "like": { "reversible": true } });
        let deployment = Deployment::start(&of, NOON_MS);
        let cost = |id: &str, event: Json| {
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            assert_eq!(deployment.send(&json!({ "id": id, "events": [event] })), [Outcome::Counted], "{id} of {count}");
            commands(&deployment.server)
        };
        let like = |actor: &str, undo: bool| json!({ "action": "like", "item": "a", "actor": actor, "undo": undo });
        for id in ["1", "2", "3"] {
            cost(&format!("view-{id}"), json!({ "action": "view", "item": "a" }));
        }
        for actor in ["u1", "u2"] {
            cost(&format!("like-{actor}"), like(actor, false));
        }
        let before = deployment.contents();
        let liked = cost("like", like("u3", false));
        let undone = cost("undo", like("u3", true));
        // The like makes its actor's hash, and gives it its expiry.
        assert_eq!((liked, undone), (16 + 4 * count as u64, 15 + 4 * count as u64), "{count}: {:?}", calls(&deployment.server));
        let after = deployment.contents();
        for (key, held) in before.iter().filter(|(key, _)| !["ids:", "state", "tracked:"].iter().any(|part| key.contains(part))) {
            // What fades is added and subtracted as it is, and rounded.
            let (was, is) = (held_numbers(&held.held), held_numbers(&after[key].held));
            let differs = was.iter().zip(&is).find(|(was, is)| (*was - *is).abs() > was.abs() * 1e-12);
            assert_eq!((was.len(), differs), (is.len(), None), "{key} of {count}");
        }
    }
}

/// What is worth a fraction cannot be subtracted again exactly, so scores are read before they are written: a command more for each board.
#[test]
fn a_fraction_costs_a_command_more_for_each_board() {
    let hot = json!({ "name": "hot", "kind": "half-life", "half_life": "6h" });
    let once = json!({ "view": "day" });
    for (board, boards) in [
        (json!({ "windows": ["hour", "day", "all"] }), 3),
        (json!({ "windows": ["day", "all", "last-3-days"] }), 4),
        // Whether the member is on the board that fades is asked for as well.
        (json!({ "windows": ["day", "all", hot] }), 3),
        (json!({ "windows": ["hour", "day", "all"], "breakdown": true }), 3),
        (json!({ "windows": ["day", "all", "last-3-days"], "once": once }), 4),
        (json!({ "windows": ["day", "all"], "breakdown": true, "once": once }), 2),
    ] {
        let cost = |weight: f64, expected: &str| {
            let mut board = board.clone();
            board["weights"] = json!({ "view": weight });
            let deployment = Deployment::start(&site(&board), NOON_MS);
            let mut cost = 0;
            for i in 0..7 {
                if i == 2 {
                    deployment.upkeep(deployment::BOARD);
                }
                let view = json!({ "action": "view", "item": "a", "actor": format!("actor-{i}") });
                deployment.server.command(&["CONFIG", "RESETSTAT"]);
                assert_eq!(deployment.send(&json!({ "id": i.to_string(), "events": [view] })), [Outcome::Counted], "{board}");
                cost = commands(&deployment.server);
            }
            for window in ["day", "all"] {
                let first = &deployment.read(deployment::BOARD, window, None).entries[0];
                assert_eq!(first.score.to_string(), expected, "{board}");
            }
            cost
        };
        assert_eq!(cost(0.1, "0.7"), cost(1.0, "7") + boards, "{board}");
    }
}

/// Another version of the library may write plans of another form to the same state, which say less of what is counted.
#[test]
fn a_plan_of_another_form_is_none() {
    let (server, connection) = noon();
    plan(&server, &connection);
    let state = format!("{BOARD}:state");
    let field = |name: &str| server.text(&["HGET", &state, name]);
    let arguments = field("arguments:browser");
    let digest = field("plan:browser");
    // A known digest stands for a plan of this version, and one that is not known is read.
    for (name, arguments, is_used) in [("known", &arguments[..], true), ("other", arguments.strip_suffix("\n4").expect("a form"), false)] {
        server.command(&["HSET", &state, "plan:browser", name, "arguments:browser", arguments]);
        assert_eq!(one().outcomes(&connection), "c");
        assert_eq!(field("plan:browser") == name, is_used, "{name}");
    }
    assert_eq!((field("arguments:browser"), field("plan:browser").len()), (arguments, digest.len()));
    assert_eq!(scores(&server, DAY), "a=4");
}

/// A full board refuses any number of members. What a member changed before stays noted.
#[test]
fn totals_of_a_refused_member_are_not_handed_on() {
    let totals = json!([{ "window": "day" }, { "window": "all" }]);
    for more in [json!({}), json!({ "ties": "first" }), json!({ "breakdown": true })] {
        let mut board = json!({ "weights": { "view": 1 }, "windows": ["day", "all"], "totals": totals, "max_members": 2 });
        board.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        let deployment = Deployment::start(&site(&board), NOON_MS);
        let send = |id: &str, item: &str, outcome: Outcome| {
            assert_eq!(deployment.send(&json!({ "id": id, "events": [{ "action": "view", "item": item }] })), [outcome], "{id}, {board}");
        };
        for (id, item) in [("1", "a"), ("2", "a"), ("3", "b"), ("4", "a")] {
            send(id, item, Outcome::Counted);
        }
        for (id, item) in [("5", "c"), ("6", "d"), ("7", "c")] {
            send(id, item, Outcome::Full);
        }
        let noted: Vec<String> =
            deployment.server.keys("*:changed:*").iter().flat_map(|key| deployment.server.texts(&["SMEMBERS", key])).collect();
        let members: BTreeSet<&str> = noted.iter().filter_map(|note| note.split_once(':')).map(|(_, member)| member).collect();
        assert_eq!((noted.len(), members), (4, BTreeSet::from(["a", "b"])), "{board}");
    }
}

/// Where a member was removed, others are looked up, with one command, and counted by the plan all the same.
#[test]
fn who_was_removed_costs_others_a_command() {
    let windows = json!(["hour", "day", "all"]);
    for board in [
        json!({ "weights": { "view": 1 }, "windows": windows }),
        json!({ "weights": { "view": 1 }, "windows": windows, "ties": "first", "breakdown": true }),
        json!({ "score": "max", "actions": ["view"], "decimals": 0, "windows": windows }),
    ] {
        let deployment = Deployment::start(&site(&board), NOON_MS);
        let send = |id: &str, item: &str, outcome: Outcome| {
            let mut view = json!({ "action": "view", "item": item });
            if board.get("score").is_some() {
                view["value"] = json!(1);
            }
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            assert_eq!(deployment.send(&json!({ "id": id, "events": [view] })), [outcome], "{id} of {board}");
            commands(&deployment.server)
        };
        for id in ["1", "2", "3"] {
            send(&format!("a{id}"), "a", Outcome::Counted);
        }
        send("b", "b", Outcome::Counted);
        let before = send("before", "a", Outcome::Counted);
        deployment.remove(deployment::BOARD, &Whom::Member(Id::new("b").expect("an id")), true);
        // The first one plans anew.
        send("anew", "a", Outcome::Counted);
        assert_eq!(send("after", "a", Outcome::Counted), before + 1, "{board}");
        send("after", "a", Outcome::Duplicate);
        // The id is looked up, and goes again.
        let refused = send("removed", "b", Outcome::Removed);
        assert!(refused <= 8, "{board}: {refused}");
    }
}

/// An event of an item that became another one is counted by the plan as well, tracked or not.
#[test]
fn what_became_another_one_costs_two_commands() {
    let windows = json!(["hour", "day", "all"]);
    for board in [
        json!({ "weights": { "view": 1 }, "windows": windows }),
        json!({ "weights": { "view": 1 }, "windows": windows, "ties": "first", "breakdown": true }),
        json!({ "weights": { "view": 1 }, "windows": ["day", "all", "last-3-days"], "once": { "view": "day" } }),
        json!({ "score": "max", "actions": ["view"], "decimals": 0, "windows": windows, "ties": "first" }),
    ] {
        let deployment = Deployment::start(&site(&board), NOON_MS);
        let sent = Cell::new(0);
        let cost = |item: &str| {
            sent.set(sent.get() + 1);
            let mut view = json!({ "action": "view", "item": item, "actor": format!("actor-{}", sent.get()) });
            if board.get("score").is_some() {
                view = json!({ "action": "view", "item": item, "value": sent.get() });
            }
            deployment.server.command(&["CONFIG", "RESETSTAT"]);
            assert_eq!(deployment.send(&json!({ "id": sent.get().to_string(), "events": [view] })), [Outcome::Counted], "{board}");
            commands(&deployment.server)
        };
        for item in ["/old", "/old", "/new", "/new", "/new"] {
            cost(item);
        }
        let before = cost("/new");
        while deployment.alias_chunk("/old", "/new", Alias::ENTRIES) {}
        // The first one plans anew.
        cost("/old");
        for (item, more) in [("/new", 1), ("/old", 2)] {
            assert_eq!(cost(item), before + more, "{item} of {board}");
        }
        assert_eq!(deployment.read(deployment::BOARD, "all", None).total, 1, "{board}");
    }
}

/// What happened before a reset does not count, though events of then were planned.
#[test]
fn a_reset_drops_them() {
    let deployment = planned(&json!({ "weights": { "view": 1 }, "windows": ["day", "all"] }));
    deployment.advance(10_000);
    deployment.reset(deployment::BOARD, None);
    assert!(!is_planned_for_servers(&deployment));
    deployment.put(&[json!({ "action": "view", "item": "a", "ago": 5_000 })]);
    assert_eq!(deployment.read(deployment::BOARD, "all", None).total, 0);
    deployment.put(&[json!({ "action": "view", "item": "a" })]);
    assert_eq!(deployment.read(deployment::BOARD, "all", None).total, 1);
}

/// Upkeep under other options has writers of the old ones say so: they leave out the indexes that it began.
#[test]
fn upkeep_under_other_options_drops_them() {
    let old = json!({ "weights": { "view": 1 }, "windows": ["day", "last-7-days"] });
    let mut new = old.clone();
    new["ties"] = json!("first");
    let mut deployment = planned(&old);
    let indexes = |deployment: &Deployment| deployment.server.text(&["HGET", &format!("{BOARD}:state"), "indexes"]);
    deployment.configure(&site(&new));
    deployment.chunk(deployment::BOARD, "last-7-days", 500);
    assert!(!is_planned_for_servers(&deployment));
    assert_eq!(indexes(&deployment), "0:first");
    deployment.configure(&site(&old));
    deployment.put(&[json!({ "action": "view", "item": "a" })]);
    assert_eq!(indexes(&deployment), "1:");
}

/// `set_state` drops plans. What is written past it is what no plan follows from: the instant of the last change, the last sequence number, and plans.
#[test]
fn nothing_else_writes_what_plans_follow_from() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/lua"));
    let mut looked_at = 0;
    for folder in ["", "lib", "lib/common"] {
        for entry in fs::read_dir(root.join(folder)).expect("a folder") {
            let path = entry.expect("it is readable").path();
            if path.extension().is_none_or(|ending| ending != "lua") {
                continue;
            }
            let text = fs::read_to_string(&path).expect("it is readable");
            let writes = text.lines().filter(|line| line.contains("'HSET', state") || line.contains("'HSET'") && line.contains("':state'"));
            for line in writes {
                let is_right =
                    path.ends_with("common/plans.lua") || line.contains("'changed', c.") || line.contains("unpack(fresh_plan(c))");
                assert!(is_right, "{}: {}", path.display(), line.trim());
                looked_at += 1;
            }
        }
    }
    assert!(looked_at >= 6, "{looked_at}");
}
