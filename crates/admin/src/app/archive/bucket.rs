//! Objects of the archive: written, read back and compared, and taken away when no manifest names them.

use std::collections::BTreeSet;

use engine::store::archive::Member;
use ranking::site::{Board, Site};
use serve::app::ports::{Bucket, Clock, Runtime};
use serve::app::redis::Redis;
use serve::config::Config;

use super::manifest::{FORMAT, Manifest, Place};
use super::part::{Index, Part, lines_of, mark_of, members_of, sha256};
use super::run::Run;
use super::{ArchiveError, Tagged};

/// The objects of the archive, and the notes in Redis of which run is at them.
pub struct ArchiveFiles<'a, R> {
    pub(in crate::app) redis: Redis<'a, R>,
    pub(in crate::app) bucket: &'a R,
    pub(in crate::app) clock: &'a dyn Clock,
    pub(in crate::app) config: &'a Config,
}

impl<R: Runtime> ArchiveFiles<'_, R> {
    /// Whether there is an archive.
    pub(super) fn is_bound(&self) -> bool {
        self.bucket.bucket().is_some()
    }

    /// The bucket.
    ///
    /// # Errors
    /// There is none.
    pub(super) fn bucket(&self) -> Result<&R::Bucket, ArchiveError> {
        self.bucket.bucket().ok_or_else(|| self.no_bucket())
    }

    /// What is known of an archived period; `None` where it is not archived.
    pub(super) async fn manifest(&self, place: &Place) -> Result<Option<Manifest>, ArchiveError> {
        let name = place.manifest();
        let Some(Tagged { bytes, tag }) = self.bucket()?.find(&name).await.map_err(ArchiveError::Failed)? else { return Ok(None) };
        let manifest: Manifest = serde_json::from_slice(&bytes).map_err(|error| ArchiveError::Failed(format!("{name}: {error}")))?;
        if manifest.format != FORMAT {
            return Err(ArchiveError::Failed(format!("{name}: format {} is not known; allowed: {FORMAT}", manifest.format)));
        }
        Ok(Some(Manifest { tag, ..manifest }))
    }

    /// The same of a period that was over when it was archived. Another one was archived by clocks that were ahead, and is archived anew when it ends.
    pub(super) async fn ended_manifest(&self, place: &Place) -> Result<Option<Manifest>, ArchiveError> {
        Ok(self.manifest(place).await?.filter(|manifest| manifest.is_over(self.clock.edge_ms())))
    }

    /// What is known of an archived period that was over then, by its manifest's name.
    pub(super) async fn archived_at(&self, site: &Site, board: &Board, name: &str) -> Result<Option<(Place, Manifest)>, ArchiveError> {
        let Some(place) = Place::of_manifest(&self.config.key_prefix, site, board, name) else { return Ok(None) };
        Ok(self.ended_manifest(&place).await?.map(|manifest| (place, manifest)))
    }

    /// Writes what is known of a period, which makes its objects count, and takes those away that it no longer names. A run that was
    /// stopped since it read the manifest finds another one there where a run took the board over, and leaves it.
    pub(super) async fn put_manifest(&self, run: &Run<'_>, place: &Place, manifest: &Manifest) -> Result<(), ArchiveError> {
        self.note_held(run, &[]).await?;
        let (name, json) = (place.manifest(), serde_json::to_string(manifest).map_err(|error| ArchiveError::Failed(error.to_string()))?);
        let digest = sha256(json.as_bytes());
        if !self.bucket()?.replace(&name, json, &manifest.tag).await.map_err(ArchiveError::Failed)? {
            return Err(ArchiveError::Busy);
        }
        self.check(&name, &digest).await?;
        self.sweep(run, place, manifest).await
    }

    /// Takes away the objects of a period that its manifest does not name. Those of another run that took the board over came after they were
    /// listed, or are left to it.
    pub(super) async fn sweep(&self, run: &Run<'_>, place: &Place, manifest: &Manifest) -> Result<(), ArchiveError> {
        let named: BTreeSet<String> = manifest.objects().map(|object| place.object(object)).collect();
        let mut after = String::new();
        loop {
            let listed = self.listed(&place.objects(), &after).await?;
            let Some(last) = listed.last().cloned() else { return Ok(()) };
            let dropped: Vec<String> = listed.into_iter().filter(|name| !named.contains(name)).collect();
            if !dropped.is_empty() {
                self.note_held(run, &[]).await?;
                self.bucket()?.delete(&dropped).await.map_err(ArchiveError::Failed)?;
            }
            after = last;
        }
    }

    /// Some names of objects that begin so, in order, behind one.
    pub(super) async fn listed(&self, prefix: &str, after: &str) -> Result<Vec<String>, ArchiveError> {
        self.bucket()?.list(prefix, after).await.map_err(ArchiveError::Failed)
    }

    /// Writes members as a part, whose name begins so. It ends with a digest, so that nothing is ever written over something else.
    pub(super) async fn put_part(&self, place: &Place, stem: &str, members: &[Member]) -> Result<Option<Part>, ArchiveError> {
        let lines = lines_of(members);
        let Some(mut part) = Part::of(String::new(), members, &lines) else { return Ok(None) };
        part.object = format!("{stem}-{}.ndjson.gz", short(&part.sha256));
        self.put_checked(&place.object(&part.object), &lines).await?;
        Ok(Some(part))
    }

    /// The members of a part, which must be those that were written.
    pub(super) async fn part(&self, place: &Place, part: &Part) -> Result<Vec<Member>, ArchiveError> {
        let name = place.object(&part.object);
        let lines = self.object(&name).await?.ok_or_else(|| ArchiveError::Failed(format!("{name} is not there")))?;
        if sha256(&lines) != part.sha256 {
            return Err(ArchiveError::Failed(format!("{name} is not what was written")));
        }
        members_of(&lines).ok_or_else(|| ArchiveError::Failed(format!("{name} has other lines than members")))
    }

    /// Who is in which of some parts.
    pub(super) async fn index_of(&self, place: &Place, parts: &[Part]) -> Result<Index, ArchiveError> {
        let mut index = Index::default();
        for part in parts {
            index.0.push(self.part(place, part).await?.iter().map(|member| mark_of(&member.id)).collect());
        }
        Ok(index)
    }

    /// Writes an index, likewise, and answers its name.
    pub(super) async fn put_index(&self, place: &Place, stem: &str, index: &Index) -> Result<String, ArchiveError> {
        let lines = index.lines();
        let object = format!("{stem}-{}.index.gz", short(&sha256(&lines)));
        self.put_checked(&place.object(&object), &lines).await?;
        Ok(object)
    }

    /// An index that was written.
    pub(super) async fn index(&self, place: &Place, object: &str) -> Result<Index, ArchiveError> {
        let name = place.object(object);
        let bytes = self.object(&name).await?;
        bytes.and_then(|bytes| Index::read(&bytes)).ok_or_else(|| ArchiveError::Failed(format!("{name} is no index")))
    }

    async fn object(&self, name: &str) -> Result<Option<Vec<u8>>, ArchiveError> {
        self.bucket()?.get(name).await.map_err(ArchiveError::Failed)
    }

    /// Writes an object, reads it back, and compares the digests.
    pub(super) async fn put_checked(&self, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.bucket()?.put(name, bytes).await.map_err(ArchiveError::Failed)?;
        self.check(name, &sha256(bytes)).await
    }

    /// Reads an object back, and compares the digests.
    async fn check(&self, name: &str, digest: &str) -> Result<(), ArchiveError> {
        let back = self.object(name).await?;
        if back.is_some_and(|back| sha256(&back) == digest) {
            return Ok(());
        }
        Err(ArchiveError::Failed(format!("{name} was read back as something else")))
    }
}

/// Enough of a digest to tell what one job wrote under a name from what it wrote there before.
fn short(sha256: &str) -> &str {
    &sha256[..sha256.len().min(8)]
}
