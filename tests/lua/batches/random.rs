//! Random options of boards, and random batches.

use proptest::prelude::*;
use ranking::window::Unit;

use super::{Batch, ByHand, DAY_S, EventId, HOUR_S, Options, PLACES, Sender, Sent, When};

/// A board's options.
pub(super) fn options() -> impl Strategy<Value = Options> {
    let once = prop::option::of(prop::sample::select(vec![Unit::Hour, Unit::Day, Unit::Week, Unit::Month, Unit::All]));
    let first = (prop::sample::select(PLACES.to_vec()), 0..4_u8, prop::option::of(any::<bool>()), any::<bool>(), any::<bool>());
    let second = (
        once,
        prop::bool::weighted(0.3),
        any::<bool>(),
        prop::option::weighted(0.4, (1..5_u8, any::<bool>())),
        prop::option::weighted(0.45, (1..4_u8, prop::bool::weighted(0.3))),
        0..3_u8,
    );
    (first, second).prop_map(|((place, windows, ties, dense, breakdown), (once, actors, activity, bound, browsers, per_address))| Options {
        place,
        windows,
        ties,
        dense,
        breakdown,
        once,
        actors,
        activity,
        max_members: bound.map(|(max_members, _)| max_members),
        bounds_differ: bound.is_some_and(|(_, differ)| differ),
        browsers,
        visitors_per_address: per_address,
    })
}

/// An event.
fn sent() -> impl Strategy<Value = Sent> {
    let who = prop_oneof![
        2 => Just(Sender::Nobody),
        4 => (0..4_u8).prop_map(Sender::Actor),
        1 => (0..3_u8).prop_map(Sender::Visitor),
        2 => (3..35_u8).prop_map(Sender::Visitor),
    ];
    let ago_s = || prop_oneof![3 => 0..120_i64, 4 => 0..5 * HOUR_S, 4 => 0..5 * DAY_S, 2 => 0..70 * DAY_S, 1 => 0..400 * DAY_S];
    let when = prop_oneof![
        5 => Just(When::Now),
        3 => ago_s().prop_map(When::Ago),
        2 => ago_s().prop_map(|ago_s| When::At(-ago_s)),
        1 => (1..HOUR_S).prop_map(When::At),
    ];
    let action = prop_oneof![3 => Just(0_u8), 4 => 1..4_u8, 4 => 0..7_u8];
    let id =
        prop_oneof![4 => (0..8_u8).prop_map(EventId::Own), 1 => (0..6_u8, 0..4_u8).prop_map(|(batch, place)| EventId::Of(batch, place))];
    let seq = prop::option::weighted(0.6, 1..12_u8);
    let count = prop_oneof![6 => Just(1_u32), 2 => 2..5_u32, 1 => Just(60_u32)];
    (action, 0..6_u8, who, when, prop::bool::weighted(0.4), count, seq, prop::option::weighted(0.25, id))
        .prop_map(|(action, item, who, when, undo, count, seq, id)| Sent { action, item, who, when, undo, count, seq, id })
}

/// A batch, and how long after the last one it comes.
pub(super) fn batch() -> impl Strategy<Value = Batch> {
    let after_s = prop_oneof![4 => 0..60_i64, 4 => 0..3 * HOUR_S, 2 => 0..3 * DAY_S, 1 => 0..20 * DAY_S];
    let size = prop_oneof![2 => 1..2_usize, 3 => 1..12_usize, 1 => 12..40_usize];
    let events = size.prop_flat_map(|size| prop::collection::vec(sent(), size));
    let id = prop::option::weighted(0.4, 0..6_u8);
    let (member, keep_off) = (prop::option::weighted(0.8, 0..6_u8), any::<bool>());
    let remove = (member, any::<bool>(), keep_off).prop_map(|(member, is_prefix, keep_off)| ByHand::Remove { member, is_prefix, keep_off });
    let reset = prop::option::weighted(0.7, 0..12_u8).prop_map(ByHand::Reset);
    let by_hand = prop::option::weighted(0.2, prop_oneof![2 => remove, 1 => Just(ByHand::LetIn), 3 => reset]);
    (after_s, id, prop::option::weighted(0.3, any::<bool>()), events, prop::bool::weighted(0.6), by_hand)
        .prop_map(|(after_s, id, part, events, upkeep, by_hand)| Batch { after_s, id, part, events, upkeep, by_hand })
}
