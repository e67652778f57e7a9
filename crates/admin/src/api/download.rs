//! Bodies that are written piece by piece.

use serve::app::{App, Runtime};

use super::export::PeriodDownload;
use super::moving::SiteDownload;
use crate::app::archive::Export;
use crate::app::moving::Place;

/// A response extension: the edge writes the body, piece by piece, as long as somebody reads it.
#[derive(Clone, Debug)]
pub enum Download {
    Period(PeriodDownload),
    Site(SiteDownload),
}

/// How far a download is.
#[derive(Default)]
pub enum At {
    #[default]
    Begin,
    Members(Box<Export>),
    /// At a place of a site, behind so many pieces.
    Site(Place, usize),
}

impl Download {
    /// The next piece of the body, and how far it is then; `None`: that was all.
    ///
    /// # Errors
    /// For the log: why the rest cannot be had.
    pub async fn next<R: Runtime>(&self, app: &App<R>, at: At) -> Result<Option<(Vec<u8>, At)>, String> {
        match self {
            Self::Period(of) => of.next(app, at).await,
            Self::Site(of) => of.next(app, at).await,
        }
    }
}
