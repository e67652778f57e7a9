//! A Redis that hangs or is slow: who waits for it, and for how long.

use crate::faulty::Mishap;
use crate::rankings::{ASKED, DAY, HIT, MISS, OUT, STALE, UNCHANGED, check, status, view};
use crate::world::{World, entries, get};

/// Where Redis hangs, nobody waits for it who has something to serve, and one request at a time asks it.
#[test]
fn a_redis_that_hangs_keeps_nobody_from_an_old_ranking() {
    let world = World::noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.pass_ms(20_000);
    world.runtime.set_latency_ms(3_000);
    let start_ms = world.runtime.now_ms();
    let answers = world.answers((0..10).map(|_| (&world.app, get(DAY))));
    assert!(answers.iter().all(|answer| status(answer) == OUT));
    assert_eq!(world.runtime.take_sent(), ASKED);
    assert!((200..=210).contains(&(world.runtime.now_ms() - start_ms)), "it was noticed in 200 ms");

    // From then on it is at once.
    for _ in 0..3 {
        let start_ms = world.runtime.now_ms();
        check(&world, DAY, OUT, "a=1", 0);
        assert_eq!(world.runtime.now_ms(), start_ms);
        world.runtime.pass_ms(900);
    }
    // The fetch ended in the background, and what it brought is served.
    view(&world, "a");
    world.runtime.take_sent();
    world.runtime.finish_background();
    check(&world, DAY, STALE, "a=2", 0);
}

/// An answer that takes as long as usual is waited for, however long that is.
#[test]
fn a_slow_redis_is_waited_for() {
    let world = World::noon();
    view(&world, "a");
    world.runtime.set_latency_ms(450);
    for how in [MISS, UNCHANGED, UNCHANGED] {
        check(&world, DAY, how, "a=1", 1);
        world.runtime.pass_ms(20_000);
    }
    // Then it takes longer, and a reader gets what there is.
    world.runtime.set_latency_ms(1_500);
    check(&world, DAY, OUT, "a=1", 1);
    world.runtime.finish_background();
    check(&world, DAY, HIT, "a=1", 0);
    // That is the usual now.
    world.runtime.pass_ms(20_000);
    world.runtime.set_latency_ms(1_400);
    check(&world, DAY, UNCHANGED, "a=1", 1);
}

/// A quiet board's reader, after a failure of long ago, waits for Redis rather than see a ranking of long ago.
#[test]
fn a_failure_is_forgotten() {
    let world = World::noon();
    view(&world, "a");
    check(&world, DAY, MISS, "a=1", 1);
    world.runtime.pass_ms(20_000);
    world.runtime.set_out(true);
    check(&world, DAY, OUT, "a=1", 1);
    world.runtime.set_out(false);
    world.runtime.set_latency_ms(100);
    view(&world, "a");
    world.runtime.take_sent();
    world.runtime.pass_ms(10_000);
    check(&world, DAY, MISS, "a=2", 1);
}

/// A read whose connection is lost at once is tried again once, over another one.
#[test]
fn a_lost_read_is_tried_again() {
    let world = World::noon();
    view(&world, "a");
    world.runtime.let_happen(&[Mishap::After]);
    check(&world, DAY, MISS, "a=1", 2);

    world.runtime.let_happen(&[Mishap::After, Mishap::After]);
    assert_eq!(world.get("/v1/demo/boards/articles/week").status(), 503);
    assert_eq!(world.runtime.take_sent(), ["FCALL_RO top"; 2], "not a third time");

    // Nobody waits twice for one that hangs.
    world.runtime.set_latency_ms(3_000);
    world.runtime.let_happen(&[Mishap::After]);
    assert_eq!(world.get("/v1/demo/boards/articles/month").status(), 503);
    assert_eq!(world.runtime.take_sent(), ["FCALL_RO top"]);
}

/// Requests without anything to serve wait.
#[test]
fn a_slow_redis_keeps_who_has_nothing() {
    let world = World::noon();
    view(&world, "a");
    world.runtime.set_latency_ms(1_500);
    // They ask for themselves after a second.
    let answers = world.answers((0..3).map(|_| (&world.app, get("/v1/demo/boards/articles/week"))));
    assert!(answers.iter().all(|answer| entries(answer) == "a=1"));
    assert_eq!(world.runtime.take_sent().len(), 3);
}
