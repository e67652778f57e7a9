//! Networks of an address: each counts four times as many as the one before, be it of new members or of visitors whose actions count once.

use std::collections::BTreeMap;

use super::refused::ways;
use super::{noon, utc};
use crate::call::{BOARD, Call, calls};
use crate::support::{Connection, Server};

/// The digests of a visitor, by the numbers of its /64, /56 and /48.
fn digests([smallest, wider, widest]: [usize; 3]) -> String {
    format!("v{smallest}.a{smallest}.b{wider}.c{widest}")
}

/// What is bounded.
#[derive(Clone, Copy, Debug)]
enum Bounded {
    NewMembers,
    Visitors,
}

impl Bounded {
    const EACH: [Self; 2] = [Self::NewMembers, Self::Visitors];

    /// A call of events, each of its own visitor and for a member of its own, where an address may have so many.
    fn call(self, call: &Call, most: usize, visitors: &[String]) -> Call {
        let call = call.clone().set("new_salt", "salt");
        let member = |visitor: &str| format!("of {visitor}");
        match self {
            Self::NewMembers => {
                let senders: Vec<String> = visitors.iter().map(|visitor| format!("1:{visitor}")).collect();
                let call = call.set("newcomers", &format!("0 {most} salt {}", senders.join(" ")));
                let tracked = if call.args["options"] == "actions" { "view" } else { "" };
                visitors.iter().fold(call, |call, visitor| call.tracked([&member(visitor), "1", "", "", tracked]))
            }
            Self::Visitors => visitors.iter().fold(call.set("visitors_per_address", &most.to_string()), |call, visitor| {
                call.tracked([&member(visitor), "1", "", "", &format!("view:o:d:0123456789a:visitor:{visitor}")])
            }),
        }
    }

    fn outcomes(self, call: &Call, connection: &Connection, most: usize, visitors: &[String]) -> String {
        self.call(call, most, visitors).outcomes(connection)
    }

    fn refused(self) -> &'static str {
        match self {
            Self::NewMembers => "m",
            Self::Visitors => "v",
        }
    }

    fn counts(self) -> String {
        match self {
            Self::NewMembers => format!("{BOARD}:newcomers"),
            Self::Visitors => format!("{BOARD}:visitors:20777"),
        }
    }

    /// How many networks have which count.
    fn networks(self, server: &Server) -> BTreeMap<String, usize> {
        let mut of = BTreeMap::new();
        let found = server.texts(&["HGETALL", &self.counts()]);
        for pair in found.chunks(2).filter(|pair| pair[0].starts_with('@')) {
            *of.entry(pair[1].clone()).or_default() += 1;
        }
        of
    }
}

/// Visitors of a line, each in a /64 of its own.
fn line(count: usize) -> Vec<String> {
    (0..count).map(|i| digests([i, 0, 0])).collect()
}

/// Visitors of a company: four in each /56, each in a /64 of its own.
fn company(count: usize) -> Vec<String> {
    (0..count).map(|i| digests([i, i / 4, 0])).collect()
}

#[test]
fn a_line_counts_four_times_as_many_as_an_address_and_a_company_four_times_that() {
    let (server, connection) = noon();
    for bounded in Bounded::EACH {
        for (way, call) in ways() {
            let one = |visitor: [usize; 3]| bounded.outcomes(&call, &connection, 2, &[digests(visitor)]);
            // One by one; the last one is the first that is too many.
            for (visitors, most, [other_line, other_company]) in [(line(9), 8, ["c", "c"]), (company(33), 32, [bounded.refused(), "c"])] {
                server.command(&["FLUSHALL"]);
                let each = visitors.iter().map(|visitor| bounded.outcomes(&call, &connection, 2, std::slice::from_ref(visitor)));
                let expected = "c".repeat(most) + bounded.refused();
                assert_eq!(each.collect::<String>(), expected, "{bounded:?} {way}");
                assert_eq!([one([98, 98, 0]), one([99, 99, 99])], [other_line, other_company], "{bounded:?} {way} {most}");
                let expires = [bounded.counts(), format!("{BOARD}:salt:20777")].map(|key| server.number(&["EXPIRETIME", &key]));
                match bounded {
                    // The clock goes on while the test does.
                    Bounded::NewMembers => {
                        let hour_from_now = crate::call::NOON_S + 3600;
                        assert!((hour_from_now..hour_from_now + 60).contains(&expires[0]), "{way}: within the hour");
                    }
                    Bounded::Visitors => assert!(expires[0] > 0 && expires[0] == expires[1], "{way}: with the salt"),
                }
                // All in one call are told the same.
                server.command(&["FLUSHALL"]);
                assert_eq!(bounded.outcomes(&call, &connection, 2, &visitors), expected, "{bounded:?} {way}");
            }
        }
    }
}

