//! The ranks of scores, the scores of ranks, and the next higher score, as a page of everybody tells them.

use ranking::page::{Entry, Page};
use ranking::standing::Place;

use super::*;

/// Fewer than a page holds. Ten have each score, some of whom are hidden or pinned.
const MEMBERS: u32 = 900;
const SCORES: u32 = 90;

fn place(boards: &Boards, board: &str, window: &str, by: Asked) -> Place {
    match boards.read(&boards.connection, board, window, None, &|of| Read::Place { of, by }) {
        ReadReply::Place(place) => place,
        other => panic!("{other:?}"),
    }
}

/// The members behind the pinned ones, whom scores order.
fn by_score(page: &Page) -> &[Entry] {
    &page.entries[usize::try_from(page.pinned).expect("few")..]
}

/// The rank of who reaches a score now: behind all that have as much where the first one to have it stands first.
fn expected_rank(page: &Page, (ranking, ties): Kind, score: Score) -> u64 {
    let before = |is_before: &dyn Fn(Score) -> bool| by_score(page).iter().filter(|entry| is_before(entry.score)).count() as u64;
    let mut higher: Vec<Score> = by_score(page).iter().map(|entry| entry.score).filter(|other| *other > score).collect();
    higher.dedup();
    page.pinned
        + 1
        + match ranking {
            Ranking::Dense => higher.len() as u64,
            Ranking::Ordinal if ties == "first" => before(&|other| other >= score),
            Ranking::Ordinal | Ranking::Competition => before(&|other| other > score),
        }
}

/// Dense ranks name distinct scores; the others are places.
fn expected_score(page: &Page, (ranking, _): Kind, rank: u64) -> Option<Score> {
    let mut scores: Vec<Score> = by_score(page).iter().map(|entry| entry.score).collect();
    if ranking == Ranking::Dense {
        scores.dedup();
    }
    let at = usize::try_from(rank.checked_sub(page.pinned + 1)?).expect("few");
    scores.get(at).copied()
}

#[test]
fn places_are_those_of_a_page() {
    let boards = Boards::new(&KINDS, MEMBERS, SCORES);
    for kind in KINDS {
        let board = name(kind);
        for window in WINDOWS.iter().filter(|window| boards.site().boards[&board].window(window).is_some()) {
            let of = |offset| period_ref(boards.site(), &board, boards.site().boards[&board].window(window).expect("it has"), offset);
            let page = page(&store(&boards.connection, &boards.zones, NOON_S), boards.site(), of(None), [0, LIMIT]);
            crate::distribution::check(&store(&boards.connection, &boards.zones, NOON_S), boards.site(), &of(None), &page);
            for rank in (1..=60).chain(860..=MEMBERS.into()) {
                let found = place(&boards, &board, window, Asked::Rank(rank));
                assert_eq!((found.score, found.total), (expected_score(&page, kind, rank), page.total), "{board}/{window}: rank {rank}");
            }
            let mut scores: Vec<Score> = by_score(&page).iter().map(|entry| entry.score).collect();
            scores.dedup();
            for pair in scores.windows(2) {
                let higher = Score::new(f64::midpoint(pair[0].value(), pair[1].value())).expect("finite");
                let asked = if page.info.scored_at_ms.is_none() && ["day", "all", "last-7-days"].contains(window) {
                    &[pair[1], higher][..]
                } else {
                    &[higher]
                };
                for score in asked {
                    let rank = place(&boards, &board, window, Asked::Score(*score)).rank;
                    assert_eq!(rank, Some(expected_rank(&page, kind, *score)), "{board}/{window}: score {score}");
                }
            }
            assert_eq!(place(&boards, &board, window, Asked::Score(Score::ZERO)).rank, None, "{board}/{window}: of nothing");
            for entry in by_score(&page).iter().step_by(37).chain(&page.entries[..2]) {
                let read = |of| Read::Member { of, id: entry.id.clone(), around: 0 };
                let ReadReply::Standings(standings) = boards.read(&boards.connection, &board, window, None, &read) else {
                    panic!("standings")
                };
                let is_pinned = page.entries.iter().position(|other| other.id == entry.id) < usize::try_from(page.pinned).ok();
                let higher = by_score(&page).iter().map(|other| other.score).take_while(|score| *score > entry.score).last();
                assert_eq!(standings.next_score, higher.filter(|_| !is_pinned), "{board}/{window}: above {:?}", entry.id);
            }
        }
    }
}
