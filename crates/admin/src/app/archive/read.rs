//! Reading an archived period: as much of it as an answer needs.

use std::cell::RefCell;
use std::rc::Rc;

use engine::store::archive::Member;
use engine::store::curate::{Change, List};
use engine::store::explain::shares;
use ranking::explained::{Explained, ExplainedPeriod};
use ranking::name::Id;
use ranking::page::{Entry, Page, PeriodInfo, Previous};
use ranking::period::Period;
use ranking::read::{NoPeriod, PeriodRef, Read, ReadReply, ReadRequest};
use ranking::score::Score;
use ranking::site::{Board, Ranking, Ties};
use ranking::standing::{Asked, Place as RankedPlace, Standing, Standings};
use ranking::window::{Kind, Unit};
use serve::app::ports::{Clock, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

use super::ArchiveError;
use super::bucket::ArchiveFiles;
use super::manifest::{ALL_TIME, Manifest, Place};
use super::part::{Index, mark_of};

/// An archived period that is being read. It holds the part that it read last, so memory is bounded by two parts and one index.
pub(super) struct Reader<'r, R> {
    files: &'r ArchiveFiles<'r, R>,
    place: Place,
    pub manifest: Manifest,
    held: RefCell<Option<(usize, Rc<Vec<Member>>)>>,
}

/// Where a member stands among all that are archived.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub part: usize,
    /// Its place in the ranking, from 0.
    pub at: u64,
    /// Members that have more.
    pub higher: u64,
    pub score: Score,
    /// What it did by action.
    pub tally: String,
}

/// What is shown of an archived period.
struct Shown<'r, R> {
    reader: Reader<'r, R>,
    board: Rc<Board>,
    info: PeriodInfo,
    /// Members whose score is shown, and those among them that are hidden, in the order of the ranking.
    scored: u64,
    hidden: Vec<Found>,
    /// The lowest score that is shown.
    lowest: f64,
    /// Scores that hidden members alone have, best first, each with its dense rank among all: nobody who is shown has these ranks.
    gaps: Vec<(Score, u64)>,
}

/// Reads of periods that only the archive has.
pub struct ArchiveReads<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) files: ArchiveFiles<'a, R>,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
}

impl<R: Runtime> ArchiveReads<'_, R> {
    /// What Redis would have answered to a read of a period that it keeps no longer; `None` where it is not archived, or cannot be asked for.
    /// Hidden members are left out; pinned ones stand where their scores put them.
    ///
    /// # Errors
    /// When the archive or Redis does not answer.
    pub(in crate::app) async fn unarchived(&self, request: &ReadRequest) -> Result<Option<ReadReply>, ArchiveError> {
        let [of @ PeriodRef { board, window, .. }, ..] = request.periods() else { return Ok(None) };
        let Some(period) = of.period.or(of.is_in_archive().then_some(ALL_TIME)) else { return Ok(None) };
        if !board.archive || !matches!(window.kind, Kind::Calendar(_)) {
            return Ok(None);
        }
        let place = Place::of(&self.config.key_prefix, &request.site, board, period, of.hour_starts_at);
        let Some(place) = place else { return Ok(None) };
        let Some(manifest) = self.files.ended_manifest(&place).await? else { return Ok(None) };
        let hidden = self.redis.store()?.curate(&request.site, board, List::Hidden, Change::Look).await?.unwrap_or_default();
        let info = info_of(&manifest, period);
        let reader = Reader::new(&self.files, place, manifest);
        let shown = Shown::new(reader, Rc::clone(board), board.min_shown(window), info, &hidden).await?;
        Ok(match &request.read {
            Read::Top { offset, limit, .. } => Some(ReadReply::Pages(vec![shown.page(*offset, *limit).await?])),
            Read::Composed { offset, limit, view, .. } => Some(ReadReply::Pages(vec![shown.page(0, view.depth(offset + limit)).await?])),
            Read::Member { id, around, .. } => Some(ReadReply::Standings(shown.standings(std::slice::from_ref(id), *around).await?)),
            Read::Ranks { ids, .. } => Some(ReadReply::Standings(shown.standings(ids, 0).await?)),
            Read::Place { by, .. } => Some(ReadReply::Place(shown.place(*by).await?)),
            Read::Explain { id, .. } => Some(shown.explained(id).await?),
            Read::Tops { .. } | Read::Filled { .. } | Read::Distribution { .. } | Read::Series { .. } => None,
        })
    }
}