#[test]
fn an_address_of_ipv4_is_in_no_other_network() {
    let (server, connection) = noon();
    for bounded in Bounded::EACH {
        server.command(&["FLUSHALL"]);
        let visitors: Vec<String> = (0..40).map(|i| format!("v{i}.a{i}")).collect();
        assert_eq!(bounded.outcomes(&utc(), &connection, 1, &visitors), "c".repeat(40), "{bounded:?}");
        assert_eq!(bounded.networks(&server), BTreeMap::from([("1".into(), 40)]), "{bounded:?}");
    }
}

#[test]
fn what_is_refused_counts_in_no_network() {
    let (server, connection) = noon();
    for bounded in Bounded::EACH {
        server.command(&["FLUSHALL"]);
        // The /64 has what it may; others of the line do not suffer.
        let visitors: Vec<String> = (0..20).map(|i| format!("w{i}.a.b.c")).collect();
        assert_eq!(bounded.outcomes(&utc(), &connection, 1, &visitors), format!("c{}", bounded.refused().repeat(19)), "{bounded:?}");
        assert_eq!(bounded.networks(&server), BTreeMap::from([("1".into(), 3)]), "{bounded:?}");
        // Nor does it where the board has no room.
        let full = utc().set("max_members", "1");
        assert_eq!(bounded.outcomes(&full, &connection, 1, &["x.e.b.c".into()]), "r", "{bounded:?}");
        assert_eq!(bounded.networks(&server), BTreeMap::from([("1".into(), 3)]), "{bounded:?}");
    }
}

/// A version that knew the smallest network alone counted first, and counts beside this one.
#[test]
fn what_an_earlier_version_counted_goes_on() {
    let (server, connection) = noon();
    for bounded in Bounded::EACH {
        server.command(&["FLUSHALL"]);
        let (most, refused) = (2, bounded.refused());
        let send = |visitor: &str| bounded.outcomes(&utc(), &connection, most, &[visitor.into()]);
        assert_eq!([send("v1.a"), send("v2.a.b.c"), send("v3.a.b.c"), send("v3.a")], ["c", "c", refused, refused], "{bounded:?}");
        assert_eq!(bounded.networks(&server), BTreeMap::from([("1".into(), 2), ("2".into(), 1)]), "{bounded:?}");
    }
}

/// As many senders as a group may have: what they are called fits into one command.
#[test]
fn five_hundred_visitors_come_in_one_call() {
    let (server, connection) = noon();
    for bounded in Bounded::EACH {
        server.command(&["FLUSHALL"]);
        bounded.outcomes(&utc(), &connection, 1, &[digests([1000, 1000, 1000])]);
        let visitors: Vec<String> = (0..500).map(|i| digests([i, i, i])).collect();
        assert_eq!(bounded.outcomes(&utc(), &connection, 1, &visitors), "c".repeat(500), "{bounded:?}");
        assert_eq!(bounded.networks(&server), BTreeMap::from([("1".into(), 3 * 501)]), "{bounded:?}");
    }
}

#[test]
fn networks_cost_no_command() {
    let (server, connection) = noon();
    for bounded in Bounded::EACH {
        for (way, call) in ways() {
            let costs = [".a", ".a.b.c"].map(|networks| {
                server.command(&["FLUSHALL"]);
                let of = |who: &str| format!("{who}{networks}");
                for warm in [vec![of("1")], vec![of("2")], vec![of("6"), of("7")]] {
                    bounded.outcomes(&call, &connection, 9, &warm);
                }
                // One who is new, one who is not, and several.
                [vec![of("3")], vec![of("3")], vec![of("3"), of("4"), of("5")]].map(|visitors| {
                    server.command(&["CONFIG", "RESETSTAT"]);
                    bounded.outcomes(&call, &connection, 9, &visitors);
                    calls(&server)
                })
            });
            assert_eq!(costs[0], costs[1], "{bounded:?} {way}");
        }
    }
}
