//! The machine of copies: at a scope it takes a chunk of what Redis has, asks whether that is still the same Redis, and writes the chunk where it is kept,
//! one chunk after the other until none is left or time is up. A kind of copy describes itself to it by [`Copier`]:
//!
//! | kind | lease | chunk | progress | sink |
//! |---|---|---|---|---|
//! | totals | in Redis, with each chunk | members whose totals changed | marks in Redis, forgotten when their totals are written | database or webhook |
//! | history | none: a row that is there stays | a period that is over | the row itself | database, and a webhook before it |
//! | snapshots | a row of the database | what all windows of a board show | none: all or nothing | database |
//! | archive | in Redis, with each step | a job at a period | notes in Redis, after each part | bucket |
//!
//! [`Runs`](super::runs::Runs) has the sites, and counts and reports what became of a scope.
//!
//! # Out of scope
//! A decaying window is frozen as it stands, and the lists of a board are one document: one chunk each, and neither a lease nor progress. Deletions
//! have no sink: that of boards is one loop over a cursor that Redis keeps with the lease, and that of sites has one lease for three loops, over keys,
//! objects and rows. A restoration goes the other way.

use serve::app::ports::Runtime;

use super::runs::Scope;
use super::{Copies, Copying, Withheld};

/// A kind of copy that is at a scope.
pub(in crate::app) trait Copier {
    /// What is written at once.
    type Chunk;
    type Error: From<Withheld>;

    /// Takes the lease, or keeps it, and notes that the chunk before is written. Answers the next one.
    async fn take(&mut self, written: Option<Self::Chunk>) -> Result<Next<Self::Chunk>, Self::Error>;

    /// What was found when it was found that Redis may be copied. It must hold still when the chunk is written; `None`: the sink itself sees to that.
    fn copying(&self, _chunk: &Self::Chunk) -> Option<&Copying> {
        None
    }

    /// Writes a chunk to the sink.
    async fn write(&mut self, chunk: &mut Self::Chunk) -> Result<Written, Self::Error>;

    /// Gives the lease back when a chunk could not be written. What is lost of that does no harm: the lease ends by itself.
    async fn release(&mut self) {}
}

/// What is to be written next.
pub(in crate::app) enum Next<C> {
    Chunk(C),
    /// Nothing more.
    Done,
    /// Something, in the next run.
    Pending,
}

/// What became of a chunk.
pub(in crate::app) enum Written {
    Whole,
    /// It is to be taken again.
    Again,
    /// It and what comes behind it is for the next run.
    Pending,
}

impl<R: Runtime> Copies<'_, R> {
    /// Copies what a scope has. Answers whether that is all.
    ///
    /// # Errors
    /// Why the rest is not copied; the next run goes on from what is noted.
    pub(in crate::app) async fn copy<C: Copier>(&self, scope: Scope<'_>, copier: &mut C) -> Result<bool, C::Error> {
        let mut before = None;
        loop {
            // Boxed, so that futures of requests that copy stay small.
            let mut chunk = match Box::pin(copier.take(before.take())).await? {
                Next::Chunk(chunk) => chunk,
                Next::Done => return Ok(true),
                Next::Pending => return Ok(false),
            };
            match Box::pin(self.write(scope, copier, &mut chunk)).await {
                Ok(Written::Whole) => before = Some(chunk),
                Ok(Written::Again) => {}
                Ok(Written::Pending) => return Ok(false),
                Err(error) => {
                    copier.release().await;
                    return Err(error);
                }
            }
        }
    }

    async fn write<C: Copier>(&self, scope: Scope<'_>, copier: &mut C, chunk: &mut C::Chunk) -> Result<Written, C::Error> {
        if let Some(copying) = copier.copying(chunk) {
            self.may_still_copy(scope.site, scope.board, copying).await?;
        }
        copier.write(chunk).await
    }
}
