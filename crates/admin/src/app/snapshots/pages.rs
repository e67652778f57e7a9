//! All members of a window, for `snapshot = "all"`.

use std::collections::HashMap;
use std::rc::Rc;

use engine::store::Store;
use engine::store::members::Member;
use ranking::name::Id;
use ranking::page::{Entry, Page, Previous};
use ranking::read::PeriodRef;
use ranking::score::Score;
use ranking::site::{Board, Ranking, Site, Snapshot};
use serve::app::ports::Runtime;

use super::Snapshots;

/// About so many members are read at once, and exactly so many stand on a page.
pub(super) const PAGE: u32 = 1_000;
/// How often the members are read anew, when a period ends or Redis restarts meanwhile.
const TRIES: u32 = 2;

impl<R: Runtime> Snapshots<'_, R> {
    /// Completes the first page of a window with all others, each where its score puts it at the instant when it was read. Redis is asked
    /// for some at a time, so that nobody waits for it, and goes on counting meanwhile: who is on the board all the while is there once.
    pub(super) async fn fill_page(
        &self,
        store: &Store<'_, R::Transport, R>,
        site: &Rc<Site>,
        of: &PeriodRef,
        page: &mut Page,
        until_ms: u64,
    ) -> Result<(), String> {
        for _ in 0..TRIES {
            if let Some((members, scale)) = self.all_members(store, site, of, until_ms).await? {
                page.entries.truncate(usize::try_from(page.pinned).unwrap_or(usize::MAX));
                rank(&of.board, page, members, scale);
                return Ok(());
            }
        }
        Err("the period ended, or Redis restarted, while its members were read".into())
    }

    /// Those behind the pinned ones, in no order, each once. `None` where reading has to begin anew.
    async fn all_members(
        &self,
        store: &Store<'_, R::Transport, R>,
        site: &Rc<Site>,
        of: &PeriodRef,
        until_ms: u64,
    ) -> Result<Option<(Vec<Member>, Score)>, String> {
        let (mut met, mut scale, mut place) = (HashMap::<Id, Member>::new(), None, String::new());
        loop {
            let read = store.members(site, of, &place, PAGE).await.map_err(|error| error.to_string())?;
            let Some(read) = read else { return Ok(None) };
            // Scores that fade are all shown as of one instant.
            let scale = *scale.get_or_insert(read.scale);
            met.extend(read.members.into_iter().map(|member| (member.id.clone(), member)));
            if met.len() > Snapshot::MOST as usize {
                return Err(format!("it has more than {} members", Snapshot::MOST));
            }
            let Some(next) = read.place else { return Ok(Some((met.into_values().collect(), scale))) };
            place = next;
            if self.clock.clock_ms() >= until_ms {
                return Err("the run had no time for all members".into());
            }
        }
    }
}

/// Puts members behind the pinned ones, best first.
fn rank(board: &Board, page: &mut Page, mut members: Vec<Member>, scale: Score) {
    members.sort_unstable_by(|one, other| other.order.value().total_cmp(&one.order.value()).then_with(|| other.id.cmp(&one.id)));
    let (mut rank, mut last) = (page.pinned, None);
    for (at, Member { id, score, meta, .. }) in (page.pinned + 1..).zip(members) {
        let is_new = last.replace(score) != Some(score);
        match board.ranking {
            Ranking::Ordinal => rank = at,
            Ranking::Competition if is_new => rank = at,
            Ranking::Dense if is_new => rank += 1,
            Ranking::Competition | Ranking::Dense => {}
        }
        let score = board.shown(Score::new(score.value() * scale.value()).unwrap_or(score));
        page.entries.push(Entry { rank, id, score, meta, previous: Previous::Unknown, tally: String::new() });
    }
    page.total = page.entries.len() as u64;
}
