//! Taking away what no manifest names: a run may have ended before it swept, and no job may come by the period again.
//!
//! It looks once a week, for some objects a run.

use std::collections::BTreeSet;

use engine::store::archive::Notes;
use serve::app::ports::{Bucket, Runtime};

use super::job::value;
use super::manifest::{Place, folder_of_objects};
use super::run::Run;
use super::{Archive, ArchiveError};

/// A board is looked through once a week.
const AGAIN_MS: i64 = 7 * 86_400_000;
/// Periods whose manifests one run reads.
const PERIODS: usize = 20;

/// The names of what Redis remembers: the object that was looked at last, and when (Unix milliseconds) all of them were.
const AFTER: &str = "sweep";
const SWEPT: &str = "swept";

impl<R: Runtime> Archive<'_, R> {
    /// Looks at some objects of a board that is at no job, and takes those away that their period's manifest does not name.
    pub(super) async fn sweep_some(&self, run: &Run<'_>, notes: &Notes, now_ms: i64) -> Result<(), ArchiveError> {
        let swept_ms = value(notes, SWEPT).and_then(|at| at.parse::<i64>().ok());
        let after = value(notes, AFTER);
        if after.is_none() && swept_ms.is_some_and(|at| (at..at + AGAIN_MS).contains(&now_ms)) {
            return Ok(());
        }
        let (prefix, Run { site, board, .. }) = (&self.config.key_prefix, run);
        let listed = self.files.listed(&folder_of_objects(prefix, site, board), after.unwrap_or_default()).await?;
        if listed.is_empty() {
            return self.files.note_held(run, &[(AFTER.into(), String::new()), (SWEPT.into(), now_ms.to_string())]).await;
        }
        let mut place_and_named: Option<(Place, BTreeSet<String>)> = None;
        let (mut dropped, mut periods, mut last) = (Vec::new(), 0, String::new());
        for name in listed {
            let place = Place::of_object(prefix, site, board, &name);
            if place.as_ref() != place_and_named.as_ref().map(|(place, _)| place) {
                periods += 1;
                if periods > PERIODS || self.clock.clock_ms() >= run.until_ms {
                    break;
                }
                place_and_named = match place {
                    Some(place) => {
                        let manifest = self.files.manifest(&place).await?;
                        let named = manifest.iter().flat_map(|manifest| manifest.objects()).map(|object| place.object(object)).collect();
                        Some((place, named))
                    }
                    None => None,
                };
            }
            if place_and_named.as_ref().is_some_and(|(_, named)| !named.contains(&name)) {
                dropped.push(name.clone());
            }
            last = name;
        }
        // Another run may be at it where this one was stopped.
        self.files.note_held(run, &[]).await?;
        if !dropped.is_empty() {
            self.files.bucket()?.delete(&dropped).await.map_err(ArchiveError::Failed)?;
        }
        self.files.note_held(run, &[(AFTER.into(), last)]).await
    }
}
