//! Changing an archived period: late events and undos are added, members are taken out. Only the parts that are concerned are written
//! anew, under other names, so the old ones stay right until the manifest names the new.

use std::collections::{BTreeMap, BTreeSet};

use engine::store::archive::{Member, Step, Stored};
use ranking::name::Id;
use ranking::period::Period;
use ranking::score::Score;
use serve::app::ports::Runtime;

use super::job::Job;
use super::manifest::{Group, LostParts, Manifest, PART, Place, UNINDEXED};
use super::part::{Index, Part, mark_of, stands_higher};
use super::read::Reader;
use super::run::Run;
use super::{Archive, ArchiveError, tally};

/// Members that one correction changes, at most: four scans.
pub(super) const CORRECTED: u64 = 20_000;

/// What becomes of a member.
pub(super) struct Changed {
    pub id: Id,
    /// The parts that have it: one, or none. One that was copied while it changed may be in two.
    pub parts: Vec<usize>,
    /// `None`: it is taken out.
    pub into: Option<Member>,
}

/// What becomes of the members of a part.
#[derive(Default)]
struct Change {
    dropped: BTreeSet<Id>,
    new: Vec<Member>,
}

impl<R: Runtime> Archive<'_, R> {
    /// Adds what came for a period after Redis forgot it. Answers whether all of it is done.
    ///
    /// 1. Read some of what was moved aside, and where these members stand.
    /// 2. Write the parts that change, and what is known of it all. That names the job, so it is not done again where the run ends here.
    /// 3. Have Redis forget what was added.
    pub(super) async fn correct(
        &self,
        run: &Run<'_>,
        job: &mut Job,
        period: Period,
        place: &Place,
        known: &Manifest,
        moved_at_us: i64,
    ) -> Result<bool, ArchiveError> {
        let (mut added, mut from) = (Vec::new(), Some(String::new()));
        while let Some(after) = from.filter(|_| (added.len() as u64) < CORRECTED) {
            let scanned =
                self.redis.read(async |store| store.scan(run.site, run.board, period, Stored::Remaining, &after, PART).await).await?;
            added.extend(scanned.members);
            from = scanned.place;
        }
        let is_all = (added.len() as u64) < CORRECTED;
        if known.job == job.token {
            self.files.sweep(run, place, known).await?;
        } else {
            let reader = Reader::new(&self.files, place.clone(), known.clone());
            let ids: Vec<Id> = added.iter().map(|member| member.id.clone()).collect();
            let found = reader.find(&ids).await?;
            // Where they were not counted from the beginning on, counts by action would be of what came late alone.
            let tallied = known.tallied && run.board.breakdown;
            let summed = added.iter().zip(&found).map(|(more, found)| {
                let (score, message) = found.as_ref().map_or((0.0, ""), |found| (found.score.value(), &found.tally));
                let sum = Score::new(rounded(score + more.score.value())).filter(|sum| sum.value() != 0.0);
                let tally = if tallied { tally::added(message, &more.tally) } else { String::new() };
                let (id, parts) = (more.id.clone(), found.iter().map(|found| found.part).collect());
                Changed { id: id.clone(), parts, into: sum.map(|score| Member { id, score, tally }) }
            });
            let mut amended = self.amend(place, known, summed.collect(), &job.token).await?;
            (amended.job, amended.tallied) = (job.token.clone(), tallied);
            (amended.until_us, amended.lost_from_us) = (moved_at_us, Some(known.whole_until_us()));
            // What clocks archived that were ahead is whole with what came since.
            if !known.is_over(self.clock.edge_ms()) {
                amended.archived_at_ms = known.archived_at_ms.min(self.clock.edge_ms());
            }
            amended.lost = self.lost_parts(run, period, known).await?;
            self.files.put_manifest(run, place, &amended).await?;
        }
        if is_all {
            self.finish(run, job, period).await?;
            return Ok(true);
        }
        // Another token, so that the rest is another correction.
        job.token = self.new_token();
        self.files.checkpoint(run, period, Step::Forget { of: Stored::Remaining, count: CORRECTED }, &job.notes(None)).await?;
        Ok(true)
    }

    /// What an archived period was before its first correction since Redis lost it; `None` where Redis did not.
    async fn lost_parts(&self, run: &Run<'_>, period: Period, known: &Manifest) -> Result<Option<LostParts>, ArchiveError> {
        let lost = self.redis.read(async |store| store.lost(run.site, run.board, &[period.unit], "").await).await?;
        let since = lost.periods.first().map_or(0, |lost| lost.since);
        if known.ends_at > since || known.archived_at_ms > since * 1_000 {
            return Ok(None);
        }
        let before = known.lost.clone().filter(|lost| lost.since == since);
        Ok(Some(before.unwrap_or_else(|| LostParts { since, parts: known.parts.clone() })))
    }

    /// An archived period with some members changed. The new objects' names begin with `token`.
    pub(super) async fn amend(
        &self,
        place: &Place,
        known: &Manifest,
        changed: Vec<Changed>,
        token: &str,
    ) -> Result<Manifest, ArchiveError> {
        let mut changes: BTreeMap<usize, Change> = BTreeMap::new();
        for Changed { id, parts, into } in changed {
            for part in parts {
                changes.entry(part).or_default().dropped.insert(id.clone());
            }
            if let Some(member) = into {
                let last = known.parts.len().saturating_sub(1);
                let into = known.parts.iter().position(|part| !part.is_before(&member)).unwrap_or(last);
                changes.entry(into).or_default().new.push(member);
            }
        }
        let mut amended = Manifest { parts: Vec::new(), groups: Vec::new(), ..known.clone() };
        let groups = if known.groups.is_empty() { vec![Group { parts: 0, index: None }] } else { known.groups.clone() };
        let mut from = 0;
        for group in groups {
            let of = from..from + group.parts;
            // The first group has what a period gets that had nobody.
            let is_changed = changes.range(of.clone()).next().is_some() || known.parts.is_empty();
            from = of.end;
            if !is_changed {
                amended.parts.extend_from_slice(&known.parts[of]);
                amended.groups.push(group);
                continue;
            }
            self.amend_group(place, known, of, &group, &mut changes, token, &mut amended).await?;
        }
        amended.total = amended.parts.iter().map(|part| part.count).sum();
        Ok(amended)
    }

    /// The parts of a group that change, and who is in which.
    #[expect(clippy::too_many_arguments, reason = "a step of amend, which has them all")]
    async fn amend_group(
        &self,
        place: &Place,
        known: &Manifest,
        of: std::ops::Range<usize>,
        group: &Group,
        changes: &mut BTreeMap<usize, Change>,
        token: &str,
        amended: &mut Manifest,
    ) -> Result<(), ArchiveError> {
        let old = match &group.index {
            Some(object) => Some(self.files.index(place, object).await?),
            None => None,
        };
        let (mut parts, mut marks) = (Vec::new(), Index::default());
        let whole = if known.parts.is_empty() { 0..1 } else { of.clone() };
        for i in whole {
            let was = known.parts.get(i);
            match (changes.remove(&i), was) {
                (None, Some(part)) => {
                    let of_old = old.as_ref().and_then(|old| old.0.get(i - of.start).cloned());
                    marks.0.push(match of_old {
                        Some(marks) => marks,
                        None => self.files.index_of(place, std::slice::from_ref(part)).await?.0.pop().unwrap_or_default(),
                    });
                    parts.push(part.clone());
                }
                (change, was) => {
                    let mut members = match was {
                        Some(part) => self.files.part(place, part).await?,
                        None => Vec::new(),
                    };
                    change.unwrap_or_default().apply(&mut members);
                    let size = if members.len() > 2 * PART as usize { PART as usize } else { members.len().max(1) };
                    for (piece, members) in members.chunks(size).enumerate() {
                        marks.0.push(members.iter().map(|member| mark_of(&member.id)).collect());
                        parts.extend(self.files.put_part(place, &format!("{token}-{i:05}-{piece}"), members).await?);
                    }
                }
            }
        }
        let mut index = None;
        if old.is_some() || parts.len() > UNINDEXED {
            index = Some(self.files.put_index(place, &format!("{token}-{:05}", of.start), &marks).await?);
        }
        amended.groups.push(Group { parts: parts.len(), index });
        amended.parts.extend::<Vec<Part>>(parts);
        Ok(())
    }
}

impl Change {
    /// New members stand by their scores, and by their ids among equal ones.
    fn apply(self, members: &mut Vec<Member>) {
        members.retain(|member| !self.dropped.contains(&member.id));
        for member in self.new {
            let at = members.iter().position(|other| stands_higher(&member, other)).unwrap_or(members.len());
            members.insert(at, member);
        }
    }
}

/// As Redis rounds sums of fractional weights: to six decimals.
pub(super) fn rounded(sum: f64) -> f64 {
    if sum.fract() == 0.0 { sum } else { (sum * 1e6 + 0.5).floor() / 1e6 }
}
