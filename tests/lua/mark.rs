//! The mark of a board only grows, and a board that lost something says since when it counts.

use engine::store::mark::{Mark, Marking, Seen};
use pollster::block_on;
use serde_json::json;

use crate::call::{NOON_MS, NOON_S};
use crate::deployment::{BOARD, Deployment};

const HOUR_S: i64 = 3600;
const RAISE: Marking = Marking::Raise { every_s: 3600 };

fn start() -> Deployment {
    let windows = ["hour", "day", "all", "last-7-days"];
    let site = json!({ "actions": { "view": {} }, "boards": { BOARD: { "weights": { "view": 1 }, "windows": windows } } });
    Deployment::start(&site, NOON_MS)
}

fn view(deployment: &Deployment) {
    deployment.put(&[json!({ "action": "view", "item": "a" })]);
}

/// The mark that the board has then: its number, and when it was raised, in seconds since noon.
fn mark(deployment: &Deployment, marking: Marking, above: i64) -> (i64, i64) {
    let board = &deployment.site().boards.values().next().expect("a board");
    let Mark { number, at } = block_on(deployment.store().mark(deployment.site(), board, marking, above)).expect("redis answers");
    (number, if at == 0 { 0 } else { at - NOON_S })
}

fn seen(deployment: &Deployment) -> Seen {
    let board = &**deployment.site().boards.values().next().expect("a board");
    let (now_s, seen) = block_on(deployment.store().marks(deployment.site(), &[board])).expect("redis answers");
    assert_eq!(now_s, deployment.now_ms() / 1000);
    *seen[0].as_ref().expect("the board answers")
}

#[test]
fn it_is_raised_once_an_hour_and_never_lowered() {
    let deployment = start();
    assert_eq!(seen(&deployment), Seen::default());
    view(&deployment);
    assert_eq!((seen(&deployment).mark, seen(&deployment).changed_at()), (None, Some(NOON_S)));
    assert_eq!(mark(&deployment, RAISE, 0), (1, 0));
    assert_eq!(seen(&deployment).mark, Some(Mark { number: 1, at: NOON_S }));
    deployment.advance((HOUR_S - 1) * 1000);
    assert_eq!(mark(&deployment, RAISE, 1), (1, 0));
    deployment.advance(1000);
    assert_eq!(mark(&deployment, RAISE, 1), (2, HOUR_S));
    // Somebody who read long ago what is known beside Redis.
    deployment.advance(HOUR_S * 1000);
    assert_eq!(mark(&deployment, RAISE, 0), (3, 2 * HOUR_S));
    // A clock that went back: its instants are none of the future.
    deployment.advance(-3 * HOUR_S * 1000);
    assert_eq!(mark(&deployment, RAISE, 3), (4, -HOUR_S));
    assert_eq!(mark(&deployment, Marking::Settle, 70), (71, -HOUR_S));
}

#[test]
fn a_loss_is_reported_until_it_is_settled() {
    for (marking, expected) in [(Marking::Lost, 60), (Marking::Behind, 600)] {
        let deployment = start();
        let since = |window: &str| deployment.read(BOARD, window, None).info.counted_since.map(|at| at - NOON_S);
        deployment.advance(60_000);
        view(&deployment);
        deployment.advance(540_000);
        assert_eq!(mark(&deployment, marking, 9), (0, 0), "it is not raised");
        for window in ["hour", "day", "all", "last-7-days"] {
            assert_eq!(since(window), Some(expected), "{marking:?} {window}");
        }
        // Noted again, it stays as it was.
        deployment.advance(HOUR_S * 1000);
        mark(&deployment, marking, 9);
        view(&deployment);
        assert_eq!((since("hour"), since("day")), (None, Some(expected)), "{marking:?}");
        assert_eq!(mark(&deployment, Marking::Settle, 9), (10, HOUR_S + 600));
        assert_eq!(since("all"), None);
    }
}
