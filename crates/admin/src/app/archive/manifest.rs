//! The manifest of an archived period: its figures, and the names of its objects.

use ranking::name::Name;
use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::{Kind, Unit};
use serde::{Deserialize, Serialize};
use serve::app::health::clocks::TOLERATED_MS;

use super::part::Part;

/// An archived period. What it lists is all of it: objects that it does not name mean nothing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub format: u32,
    pub number: i64,
    /// Unix seconds.
    pub starts_at: i64,
    pub ends_at: i64,
    /// Unix milliseconds, by the clock of Redis.
    pub archived_at_ms: i64,
    /// Unix microseconds, by the same clock: it has what was counted until then, and nothing that was counted since. 0 where nobody knows.
    #[serde(default)]
    pub until_us: i64,
    /// The same of before Redis lost something: what was counted since then and before the loss is not there. `None` where Redis had it whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost_from_us: Option<i64>,
    /// 1, and one more each time that the period was archived anew, since clocks that were ahead had archived it before its end.
    #[serde(default = "first")]
    pub revision: u32,
    pub total: u64,
    /// Whether its members have their counts by action; a member without did nothing.
    #[serde(default)]
    pub tallied: bool,
    /// Its revision: the token of who wrote it last. Redis notes the revision of what it has whole, so that neither is taken for another one.
    pub job: String,
    /// In the order of the ranking.
    pub parts: Vec<Part>,
    pub groups: Vec<Group>,
    /// The object's tag when it was read; empty: there was none. It is written over no other.
    #[serde(skip)]
    pub tag: String,
    /// What it was before it was corrected, where Redis had lost it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<LostParts>,
}

/// An archived period as it was when Redis lost it. What came since is counted in longer periods already, which are restored from this.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct LostParts {
    /// Unix seconds: since when the period's unit is counted again.
    pub since: i64,
    pub parts: Vec<Part>,
}

/// Some parts in a row, and the object that tells who is in which.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Group {
    pub parts: usize,
    /// `None`: they are so few that they are read.
    pub index: Option<String>,
}

/// Of what the objects of this code are.
pub(super) const FORMAT: u32 = 1;
/// Members of a part. A million has 200 parts; the longest ids make one 1.5 MB.
pub(super) const PART: u32 = 5_000;
/// Parts of a group: its index has 2.5 MB.
pub(super) const GROUP: usize = 128;
/// So few parts have no index.
pub(super) const UNINDEXED: usize = 4;

/// The first revision.
fn first() -> u32 {
    1
}

/// Where a period's objects are: `eb/demo/articles/`, `day/2026-11-20`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    board: String,
    period: String,
}

/// All time, which is archived of boards that are archived as a whole.
pub(super) const ALL_TIME: Period = Period { unit: Unit::All, number: 0 };

impl Place {
    /// That of all time of a board; `None` where it is not ranked.
    pub fn of_all_time(key_prefix: &Name, site: &Site, board: &Board) -> Option<Self> {
        let is_ranked = board.windows.iter().any(|window| window.kind == Kind::Calendar(Unit::All));
        if is_ranked { Self::of(key_prefix, site, board, ALL_TIME, None) } else { None }
    }

    /// `None` for a period without an id.
    pub fn of(key_prefix: &Name, site: &Site, board: &Board, period: Period, starts_at: Option<i64>) -> Option<Self> {
        let id = period.id(starts_at, site.week_starts_on)?;
        Some(Self { board: folder(key_prefix, site, board), period: format!("{}/{id}", period.unit.name()) })
    }

    /// Where what a reset took of it is, at that instant (Unix milliseconds): a later archive of the period is another one.
    pub fn reset_at(self, at_ms: i64) -> Self {
        Self { period: format!("resets/{}/{at_ms}", self.period), ..self }
    }

    /// Of a manifest's name, as [`folder_of_manifests`] lists it.
    pub fn of_manifest(key_prefix: &Name, site: &Site, board: &Board, name: &str) -> Option<Self> {
        let period = name.strip_prefix(&folder_of_manifests(key_prefix, site, board))?.strip_suffix(".json")?;
        Some(Self { board: folder(key_prefix, site, board), period: period.into() })
    }

    /// Of the name of one of its other objects, as [`folder_of_objects`] lists it.
    pub fn of_object(key_prefix: &Name, site: &Site, board: &Board, name: &str) -> Option<Self> {
        let (period, _) = name.strip_prefix(&folder_of_objects(key_prefix, site, board))?.rsplit_once('/')?;
        Some(Self { board: folder(key_prefix, site, board), period: period.into() })
    }

    /// The unit of its period; `None` of what a reset took.
    pub fn unit(&self) -> Option<Unit> {
        let (unit, _) = self.period.split_once('/')?;
        Unit::COUNTED.into_iter().find(|known| known.name() == unit)
    }

    pub fn manifest(&self) -> String {
        format!("{}manifests/{}.json", self.board, self.period)
    }

    /// What the names of its other objects begin with.
    pub fn objects(&self) -> String {
        format!("{}members/{}/", self.board, self.period)
    }

    pub fn object(&self, name: &str) -> String {
        self.objects() + name
    }
}

fn folder(key_prefix: &Name, site: &Site, board: &Board) -> String {
    folder_of_board(key_prefix, site, board.name.as_str())
}

/// What the names of all objects of a board begin with.
pub(super) fn folder_of_board(key_prefix: &Name, site: &Site, board: &str) -> String {
    format!("{}{board}/", folder_of_site(key_prefix, site))
}

/// The same of a site.
pub(super) fn folder_of_site(key_prefix: &Name, site: &Site) -> String {
    format!("{}/{}/", site.prefix(key_prefix.as_str(), '/'), site.name)
}

