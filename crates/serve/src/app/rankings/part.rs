//! Several rankings of which a part can be read: a node of a cluster is gone, and others are not.
//!
//! # Decisions
//!
//! - Boards that are answered are shown as they are now, though all of them are held: the others may be out for long. So the answer names the boards
//!   that are not.
//! - Administrators and the metrics get what is answered, without what is held. What counts members for a quota needs all boards.

use std::collections::BTreeMap;

use ranking::name::Name;
use ranking::page::version_of;
use serde_json::{Value, json};

use super::composed::no_json;
use super::{Rankings, ReadError, ReadRequest};
use crate::app::cache::{Entry, Known};
use crate::app::ports::Runtime;

/// Boards that Redis does not answer, where it answers others of the same request.
pub(super) struct Part {
    pub unavailable: Vec<Name>,
    /// For the log.
    pub detail: String,
}

/// Several rankings as Redis has them, without those of boards that it does not answer.
pub struct Available {
    pub entry: Entry,
    /// In the order of their names.
    pub unavailable: Vec<Name>,
}

impl<R: Runtime> Rankings<'_, R> {
    /// Asks Redis as [`Rankings::read`] does. Where it answers some boards of several, they are asked for without the others.
    ///
    /// # Errors
    /// The same, where it answers none.
    pub async fn read_available(&self, request: &ReadRequest, held: Option<&Entry>, looks: bool) -> Result<Available, ReadError> {
        let mut unavailable = Vec::new();
        let mut read = self.read_or_part(request, held, looks).await?;
        // Each turn leaves fewer boards, and at least one.
        loop {
            match read {
                Ok(entry) => {
                    unavailable.sort_unstable();
                    return Ok(Available { entry, unavailable });
                }
                Err(part) => unavailable.extend(part.unavailable),
            }
            read = self.read_or_part(&request.without(&unavailable), None, false).await?;
        }
    }

    /// The same for readers: boards that Redis does not answer are as they are `held`, if they are. The answer names them, and is asked for again
    /// soon, as one that is not complete.
    ///
    /// # Errors
    /// The same.
    pub(super) async fn read_shown(&self, request: &ReadRequest, held: Option<&Entry>, looks: bool) -> Result<Entry, ReadError> {
        let Available { entry: answered, unavailable } = self.read_available(request, held, looks).await?;
        if unavailable.is_empty() {
            return Ok(answered);
        }
        let (json, version) = joined_with_held(request, &answered, held, &unavailable).map_err(no_json)?;
        let known = Known { configuration: answered.known.configuration.clone(), ..Known::default() };
        Ok(Entry { json: json.into(), version, complete: false, known: known.into(), ..answered })
    }
}

/// Rankings that were answered, and those that are held of boards that are unavailable, in the order of their names. With its version.
fn joined_with_held(
    request: &ReadRequest,
    answered: &Entry,
    held: Option<&Entry>,
    unavailable: &[Name],
) -> serde_json::Result<(Vec<u8>, String)> {
    let is_unavailable = |board: &str| unavailable.iter().any(|name| name.as_str() == board);
    let mut boards = BTreeMap::new();
    for (entry, is_held) in held.map(|held| (held, true)).into_iter().chain([(answered, false)]) {
        let mut rankings: Value = serde_json::from_slice(&entry.json)?;
        for ranking in rankings["boards"].as_array_mut().into_iter().flatten() {
            let [board, window] = ["board", "window"].map(|field| ranking[field].as_str().unwrap_or_default());
            if !is_held || is_unavailable(board) {
                boards.insert(format!("{board}/{window}"), ranking.take());
            }
        }
    }
    let shown: Vec<&str> = boards.keys().map(String::as_str).collect();
    let unavailable: Vec<&str> = unavailable.iter().map(Name::as_str).collect();
    let version = version_of([answered.version.as_str(), &shown.join(" "), &unavailable.join(" ")].join(",").as_bytes());
    let boards: Vec<Value> = boards.into_values().collect();
    let document = json!({ "site": request.site.name.as_str(), "boards": boards, "unavailable": unavailable });
    Ok((serde_json::to_vec(&document)?, version))
}