fn info_of(manifest: &Manifest, period: Period) -> PeriodInfo {
    let instant = |at| Some(at).filter(|_| period != ALL_TIME);
    PeriodInfo {
        period,
        named_at: instant(manifest.starts_at),
        starts_at: instant(manifest.starts_at),
        ends_at: instant(manifest.ends_at),
        now_ms: manifest.archived_at_ms,
        complete: true,
        scored_at_ms: None,
        replicated_ms: None,
        counted_since: None,
        lost: Vec::new(),
        known: String::new(),
        curated: String::new(),
    }
}

impl<'r, R: Runtime> Reader<'r, R> {
    pub fn new(files: &'r ArchiveFiles<'r, R>, place: Place, manifest: Manifest) -> Self {
        Self { files, place, manifest, held: RefCell::default() }
    }

    pub async fn part(&self, i: usize) -> Result<Rc<Vec<Member>>, ArchiveError> {
        if let Some((held, members)) = &*self.held.borrow()
            && *held == i
        {
            return Ok(Rc::clone(members));
        }
        let members = Rc::new(self.files.part(&self.place, &self.manifest.parts[i]).await?);
        *self.held.borrow_mut() = Some((i, Rc::clone(&members)));
        Ok(members)
    }

    /// Where some members stand; `None` for who is not there.
    pub async fn find(&self, ids: &[Id]) -> Result<Vec<Option<Found>>, ArchiveError> {
        Ok(self.look_for(ids, false).await?.into_iter().map(|found| found.into_iter().next()).collect())
    }

    /// Every part that has some members, and what stands there first.
    pub async fn find_all(&self, ids: &[Id]) -> Result<Vec<(Vec<usize>, Option<Found>)>, ArchiveError> {
        let both = |found: Vec<Found>| (found.iter().map(|found| found.part).collect(), found.into_iter().next());
        Ok(self.look_for(ids, true).await?.into_iter().map(both).collect())
    }

    /// Where some members stand, to the end or until each was found.
    async fn look_for(&self, ids: &[Id], to_the_end: bool) -> Result<Vec<Vec<Found>>, ArchiveError> {
        let marks: Vec<u32> = ids.iter().map(mark_of).collect();
        let mut found: Vec<Vec<Found>> = vec![Vec::new(); ids.len()];
        let mut from = 0;
        for group in &self.manifest.groups {
            let index = match &group.index {
                Some(object) => Some(self.files.index(&self.place, object).await?),
                None => None,
            };
            for i in 0..group.parts {
                let is_in = |index: &Index, mark| index.0.get(i).is_some_and(|marks| marks.contains(mark));
                let may_have = |(at, found): (usize, &Vec<Found>)| {
                    ((to_the_end || found.is_empty()) && index.as_ref().is_none_or(|index| is_in(index, &marks[at]))).then_some(at)
                };
                let wanted: Vec<usize> = found.iter().enumerate().filter_map(may_have).collect();
                if wanted.is_empty() {
                    continue;
                }
                let members = self.part(from + i).await?;
                let before = self.manifest.before(from + i);
                for at in wanted {
                    let place = members.iter().position(|member| member.id == ids[at]);
                    found[at].extend(place.map(|place| {
                        let (at, higher) = (before + place as u64, self.higher(from + i, &members, place).0);
                        let Member { score, tally, .. } = &members[place];
                        Found { part: from + i, at, higher, score: *score, tally: tally.clone() }
                    }));
                }
            }
            from += group.parts;
        }
        Ok(found)
    }

    /// Members with more than the one at a place, and different scores above its.
    pub async fn above(&self, at: u64) -> Result<Option<(Member, u64, u64)>, ArchiveError> {
        let Some((part, place)) = self.manifest.part_at(at) else { return Ok(None) };
        let members = self.part(part).await?;
        let (higher, first) = self.higher(part, &members, place);
        let distinct = members[..=first].windows(2).filter(|pair| pair[0].score != pair[1].score).count() as u64;
        Ok(Some((members[place].clone(), higher, self.manifest.distinct_above_first(part) + distinct)))
    }

    /// Members with more than a score, those who have as much, and different scores above it.
    pub async fn around(&self, score: Score) -> Result<(u64, u64, u64), ArchiveError> {
        let parts = &self.manifest.parts;
        let first = parts.iter().position(|part| part.last <= score.value()).unwrap_or(parts.len());
        let higher = match parts.get(first) {
            Some(_) => self.manifest.before(first) + self.part(first).await?.partition_point(|member| member.score > score) as u64,
            None => self.manifest.before(first),
        };
        let mut until = higher;
        for (i, part) in parts.iter().enumerate().skip(first) {
            if part.first < score.value() {
                break;
            }
            until = self.manifest.before(i) + self.part(i).await?.partition_point(|member| member.score >= score) as u64;
        }
        let distinct = match higher.checked_sub(1) {
            Some(last) => self.above(last).await?.map_or(0, |(_, _, distinct)| distinct + 1),
            None => 0,
        };
        Ok((higher, until.max(higher) - higher, distinct))
    }

