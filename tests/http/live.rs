//! Live rankings: what the edge is told of who asks for which.

use crate::world::{World, body, get, header};

/// `Edgeboard-Live` of an address, for who has this address.
fn watched(world: &World, path: &str, address: &str) -> String {
    let mut request = get(path);
    request.headers_mut().insert("cf-connecting-ip", address.parse().expect("a header"));
    let answer = world.answer(request);
    assert_eq!((answer.status().as_u16(), &body(&answer)["code"]), (426, &"upgrade-required".into()), "{path}");
    header(&answer, "edgeboard-live").into()
}

#[test]
fn a_ranking_has_one_address_for_each_of_a_few_limits() {
    let world = World::noon();
    for (path, expected) in [
        ("articles/day/live", "articles/day/live"),
        ("articles/day/live?", "articles/day/live"),
        ("articles/day/live?&&&", "articles/day/live"),
        ("articles/day/live?limit=1", "articles/day/live"),
        ("articles/day/live?limit=02", "articles/day/live"),
        ("articles/day/live?%6cimit=%31", "articles/day/live"),
        ("articles/day/live?limit=10&details=0", "articles/day/live"),
        ("%61rticles/d%61y/live", "articles/day/live"),
        ("articles/day/live?limit=11", "articles/day/live?limit=30"),
        ("articles/day/live?limit=30", "articles/day/live?limit=30"),
        ("articles/day/live?limit=31", "articles/day/live?limit=100"),
        ("articles/day/live?details=1&limit=100", "articles/day/live?limit=100&details=1"),
        ("articles/day/live?limit=9&&details=1", "articles/day/live?details=1"),
        ("hours/hour/live?limit=11", "hours/hour/live?limit=20"),
        ("hours/hour/live?limit=20", "hours/hour/live?limit=20"),
        ("talk/last-3-hours/live?limit=2", "talk/last-3-hours/live"),
        ("talk/last-3-hours/live?limit=4", "talk/last-3-hours/live"),
    ] {
        let reported = watched(&world, &format!("/v1/demo/boards/{path}"), "192.0.2.1");
        assert_eq!(reported, format!("ffffc0000201 /v1/demo/boards/{expected}"), "{path}");
    }
}

#[test]
fn who_asks_is_a_network() {
    let world = World::noon();
    for (address, network) in [
        ("192.0.2.1", "ffffc0000201"),
        ("::ffff:192.0.2.1", "ffffc0000201"),
        ("2001:db8::1", "20010db800000000"),
        ("2001:db8::ffff:0:0:2", "20010db800000000"),
        ("nobody", "-"),
    ] {
        let reported = watched(&world, "/v1/demo/boards/articles/day/live", address);
        assert_eq!(reported.split(' ').next(), Some(network), "{address}");
    }
}

#[test]
fn wrong_addresses_name_no_ranking() {
    let world = World::noon();
    for (query, code) in [
        ("limit=0", "invalid-parameter"),
        ("limit=101", "invalid-parameter"),
        ("details=2", "invalid-parameter"),
        ("limit=1&limit=1", "repeated-parameter"),
        ("offset=1", "unknown-parameter"),
    ] {
        let answer = world.get(&format!("/v1/demo/boards/articles/day/live?{query}"));
        assert_eq!((&body(&answer)["code"], header(&answer, "edgeboard-live")), (&code.into(), ""), "{query}");
    }
}
