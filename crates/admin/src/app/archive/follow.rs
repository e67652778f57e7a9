//! Giving the archive of a period what changed in Redis since: late events and undos, what was revoked, and who was removed.
//!
//! Scripts note the members that change in a period that is archived, with their scores before that (`lua/lib/behind.lua`). Where Redis
//! names the revision of the
//! manifest, it has the period whole, and members are assigned what they had when the notes were taken. Else Redis lost something, and they
//! get what came since the manifest was written.
//!
//! Either can be repeated after a run that was killed: the assignment writes the same, and the addition finds nothing after the
//! new instant.

use std::collections::{BTreeMap, BTreeSet};

use engine::store::archive::{Behind, BehindList, Member, Noted, Notes, Step};
use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use ranking::window::Unit;
use serve::app::ports::Runtime;

use super::amend::{CORRECTED, Changed, rounded};
use super::job::{Job, value, whole};
use super::manifest::{Manifest, Place};
use super::read::Reader;
use super::run::Run;
use super::{Archive, ArchiveError, tally};
use crate::app::copies::following::{BehindPeriod, Following, Why};

/// Members that one call of Redis answers.
const CHUNK: u32 = 1_000;
/// Parts that one run writes, at most, of the periods of a site that were archived before. Where more of one period change, all of it is archived
/// anew, so many parts a run.
pub(super) const PARTS: usize = 50;

/// Periods of a board that are listed as behind, at most.
const LISTED: usize = 1_000;

/// The name of the note that the archive of a period is behind, as `behind:day:20777`: since when (Unix milliseconds), and why.
const BEHIND: &str = "behind:";

/// A period whose archive is behind.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lag {
    pub period: Period,
    /// Unix milliseconds.
    pub since_ms: i64,
    pub why: Why,
    /// Whether Redis had nothing of the period before.
    pub is_anew: bool,
}

impl Following {
    /// What the notes say, when they were read. `known` is when some of the periods begin.
    pub(super) fn of(run: &Run<'_>, notes: &Notes, known: &[(Period, i64)], now_ms: i64) -> Self {
        let (mut lags, week) = (lags_of(notes), run.site.week_starts_on);
        if let Some((job, _)) = Job::read(notes)
            && let (Some(period), Some((why, since_ms))) = (job.period(), job.follows)
        {
            lags.retain(|lag| lag.period != period);
            lags.push(Lag { period, since_ms, why, is_anew: false });
        }
        lags.sort_by_key(|lag| (std::cmp::Reverse(lag.why), lag.since_ms));
        let behind = |Lag { period, since_ms, why, .. }: Lag| {
            let starts_at = known.iter().find(|(known, _)| *known == period).map(|(_, starts_at)| *starts_at);
            let id = period.id(starts_at.or_else(|| period.about(week)), week)?;
            Some(BehindPeriod { unit: period.unit.name().to_owned(), period: id, since_ms, why })
        };
        Self { until_ms: now_ms, behind: lags.into_iter().filter_map(behind).take(LISTED).collect() }
    }
}

/// The members that are noted.
pub(super) enum Lagging {
    Members(Vec<Behind>),
    /// More than were asked for.
    Many,
    /// Redis has the period no more.
    Missing,
}

/// What became of following.
pub(super) enum Followed {
    Done,
    /// It takes so much that all of the period is to be archived anew.
    Much,
    /// It takes more than the run may still write.
    Later,
}

/// The periods whose archives are behind, the most urgent first.
pub(super) fn lags_of(notes: &Notes) -> Vec<Lag> {
    let lag = |(name, message): &(String, String)| {
        let (unit, number) = name.strip_prefix(BEHIND)?.split_once(':')?;
        let unit = Unit::COUNTED.into_iter().find(|known| known.name() == unit)?;
        let mut words = message.split(' ');
        let (since_ms, why, anew) = (words.next()?.parse().ok()?, words.next()?, words.next());
        let why = match why {
            "erased" => Why::Erased,
            "revoked" => Why::Revoked,
            _ => Why::Counted,
        };
        Some(Lag { period: Period { unit, number: number.parse().ok()? }, since_ms, why, is_anew: anew.is_some() })
    };
    let mut lags: Vec<Lag> = notes.iter().filter_map(lag).collect();
    lags.sort_by_key(|lag| (std::cmp::Reverse(lag.why), lag.since_ms));
    lags
}