/// What the names of a board's other objects begin with.
pub(super) fn folder_of_objects(key_prefix: &Name, site: &Site, board: &Board) -> String {
    folder(key_prefix, site, board) + "members/"
}

/// What the names of a board's manifests begin with.
pub(super) fn folder_of_manifests(key_prefix: &Name, site: &Site, board: &Board) -> String {
    folder(key_prefix, site, board) + "manifests/"
}

impl Manifest {
    /// Groups for so many parts.
    pub fn group_sizes(parts: usize) -> Vec<usize> {
        (0..parts.div_ceil(GROUP)).map(|group| GROUP.min(parts - group * GROUP)).collect()
    }

    /// Unix microseconds: what was counted until then is there, whatever Redis lost. 0 where nobody knows.
    pub fn whole_until_us(&self) -> i64 {
        self.lost_from_us.unwrap_or(self.until_us)
    }

    /// Every object that it names.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        let lost = self.lost.iter().flat_map(|lost| &lost.parts);
        let parts = self.parts.iter().chain(lost).map(|part| part.object.as_str());
        parts.chain(self.groups.iter().filter_map(|group| group.index.as_deref()))
    }

    /// The same as it was when Redis lost it.
    pub fn when_lost(&self) -> Option<Self> {
        let parts = self.lost.as_ref()?.parts.clone();
        let groups = vec![Group { parts: parts.len(), index: None }];
        let total = parts.iter().map(|part| part.count).sum();
        Some(Self { parts, groups, total, lost: None, ..self.clone() })
    }

    /// Objects that are read to find some members, at most: indexes, and the parts that these name. Chance hits add some.
    pub fn reads_to_find(&self, members: usize) -> usize {
        let (indexed, others): (Vec<&Group>, Vec<_>) = self.groups.iter().partition(|group| group.index.is_some());
        let parts = |groups: &[&Group]| groups.iter().map(|group| group.parts).sum::<usize>();
        indexed.len() + parts(&indexed).min(members) + parts(&others)
    }

    /// Whether the period was over when it was archived, as far as an instant tells (Unix milliseconds, by the edge's clock): it has ended by then,
    /// and was archived at an instant that has come. Redis's clock may be ahead of the edge's where they agree.
    pub fn is_over(&self, now_ms: i64) -> bool {
        self.ends_at * 1_000 <= now_ms && self.archived_at_ms <= now_ms.saturating_add(TOLERATED_MS)
    }

    /// Members before a part.
    pub fn before(&self, part: usize) -> u64 {
        self.parts[..part].iter().map(|part| part.count).sum()
    }

    /// The part that holds a place, from 0, and the place in it.
    pub fn part_at(&self, at: u64) -> Option<(usize, usize)> {
        let mut remaining = at;
        for (i, part) in self.parts.iter().enumerate() {
            if remaining < part.count {
                return Some((i, usize::try_from(remaining).ok()?));
            }
            remaining -= part.count;
        }
        None
    }

    /// Members with more than the first one of a part has.
    pub fn higher_than_first(&self, part: usize) -> u64 {
        let first = self.parts[part].first;
        let mut higher = self.before(part);
        for before in self.parts[..part].iter().rev() {
            if before.last.total_cmp(&first).is_ne() {
                break;
            }
            higher -= before.last_ties;
            if before.last_ties < before.count {
                break;
            }
        }
        higher
    }

    /// Different scores above that of the first member of a part.
    pub fn distinct_above_first(&self, part: usize) -> u64 {
        let shared = self.parts[..=part].windows(2).filter(|pair| pair[0].last.total_cmp(&pair[1].first).is_eq()).count() as u64;
        self.parts[..part].iter().map(|part| part.distinct).sum::<u64>() - shared
    }
}

#[cfg(test)]
mod tests {
    use super::super::part::lines_of;
    use super::*;
    use engine::store::archive::Member;
    use ranking::name::Id;
    use ranking::score::Score;

    /// Ranks follow from what is known of parts, however a ranking is cut.
    #[test]
    fn ranks_over_parts() {
        let scores = [9.0, 9.0, 9.0, 7.0, 7.0, 7.0, 7.0, 7.0, 3.0, 2.0, 2.0, 2.0];
        let member = |(i, score): (usize, &f64)| Member {
            id: Id::new(&format!("m{i}")).expect("an id"),
            score: Score::new(*score).expect("a score"),
            tally: String::new(),
        };
        let members: Vec<Member> = scores.iter().enumerate().map(member).collect();
        for size in 1..=scores.len() {
            let parts: Vec<Part> = members.chunks(size).filter_map(|chunk| Part::of(String::new(), chunk, &lines_of(chunk))).collect();
            let manifest = Manifest {
                format: FORMAT,
                number: 0,
                starts_at: 0,
                ends_at: 0,
                archived_at_ms: 0,
                until_us: 0,
                lost_from_us: None,
                revision: 1,
                total: 12,
                tallied: false,
                job: String::new(),
                tag: String::new(),
                groups: Vec::new(),
                lost: None,
                parts,
            };
            for part in 0..manifest.parts.len() {
                let first = scores[part * size];
                assert_eq!(manifest.higher_than_first(part), scores.iter().filter(|score| **score > first).count() as u64);
                let mut above: Vec<f64> = scores.iter().copied().filter(|score| *score > first).collect();
                above.dedup();
                assert_eq!(manifest.distinct_above_first(part), above.len() as u64, "{size} {part}");
                assert_eq!(manifest.part_at((part * size) as u64), Some((part, 0)));
            }
            assert_eq!(manifest.part_at(12), None);
        }
        assert_eq!(Manifest::group_sizes(0), [0; 0]);
        assert_eq!(Manifest::group_sizes(300), [128, 128, 44]);
    }
}
