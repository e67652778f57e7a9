//! Putting back what an export has.

use std::rc::Rc;

use engine::store::archive::{Member, Step as Noting};
use engine::store::curate::{Change, List};
use engine::store::keep_off::Whom;
use engine::store::restore::{Outcome, Remembered, Restored, Step};
use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::site::{Board, Site};
use serve::app::failure::Failure;
use serve::app::ports::Runtime;

use super::{Members, Moving, units_of};

/// The owner of what an import puts aside. Two imports of one board come apart by what is remembered of the period.
const OWNER: &str = "import";
/// What is remembered of a period begins so, then its unit, its number, and how many of its members lie aside.
const JOB: &str = "import ";
/// The names of the notes of periods that were put back.
const PUT: &str = "imported:";
/// The number of a period tells its beginning within so many seconds.
const ABOUT_S: i64 = 2 * 86_400;

/// Why a line was not put back.
#[derive(Debug)]
pub enum NotPut {
    /// For people: what is wrong with it.
    Line(String),
    /// Another run writes the periods of the board.
    Busy,
    Failed(Failure),
}

impl<R: Runtime> Moving<'_, R> {
    /// Puts some members of a period aside, and with the last ones the period in its place. `false`: it has members that are not of this import, or was
    /// put back before, and stays as it is.
    ///
    /// # Errors
    /// Why not. Doing it again does no harm.
    pub async fn put_members(&self, site: &Site, of: Members) -> Result<bool, NotPut> {
        let line = |detail: &str| NotPut::Line(detail.into());
        let board = self.board_of(site, &of.board).await?;
        let unit = units_of(&board).find(|unit| unit.name() == of.unit);
        let unit = unit.ok_or_else(|| NotPut::Line(format!("the board {} counts no periods of unit {:?}", of.board, of.unit)))?;
        let period = Period { unit, number: of.number };
        let about = period.about(site.week_starts_on).unwrap_or_default();
        let has_tallies = !of.tallies.is_empty();
        if of.scores.len() != of.ids.len() || has_tallies && of.tallies.len() != of.ids.len() || of.ids.len() > super::MOST_MEMBERS {
            return Err(NotPut::Line(format!("ids, scores and tallies are not alike, or of more than {} members", super::MOST_MEMBERS)));
        }
        let failed = |error: engine::adapter::Error| NotPut::Failed(Failure::of_write(&error));
        let store = self.redis.store().map_err(failed)?;
        let noted = store.archive(site, &board, OWNER, period, Noting::Look, &[]).await.map_err(failed)?.ok_or(NotPut::Busy)?;
        let note_of = |name: &str| noted.notes.iter().find(|(known, _)| known == name).map(|(_, text)| text.as_str());
        let name = format!("{}:{}", unit.code(), of.number);
        let put = format!("{PUT}{name}");
        if note_of(&put).is_some() {
            return Ok(false);
        }
        let job = note_of("restore").unwrap_or_default();
        if !job.is_empty() && !job.starts_with(JOB) {
            return Err(NotPut::Busy);
        }
        let job_of = |added: u64| format!("{JOB}{name} {added}");
        let behind = of.first + of.ids.len() as u64;
        let added = job.strip_prefix(&format!("{JOB}{name} ")).and_then(|added| added.parse::<u64>().ok());
        let is_added = of.first > 0 && added.is_some_and(|added| added >= behind);
        if of.first > 0 && !is_added && added != Some(of.first) {
            return Err(line("the members before it are not there; allowed: all lines of a period, in their order"));
        }
        let restored = Restored {
            period,
            is_closed: true,
            starts_at: about,
            kept_until: match board.stored_s(unit, board.kept_s(unit)) {
                0 => 0,
                stored_s => (about + ABOUT_S).saturating_add_unsigned(unit.needed_s(1) + stored_s),
            },
        };
        let mut before = job.to_owned();
        if !is_added {
            let mut tallies = of.tallies.into_iter();
            let member = |(id, score): (&String, Score)| {
                Some(Member { id: Id::kept(id)?, score: board.stored(score)?, tally: tallies.next().unwrap_or_default() })
            };
            let members: Option<Vec<Member>> = of.ids.iter().zip(of.scores).map(member).collect();
            let members = members.ok_or_else(|| line("ids or scores have something that the board cannot have"))?;
            let (step, after) = (Step::Add { members: &members, added: of.first, total: of.total }, job_of(behind));
            let remembered = Remembered { owner: OWNER, before: &before, after: &after };
            match if members.is_empty() {
                Outcome::Done(0)
            } else {
                store.restore(site, &board, restored, step, remembered).await.map_err(failed)?
            } {
                Outcome::Done(_) => before = after,
                Outcome::Busy => return Err(NotPut::Busy),
                Outcome::Lost | Outcome::Changed => {
                    return Err(line("what was put aside of the period is gone; allowed: its lines from the first one on"));
                }
            }
        }
        if !of.last {
            return Ok(true);
        }
        let total = of.total.max(behind);
        let step = Step::Put { note: &put, noted: &total.to_string(), total };
        let remembered = Remembered { owner: OWNER, before: &before, after: "" };
        let outcome = store.restore(site, &board, restored, step, remembered).await.map_err(failed)?;
        match outcome {
            Outcome::Done(_) => {
                self.templates.enter_changed(site, &board).await;
                Ok(true)
            }
            Outcome::Changed => Ok(false),
            Outcome::Busy | Outcome::Lost => Err(NotPut::Busy),
        }
    }

    /// Has a board hide members, or pin them.
    ///
    /// # Errors
    /// Why not; some may be done. Doing it again does no harm.
    pub async fn put_list(&self, site: &Site, board: &str, list: List, ids: &[Id]) -> Result<(), NotPut> {
        let board = self.board_of(site, board).await?;
        for id in ids {
            let room = self.corrections.curate(site, &board, list, Change::Put(id)).await.map_err(NotPut::Failed)?;
            if room.is_none() {
                return Err(NotPut::Line(format!(
                    "the board {} has {} {} members, which is all it may have",
                    board.name,
                    list.max_size(),
                    list.name()
                )));
            }
        }
        Ok(())
    }

    /// Keeps members off a board.
    ///
    /// # Errors
    /// Why not; some may be done. Doing it again does no harm.
    pub async fn put_kept_off(&self, site: &Site, board: &str, whom: &[Whom]) -> Result<(), NotPut> {
        let board = self.board_of(site, board).await?;
        for whom in whom {
            let kept = self.redis.repeat(async |store| store.keep_off(site, &board, whom, true).await).await;
            if !kept.map_err(|error| NotPut::Failed(Failure::of_write(&error)))? {
                return Err(NotPut::Line(format!("the board {} keeps off as many as it may", board.name)));
            }
        }
        Ok(())
    }

    async fn board_of(&self, site: &Site, name: &str) -> Result<Rc<Board>, NotPut> {
        let found = self.board(site, name).await.map_err(NotPut::Failed)?;
        found.map(|(_, board)| board).ok_or_else(|| NotPut::Line(format!("the site {} has no board {name:?}", site.name)))
    }
}