/// Whether Redis names a revision in the note of a period that it has whole. While a manifest is being written, it names two.
pub(super) fn names(note: Option<&str>, revision: &str) -> bool {
    note.is_some_and(|note| note.split(' ').any(|named| named == revision))
}

/// What a member had when it was taken, or at the first of its changes.
fn had(behind: &Behind) -> (f64, &str) {
    changes(&behind.since).next().map_or((behind.member.score.value(), &behind.member.tally), |(_, score, tally)| (score, tally))
}

/// What it got after an instant (Unix microseconds), until it was taken.
fn gained_since(behind: &Behind, at_us: i64) -> (f64, String) {
    let (score, message) = had(behind);
    let mut noted = changes(&behind.taken).chain(changes(&behind.since));
    let (before, reported) = noted.find(|(at, ..)| *at > at_us).map_or((score, message), |(_, before, reported)| (before, reported));
    (rounded(score - before), tally::added(message, &tally::negated(reported)))
}

/// What is noted of a member: when it changed, and what it had until then.
fn changes(noted: &str) -> impl Iterator<Item = (i64, f64, &str)> {
    noted.lines().filter_map(|line| {
        let mut words = line.splitn(3, ' ');
        Some((words.next()?.parse().ok()?, words.next()?.parse().ok()?, words.next().unwrap_or_default()))
    })
}

