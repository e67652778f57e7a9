//! Wrong tokens: how many an address may show, and that nobody is locked out by those of others.

use std::hash::{DefaultHasher, Hash, Hasher};

use admin::api;
use http::Response;
use ranking::address::Address;
use ranking::token::{Right, Tokens};
use serde_json::json;

use crate::world::{Answer, World, body, header, post};

const LONG: &str = "sixteen-letters.";
const SHORT: &str = "fifteen-letters";
const MAX_WRONG: usize = 20;

/// A sender, and two addresses that share both of its counts in a sketch without a secret: one where counts are of addresses as they are
/// written, one where they are of networks. Ten and fifteen million tries found them, in two seconds each.
const SENDER: &str = "192.0.2.1";
const BESIDE_TEXT: &str = "10.151.241.33";
const BESIDE_NETWORK: &str = "10.230.82.137";

fn tokens(texts: &[&str]) -> Tokens {
    let mut tokens = Tokens::default();
    for text in texts {
        tokens.grant(Right::Write, None, text);
    }
    tokens
}

fn show(world: &World, tokens: &Tokens, token: &str, address: &str) -> Answer {
    let mut request = post("/v1/demo/events", &json!({ "action": "view", "item": "/posts/1" }));
    for (name, value) in [("authorization", &*format!("Bearer {token}")), ("cf-connecting-ip", address)] {
        request.headers_mut().insert(name, value.parse().expect("a header"));
    }
    world.runtime.run(vec![Box::pin(api::handle(&world.app, tokens, request))]).pop().expect("one answer")
}

fn statuses(answers: impl IntoIterator<Item = Answer>) -> Vec<u16> {
    answers.into_iter().map(|answer: Response<_>| answer.status().as_u16()).collect()
}

/// Where the counts of a key are without a secret.
fn places(key: &impl Hash) -> [u64; 2] {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    [hasher.finish(), hasher.finish() >> 32].map(|bits| bits & 2_047)
}

#[test]
fn nobody_is_locked_out_from_an_address_that_was_sought() {
    let network = |address| Address::parse(address).map(Address::network);
    assert_eq!(places(&SENDER), places(&BESIDE_TEXT));
    assert_eq!(places(&network(SENDER)), places(&network(BESIDE_NETWORK)));
    let (world, tokens) = (World::noon(), tokens(&[SHORT]));
    for beside in [BESIDE_TEXT, BESIDE_NETWORK] {
        let guesses = (0..=MAX_WRONG).map(|_| show(&world, &tokens, "guess", beside));
        assert_eq!(statuses(guesses), [vec![401; MAX_WRONG], vec![429]].concat());
        assert_eq!(statuses([show(&world, &tokens, "guess", SENDER), show(&world, &tokens, SHORT, SENDER)]), [401, 200]);
    }
}

/// As where others try from the address that a sender shares with them.
#[test]
fn a_right_token_passes_though_its_address_is_over() {
    for (texts, right, status) in [
        (vec![LONG], LONG, 200),
        (vec![LONG, "another-of-sixteen"], LONG, 200),
        // It could be found by trying, and so nobody may go on trying.
        (vec![SHORT], SHORT, 429),
        (vec![LONG, SHORT], SHORT, 429),
        (vec![LONG, SHORT], LONG, 429),
    ] {
        let (world, tokens) = (World::noon(), tokens(&texts));
        for _ in 0..MAX_WRONG {
            show(&world, &tokens, "guess", SENDER);
        }
        let [wrong, right] = ["guess", right].map(|token| show(&world, &tokens, token, SENDER));
        assert_eq!((wrong.status().as_u16(), right.status().as_u16()), (429, status), "{texts:?}");
        assert_eq!((&body(&wrong)["code"], header(&wrong, "retry-after")), (&json!("too-many-attempts"), "60"));
    }
}

#[test]
fn a_network_counts_as_one_address() {
    for (one, other, status) in [
        ("2001:db8::1", "2001:db8::ffff:1", 429),
        ("2001:db8::1", "2001:db8:0:1::1", 401),
        ("192.0.2.1", "::ffff:192.0.2.1", 429),
        ("192.0.2.1", "192.0.2.2", 401),
    ] {
        let (world, tokens) = (World::noon(), tokens(&[LONG]));
        for _ in 0..MAX_WRONG {
            show(&world, &tokens, "guess", one);
        }
        assert_eq!(show(&world, &tokens, "guess", other).status(), status, "{one} and {other}");
    }
}