    /// The place of the first member that has the score of a dense rank, from 1; `None` where so many scores are not there.
    pub async fn first_of_rank(&self, rank: u64) -> Result<Option<u64>, ArchiveError> {
        let parts = &self.manifest.parts;
        let has = |i: &usize| self.manifest.distinct_above_first(*i) + parts[*i].distinct >= rank;
        let Some((i, below)) = (0..parts.len()).find(has).and_then(|i| Some((i, rank.checked_sub(1)?))) else { return Ok(None) };
        let (members, above) = (self.part(i).await?, self.manifest.distinct_above_first(i));
        let mut distinct = above;
        for (at, pair) in members.windows(2).enumerate() {
            if distinct == below {
                return Ok(Some(self.manifest.before(i) + at as u64));
            }
            distinct += u64::from(pair[0].score != pair[1].score);
        }
        Ok((distinct == below).then(|| self.manifest.before(i) + members.len() as u64 - 1))
    }

    /// Members with more than one at a place of a part, and the first place of the part whose member has as much.
    fn higher(&self, part: usize, members: &[Member], place: usize) -> (u64, usize) {
        let first = members.iter().position(|member| member.score == members[place].score).unwrap_or(place);
        (if first == 0 { self.manifest.higher_than_first(part) } else { self.manifest.before(part) + first as u64 }, first)
    }
}

impl<'r, R: Runtime> Shown<'r, R> {
    async fn new(reader: Reader<'r, R>, board: Rc<Board>, lowest: f64, info: PeriodInfo, hidden: &[Id]) -> Result<Self, ArchiveError> {
        let is_shown = |score: f64| score > 0.0 && score >= lowest;
        let mut scored = 0;
        for (i, part) in reader.manifest.parts.iter().enumerate() {
            if is_shown(part.last) {
                scored += part.count;
            } else {
                scored += reader.part(i).await?.iter().filter(|member| is_shown(member.score.value())).count() as u64;
                break;
            }
        }
        let found = if hidden.is_empty() { Vec::new() } else { reader.find(hidden).await? };
        let mut hidden: Vec<Found> = found.into_iter().flatten().filter(|found| is_shown(found.score.value())).collect();
        hidden.sort_by_key(|found| found.at);
        let mut gaps = Vec::new();
        for same in hidden.chunk_by(|one, next| one.score == next.score).filter(|_| board.ranking == Ranking::Dense) {
            let (_, equal, distinct) = reader.around(same[0].score).await?;
            if equal == same.len() as u64 {
                gaps.push((same[0].score, distinct + 1));
            }
        }
        Ok(Self { reader, board, info, scored, hidden, lowest, gaps })
    }

    fn is_shown(&self, score: Score) -> bool {
        score.value() > 0.0 && score.value() >= self.lowest
    }

    /// The dense rank of a score, above which so many different ones are among all.
    fn dense_rank(&self, score: Score, distinct: u64) -> u64 {
        distinct + 1 - self.gaps.iter().filter(|(gap, _)| *gap > score).count() as u64
    }

    fn total(&self) -> u64 {
        self.scored - self.hidden.len() as u64
    }

    /// The place among all of who is at a place among those that are shown.
    fn place_of(&self, shown: u64) -> u64 {
        self.hidden.iter().fold(shown, |at, hidden| if hidden.at <= at { at + 1 } else { at })
    }

    /// Who stands at a place among those that are shown.
    async fn entry(&self, at: u64) -> Result<Option<(Entry, u64)>, ArchiveError> {
        let Some((Member { id, score, tally }, higher, distinct)) = self.reader.above(self.place_of(at)).await? else { return Ok(None) };
        let higher = higher - self.hidden.iter().filter(|hidden| hidden.score > score).count() as u64;
        let tally = if self.reader.manifest.tallied { tally } else { String::new() };
        let rank = match self.board.ranking {
            Ranking::Ordinal => at + 1,
            Ranking::Competition => higher + 1,
            Ranking::Dense => self.dense_rank(score, distinct),
        };
        Ok(Some((Entry { rank, id, score, meta: None, previous: Previous::Unknown, tally }, higher)))
    }

    async fn entries(&self, from: u64, until: u64) -> Result<Vec<Entry>, ArchiveError> {
        let mut entries = Vec::new();
        for at in from..until.min(self.total()) {
            entries.extend(self.entry(at).await?.map(|(entry, _)| entry));
        }
        Ok(entries)
    }