impl<R: Runtime> Archive<'_, R> {
    /// Gives an archived period what changed in Redis since it was archived.
    ///
    /// 1. Take who is noted.
    /// 2. Assign them what they had then, or add what they got since.
    /// 3. Write the parts that change, and the manifest, under a revision that Redis names before.
    /// 4. Forget who was taken. Where the run ends before, all of it is done again, and changes nothing.
    pub(super) async fn follow(
        &self,
        run: &Run<'_>,
        period: Period,
        place: &Place,
        known: &Manifest,
        note: Option<&str>,
        remaining_parts: &mut usize,
    ) -> Result<Followed, ArchiveError> {
        // 1.
        let until_us = self.files.remember(run, Some(period), Step::Take, &[]).await?.ok_or(ArchiveError::Busy)?.since_us;
        if until_us == 0 {
            return Ok(Followed::Done);
        }
        let is_whole = names(note, &known.job);
        let taken = match self.noted(run, period, true, if is_whole { CORRECTED } else { u64::MAX }).await? {
            Lagging::Members(taken) => taken,
            Lagging::Many => return Ok(Followed::Much),
            Lagging::Missing => {
                self.files.checkpoint(run, period, Step::Follow, &[(whole(period.unit, period.number), String::new())]).await?;
                return Ok(Followed::Done);
            }
        };
        // 2.
        let changed = self.assigned(place, known, taken, (!is_whole).then_some(known.until_us), run.board.breakdown).await?;
        let concerned: BTreeSet<usize> = changed.iter().flat_map(|changed| changed.parts.iter().copied()).collect();
        if concerned.len() > PARTS && is_whole {
            return Ok(Followed::Much);
        }
        if concerned.len() > *remaining_parts {
            return Ok(Followed::Later);
        }
        *remaining_parts -= concerned.len();
        // 3.
        let token = self.new_token();
        let amended = self.amend(place, known, changed, &token).await?;
        let lost_from_us = (!is_whole).then(|| known.whole_until_us());
        self.switch(run, place, known, Manifest { job: token, until_us, lost_from_us, ..amended }, note).await?;
        // 4.
        self.files.checkpoint(run, period, Step::Follow, &[]).await?;
        Ok(Followed::Done)
    }

    /// Whom the archive of a period is behind with: those that were taken, or all that are noted; no more than so many.
    pub(super) async fn noted(&self, run: &Run<'_>, of: Period, taken: bool, most: u64) -> Result<Lagging, ArchiveError> {
        let (mut members, mut from) = (BTreeMap::new(), Some(String::new()));
        while let Some(cursor) = from {
            let BehindList { is_there, members: some, cursor } =
                self.redis.store()?.behind(run.site, run.board, of, taken, &cursor, CHUNK).await?;
            if !is_there {
                return Ok(Lagging::Missing);
            }
            members.extend(some.into_iter().map(|behind| (behind.member.id.clone(), behind)));
            if members.len() as u64 > most {
                return Ok(Lagging::Many);
            }
            from = cursor;
        }
        Ok(Lagging::Members(members.into_values().collect()))
    }

    /// What becomes of members of an archived period: what they had in Redis, or what they are archived with and what they got `since` an instant
    /// (Unix microseconds).
    pub(super) async fn assigned(
        &self,
        place: &Place,
        known: &Manifest,
        noted: Vec<Behind>,
        since_us: Option<i64>,
        has_tallies: bool,
    ) -> Result<Vec<Changed>, ArchiveError> {
        let ids: Vec<Id> = noted.iter().map(|behind| behind.member.id.clone()).collect();
        let found = Reader::new(&self.files, place.clone(), known.clone()).find_all(&ids).await?;
        let tallied = known.tallied && has_tallies;
        let changed = noted.into_iter().zip(found).filter_map(|(behind, (parts, own))| {
            let (score, tally) = match since_us {
                None => (had(&behind).0, had(&behind).1.to_owned()),
                Some(at_us) => {
                    let (more, reported) = gained_since(&behind, at_us);
                    let (had, message) = own.as_ref().map_or((0.0, ""), |own| (own.score.value(), &own.tally));
                    (rounded(had + more), tally::added(message, &reported))
                }
            };
            let tally = if tallied { tally } else { String::new() };
            let score = Score::new(score).filter(|score| score.value() != 0.0);
            let id = behind.member.id;
            let into = score.map(|score| Member { id: id.clone(), score, tally });
            (into.is_some() || !parts.is_empty()).then_some(Changed { id, parts, into })
        });
        Ok(changed.collect())
    }

    /// Writes a manifest over the one that is known. Where Redis has the period whole, it names the new revision before that is there, and no other
    /// afterwards.
    pub(super) async fn switch(
        &self,
        run: &Run<'_>,
        place: &Place,
        known: &Manifest,
        amended: Manifest,
        note: Option<&str>,
    ) -> Result<(), ArchiveError> {
        let name = place.unit().filter(|_| names(note, &known.job)).map(|unit| whole(unit, known.number));
        if let Some(name) = &name {
            self.files.note_held(run, &[(name.clone(), format!("{} {}", known.job, amended.job))]).await?;
        }
        self.files.put_manifest(run, place, &amended).await?;
        if let Some(name) = name {
            self.files.note_held(run, &[(name, amended.job)]).await?;
        }
        Ok(())
    }

    /// Writes a manifest over the one that is known, whatever Redis has of the period.
    pub(super) async fn switch_any(&self, run: &Run<'_>, place: &Place, known: &Manifest, amended: Manifest) -> Result<(), ArchiveError> {
        let Noted { notes, .. } = self.files.remember(run, None, Step::Look, &[]).await?.ok_or(ArchiveError::Busy)?;
        let noted = place.unit().and_then(|unit| value(&notes, &whole(unit, known.number)));
        // A job that ended behind its manifest did not note it yet.
        let is_own = Job::read(&notes).is_some_and(|(job, _)| job.token == known.job);
        let note = if is_own { Some(&*known.job) } else { noted };
        self.switch(run, place, known, Manifest { job: self.new_token(), ..amended }, note).await
    }

    /// No two writers have the same.
    pub(super) fn new_token(&self) -> String {
        self.random.token().chars().filter(char::is_ascii_alphanumeric).take(16).collect()
    }
}
