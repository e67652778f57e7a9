//! What resets took of periods that were not over. It is archived apart from these, since the period's own archive has what came after.

use std::collections::BTreeMap;

use ranking::period::Period;
use ranking::site::{Board, Site};
use ranking::window::Unit;
use serve::app::ports::{Bucket, Runtime};

use super::ArchiveError;
use super::bucket::ArchiveFiles;
use super::manifest::{Manifest, folder_of_manifests, folder_of_objects};

/// What the names of their manifests begin with, behind the folder of all.
const RESETS: &str = "resets/";

/// What a reset took of a period.
#[derive(Clone, Debug, PartialEq)]
pub struct TakenPeriod {
    pub period: Period,
    /// The period's id.
    pub id: String,
    /// Unix milliseconds.
    pub reset_at: i64,
}

/// Some of what resets took.
#[derive(Debug)]
pub struct TakenList {
    pub taken: Vec<TakenPeriod>,
    /// Where to go on; `None` at the end.
    pub cursor: Option<String>,
}

/// When periods were reset (Unix milliseconds), by the names of the periods' own manifests.
pub(super) struct Resets(BTreeMap<String, Vec<i64>>);

impl<R: Runtime> ArchiveFiles<'_, R> {
    /// Writes an object to the archive of a board, reads it back and takes it away, before a reset depends on that.
    ///
    /// # Errors
    /// When the archive does not do so.
    pub(in crate::app) async fn try_archive(&self, site: &Site, board: &Board) -> Result<(), ArchiveError> {
        let name = format!("{}{RESETS}try", folder_of_objects(&self.config.key_prefix, site, board));
        self.put_checked(&name, name.as_bytes()).await?;
        self.bucket()?.delete(&[name]).await.map_err(ArchiveError::Failed)
    }

    /// What resets of a board took and is archived, behind a cursor: by unit, period and instant.
    ///
    /// # Errors
    /// When the archive does not answer.
    pub async fn taken_by_resets(&self, site: &Site, board: &Board, cursor: &str) -> Result<TakenList, ArchiveError> {
        if !board.archive {
            return Ok(TakenList { taken: Vec::new(), cursor: None });
        }
        let folder = folder_of_manifests(&self.config.key_prefix, site, board) + RESETS;
        let after = if cursor.is_empty() { String::new() } else { format!("{folder}{cursor}") };
        let listed = self.listed(&folder, &after).await?;
        let read = |name: &String| TakenPeriod::read(name.strip_prefix(&folder)?, site);
        let cursor = listed.last().and_then(|last| last.strip_prefix(&folder)).map(Into::into);
        Ok(TakenList { taken: listed.iter().filter_map(read).collect(), cursor })
    }

    /// All of it, for who restores.
    pub(super) async fn resets(&self, site: &Site, board: &Board) -> Result<Resets, ArchiveError> {
        let folder = folder_of_manifests(&self.config.key_prefix, site, board);
        let (mut resets, mut from) = (Resets(BTreeMap::new()), Some(String::new()));
        while let Some(cursor) = from {
            let TakenList { taken, cursor } = self.taken_by_resets(site, board, &cursor).await?;
            for TakenPeriod { period, id, reset_at } in taken {
                resets.0.entry(format!("{folder}{}/{id}.json", period.unit.name())).or_default().push(reset_at);
            }
            from = cursor;
        }
        Ok(resets)
    }
}

impl TakenPeriod {
    /// Of a manifest's name: `day/2026-11-20/1795176000123.json`.
    fn read(name: &str, site: &Site) -> Option<Self> {
        let [unit, id, at_ms] = name.strip_suffix(".json")?.split('/').collect::<Vec<_>>().try_into().ok()?;
        let unit = Unit::COUNTED.into_iter().find(|known| known.name() == unit)?;
        Some(Self { period: Period::parse(unit, id, site.week_starts_on)?, id: id.into(), reset_at: at_ms.parse().ok()? })
    }
}

impl Resets {
    fn of(&self, name: &str) -> impl Iterator<Item = i64> {
        self.0.get(name).into_iter().flatten().copied()
    }

    /// When a period was reset the last time; 0 for never.
    pub fn last(&self, name: &str) -> i64 {
        self.of(name).max().unwrap_or(0)
    }

    /// Whether a period was reset after its end, with a rolling window that held it.
    pub fn took_closed(&self, name: &str, known: &Manifest) -> bool {
        self.last(name) >= known.ends_at * 1_000
    }

    /// Whether a period's own archive is all of what it had after `reset_at`, and nothing of before: of a longer one that was reset then.
    pub fn is_since(&self, name: &str, known: &Manifest, reset_at: i64) -> bool {
        let (starts_at, ends_at) = (known.starts_at * 1_000, known.ends_at * 1_000);
        let counts_from = self.of(name).filter(|at| *at < ends_at).max().unwrap_or(starts_at).max(starts_at);
        counts_from == starts_at.max(reset_at)
    }
}

#[cfg(test)]
mod tests {
    use super::super::manifest::FORMAT;
    use super::*;

    #[test]
    fn what_remains_of_a_period() {
        let day = Manifest {
            format: FORMAT,
            number: 1,
            starts_at: 100,
            ends_at: 200,
            archived_at_ms: 300_000,
            until_us: 0,
            lost_from_us: None,
            revision: 1,
            total: 0,
            tallied: false,
            job: String::new(),
            parts: Vec::new(),
            groups: Vec::new(),
            tag: String::new(),
            lost: None,
        };
        // When the day was reset, when the month was; whether the day was taken after its end, and whether it fits the month.
        let cases: [(&[i64], i64, bool, bool); 8] = [
            (&[], 0, false, true),
            (&[], 50_000, false, true),
            (&[], 150_000, false, false),
            (&[], 250_000, false, false),
            (&[150_000], 150_000, false, true),
            (&[120_000, 150_000], 150_000, false, true),
            (&[150_000], 0, false, false),
            (&[150_000, 250_000], 150_000, true, true),
        ];
        for (of_day, of_month, is_taken, fits) in cases {
            let resets = Resets(BTreeMap::from([("day/x".to_owned(), of_day.to_vec())]));
            assert_eq!(resets.took_closed("day/x", &day), is_taken, "{of_day:?}");
            assert_eq!(resets.is_since("day/x", &day, of_month), fits, "{of_day:?} {of_month}");
        }
        assert_eq!(Resets(BTreeMap::new()).last("day/x"), 0);
    }
}