    async fn page(self, offset: u32, limit: u32) -> Result<Page, ArchiveError> {
        let entries = self.entries(offset.into(), u64::from(offset) + u64::from(limit)).await?;
        Ok(Page { total: self.total(), info: self.info, refused: 0, pinned: 0, offset, entries })
    }

    /// The rank of who reaches a score now, or the score of who has a rank, as Redis answers it.
    async fn place(self, by: Asked) -> Result<RankedPlace, ArchiveError> {
        let (mut rank, mut score) = (None, None);
        match by {
            Asked::Score(of) if self.is_shown(of) => {
                let (higher, equal, distinct) = self.reader.around(of).await?;
                let higher = higher - self.hidden.iter().filter(|hidden| hidden.score > of).count() as u64;
                let equal = equal - self.hidden.iter().filter(|hidden| hidden.score == of).count() as u64;
                rank = Some(match (self.board.ranking, self.board.ties) {
                    (Ranking::Dense, _) => self.dense_rank(of, distinct),
                    (Ranking::Ordinal, Some(Ties::First)) => higher + equal + 1,
                    (Ranking::Ordinal | Ranking::Competition, _) => higher + 1,
                });
            }
            Asked::Score(_) => {}
            Asked::Rank(of) if self.board.ranking == Ranking::Dense => {
                let among_all = self.gaps.iter().fold(of, |rank, (_, gap)| if *gap <= rank { rank + 1 } else { rank });
                if let Some(at) = self.reader.first_of_rank(among_all).await?.filter(|at| *at < self.scored) {
                    score = self.reader.above(at).await?.map(|(member, _, _)| member.score);
                }
            }
            Asked::Rank(of) => {
                if let Some(at) = of.checked_sub(1).filter(|at| *at < self.total()) {
                    score = self.entry(at).await?.map(|(entry, _)| entry.score);
                }
            }
        }
        Ok(RankedPlace { total: self.total(), ranking: self.board.ranking, info: self.info, rank, score })
    }

    /// What a member's score is made of, where its counts by action were archived. Hidden members have no explanation.
    async fn explained(self, id: &Id) -> Result<ReadReply, ArchiveError> {
        let manifest = &self.reader.manifest;
        if !manifest.tallied {
            return Ok(ReadReply::NoPeriod(NoPeriod::Untallied));
        }
        let (number, starts_at) = (manifest.number, (self.info.period.unit != Unit::All).then_some(manifest.starts_at));
        let found = self.reader.find(std::slice::from_ref(id)).await?.into_iter().flatten().next();
        let found = found.filter(|found| self.hidden.iter().all(|hidden| hidden.at != found.at));
        let period = |found: &Found| Some(ExplainedPeriod { number, starts_at, score: found.score, shares: shares(&found.tally)? });
        let (score, periods) = (found.as_ref().map_or(Score::ONE, |found| found.score), found.iter().filter_map(period).collect());
        Ok(ReadReply::Explained(Explained {
            info: self.info,
            score,
            scale: Score::ONE,
            counted_since: None,
            next: None,
            is_part: false,
            periods,
        }))
    }

    async fn standings(self, ids: &[Id], around: u32) -> Result<Standings, ArchiveError> {
        let (mut members, mut next_score, mut near) = (Vec::new(), None, Vec::new());
        for (i, found) in self.reader.find(ids).await?.into_iter().enumerate() {
            let is_shown = |found: &Found| found.at < self.scored && self.hidden.iter().all(|hidden| hidden.at != found.at);
            let at = found.filter(is_shown).map(|found| found.at - self.hidden.iter().filter(|hidden| hidden.at < found.at).count() as u64);
            let Some((at, (entry, higher))) = (match at {
                Some(at) => self.entry(at).await?.map(|entry| (at, entry)),
                None => None,
            }) else {
                members.push(None);
                continue;
            };
            if i == 0 {
                next_score = match higher.checked_sub(1) {
                    Some(above) => self.entry(above).await?.map(|(entry, _)| entry.score),
                    None => None,
                };
                let around = u64::from(around);
                near = if around > 0 { self.entries(at.saturating_sub(around), at + around + 1).await? } else { Vec::new() };
            }
            members.push(Some(Standing { rank: entry.rank, score: entry.score, higher }));
        }
        let (total, ranking, metas) = (self.total(), self.board.ranking, Vec::new());
        Ok(Standings { total, ranking, info: self.info, next_score, members, metas, around: near })
    }
}
