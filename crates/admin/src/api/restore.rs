//! Restoring what Redis lost: `GET` and `POST /v1/{site}/admin/restore`.

use std::collections::BTreeMap;
use std::rc::Rc;

use http::{Response, StatusCode};
use interface::code::Code;
use ranking::name::Name;
use ranking::page::rfc3339;
use ranking::site::Site;
use serde::Serialize;
use serde_json::json as value;
use serve::api::{Call, Problem, json};
use serve::app::counting::not_allowed;
use serve::app::database::DatabaseError;
use serve::app::templates::State;
use serve::app::{App, Runtime};

use super::audit;
use super::items::read_object;
use crate::app::Admin;
use crate::app::archive::{BehindPeriod, Filled, Following, Restoration, Whole, Why};
use crate::app::copies::Loss;

/// A request restores for this long; the answer tells whether more is left.
const WORK_MS: u64 = 20_000;
/// Boards of templates that it restores at most.
const RESTORED: usize = 50;

#[derive(Serialize)]
struct Document<'s> {
    site: &'s str,
    dry_run: bool,
    /// Whether nothing is left of the archive.
    done: bool,
    /// Where the boards of templates go on.
    cursor: Option<String>,
    /// Deletions and aliases that upkeep is to end.
    left: i64,
    /// The loss that nobody has settled.
    loss: Option<LossDocument>,
    archive: Option<ArchiveDocument>,
    /// Those with an archive.
    boards: Vec<BoardDocument>,
}

#[derive(Serialize)]
struct StateDocument<'s> {
    site: &'s str,
    loss: Option<LossDocument>,
    archive: Option<ArchiveDocument>,
}

/// Until when the archives of a site's boards follow.
#[derive(Serialize)]
struct ArchiveDocument {
    /// What changed in archived periods until then is there.
    until: Option<String>,
    /// The periods whose archives are behind.
    behind: Vec<BehindDocument>,
}

#[derive(Serialize)]
struct BehindDocument {
    board: String,
    window: String,
    period: String,
    /// What changed since then is not there.
    since: Option<String>,
    why: Why,
}

/// That Redis lost something.
#[derive(Serialize)]
pub(super) struct LossDocument {
    code: &'static str,
    /// What was counted since then may be missing; null where all may be.
    since: Option<String>,
    /// What was counted since then is there.
    noticed_at: Option<String>,
}

#[derive(Serialize)]
struct BoardDocument {
    board: String,
    done: bool,
    /// Whether another run is at the board's archive.
    busy: bool,
    /// Archived periods that this call put back, and their members.
    periods: u64,
    members: u64,
    /// Each of these periods.
    archived: Vec<ArchivedDocument>,
    /// The periods that had lost their beginning.
    filled: Vec<FilledDocument>,
}

#[derive(Serialize)]
struct ArchivedDocument {
    window: &'static str,
    period: String,
    /// It has what changed until then; null where nobody knows.
    until: Option<String>,
}

#[derive(Serialize)]
struct FilledDocument {
    window: &'static str,
    period: String,
    counted_since: Option<String>,
    covered: Vec<SpanDocument>,
}

#[derive(Serialize)]
struct SpanDocument {
    from: Option<String>,
    until: Option<String>,
}

/// 1. 503 when the database or the archive does not answer.
/// 2. 200 with the loss that nobody has settled, and until when the archive follows.
pub async fn get<R: Runtime>(app: &App<R>, site: &Site) -> Result<Response<Vec<u8>>, Problem> {
    let (loss, archive) = state_of(app, site).await?;
    json(&StateDocument { site: site.name.as_str(), loss, archive })
}

/// 1. 400 for wrong parameters, or a body that is not allowed.
/// 2. 503 when the archive does not answer, or Redis; some of it may be done.
/// 3. 200 when all is restored, or it is accepted that it is not; 202 when time ran out or boards of templates are left, to be asked for again with the
///    cursor.
pub async fn post<R: Runtime>(app: &App<R>, site: &Rc<Site>, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let is_dry = call.query.flag("dry_run", false)?;
    let accepts = accepts(call)?;
    if !is_dry {
        audit::note(call, app, site, value!({ "did": if accepts { "accept-loss" } else { "restore" } })).await?;
    }
    let until_ms = app.runtime.clock_ms() + WORK_MS;
    let behind = call.behind(site)?;
    let mut boards = Vec::new();
    for board in site.boards.values().filter(|board| board.archive && !accepts && behind.is_none()) {
        let restored = Admin(app).restore().restore(site, board, is_dry, until_ms).await;
        boards.push(describe(board.name.as_str(), restored.map_err(Problem::from)?));
    }
    let mut cursor = None;
    if !accepts && boards.iter().all(|board| board.done) {
        cursor = restore_made(app, site, behind, (is_dry, until_ms), &mut boards).await?;
    }
    let failed = |why| Problem::database(DatabaseError::Failed(why));
    let mut done = cursor.is_none() && boards.iter().all(|board| board.done);
    if accepts && !is_dry {
        Admin(app).copies().settle_loss(site).await.map_err(failed)?;
    } else if !is_dry && cursor.is_none() {
        // Also where no period lost anything: a replica that was behind for some minutes lacks who was hidden, and deletions.
        Admin(app).recovery().begin_restoration(site).await.map_err(failed)?;
        done = done && Admin(app).recovery().end_restoration(site, until_ms).await.map_err(failed)?;
    }
    let (loss, archive) = state_of(app, site).await?;
    let left = Admin(app).items().remaining_items(site).await.map_err(Problem::database)?;
    let mut response = json(&Document { site: site.name.as_str(), dry_run: is_dry, done, cursor, left, loss, archive, boards })?;
    if !done {
        *response.status_mut() = StatusCode::ACCEPTED;
    }
    Ok(response)
}

/// Restores boards of templates that copies or the archive have, behind one. One that Redis lost is made again as it was. Answers the last one
/// that is done, where others may follow.
async fn restore_made<R: Runtime>(
    app: &App<R>,
    site: &Rc<Site>,
    mut behind: Option<Name>,
    (is_dry, until_ms): (bool, u64),
    boards: &mut Vec<BoardDocument>,
) -> Result<Option<String>, Problem> {
    for _ in 0..RESTORED {
        let Some(name) = made_behind(app, site, behind.as_ref()).await? else { return Ok(None) };
        let Some(template) = site.template_of(&name) else { return Ok(None) };
        let state =
            if is_dry { None } else { Some(Admin(app).boards().put_back_board(site, template, &name).await.map_err(Problem::redis)?) };
        // Of an archived board Redis has nothing.
        let is_there = state.is_none_or(|state| !matches!(state, State::Missing | State::Going) && !state.is_archived());
        let with_board = Rc::new(site.with_boards(std::slice::from_ref(&name)));
        if let Some(board) = with_board.boards.get(name.as_str()).filter(|board| is_there && board.archive) {
            let restored = Admin(app).restore().restore(&with_board, board, is_dry, until_ms).await.map_err(Problem::from)?;
            boards.push(describe(name.as_str(), restored));
            if boards.last().is_some_and(|board| !board.done) {
                return Ok(behind.map(|name| name.to_string()));
            }
            if !is_dry {
                let alone = site.without_boards().with_boards(std::slice::from_ref(&name));
                let failed = |why| Problem::database(DatabaseError::Failed(why));
                Admin(app).recovery().restore_lists(&alone).await.map_err(failed)?;
                app.templates().enter_archived(&alone).await;
            }
        }
        behind = Some(name);
        if app.runtime.clock_ms() >= until_ms {
            break;
        }
    }
    Ok(behind.map(|name| name.to_string()))
}

/// The next board of a template that something beside Redis knows of, behind one. They are in the order of their names with a slash, which is that of objects.
async fn made_behind<R: Runtime>(app: &App<R>, site: &Site, behind: Option<&Name>) -> Result<Option<Name>, Problem> {
    let after = behind.map(|board| format!("{board}/{}", char::MAX)).unwrap_or_default();
    let archived = Admin(app).files().archived_board_behind(site, &after).await.map_err(Problem::from)?;
    let failed = |why| Problem::database(DatabaseError::Failed(why));
    let copied = Admin(app).copies().copied_board_behind(site, &after).await.map_err(failed)?;
    Ok(archived.into_iter().chain(copied).min_by_key(|board| format!("{board}/")))
}

/// Whether the body says that what is lost need not come back.
fn accepts(call: &Call<'_>) -> Result<bool, Problem> {
    if call.request.body().is_empty() {
        return Ok(false);
    }
    let body = read_object(call.request)?;
    let refused = |detail: String| Problem::new(Code::InvalidParameter, detail);
    let mut accepts = false;
    for (name, value) in &body {
        if name != "accept" {
            return Err(refused(not_allowed("a field of the body", Some(&value!(name)), "accept")));
        }
        accepts = !value.is_null() && value.as_bool().ok_or_else(|| refused(not_allowed("accept", Some(value), "true or false")))?;
    }
    Ok(accepts)
}

pub(super) async fn loss_of<R: Runtime>(app: &App<R>, site: &Site) -> Result<Option<LossDocument>, Problem> {
    let loss = Admin(app).copies().loss(site).await.map_err(|why| Problem::database(DatabaseError::Failed(why)))?;
    Ok(loss.map(LossDocument::of))
}

async fn state_of<R: Runtime>(app: &App<R>, site: &Site) -> Result<(Option<LossDocument>, Option<ArchiveDocument>), Problem> {
    let known = Admin(app).copies().known_of_copies(site).await.map_err(|why| Problem::database(DatabaseError::Failed(why)))?;
    Ok((known.0.map(LossDocument::of), ArchiveDocument::of(known.1)))
}

impl ArchiveDocument {
    /// `None` where no run has noted it.
    fn of(following: BTreeMap<String, Following>) -> Option<Self> {
        let until_ms = following.values().map(Following::whole_until_ms).min()?;
        let mut behind = Vec::new();
        for (board, of) in following {
            behind.extend(of.behind.into_iter().map(|BehindPeriod { unit, period, since_ms, why }| BehindDocument {
                board: board.clone(),
                window: unit,
                period,
                since: rfc3339(since_ms, true),
                why,
            }));
        }
        Some(Self { until: rfc3339(until_ms, true), behind })
    }
}

impl LossDocument {
    pub(super) fn of(Loss { code, since, noticed_at }: Loss) -> Self {
        let instant = |seconds: i64| rfc3339(seconds * 1_000, false);
        Self { code: code.name(), since: since.and_then(instant), noticed_at: instant(noticed_at) }
    }
}

fn describe(board: &str, restored: Restoration) -> BoardDocument {
    let instant = |seconds: i64| rfc3339(seconds * 1_000, false);
    let filled = |Filled { unit, period, since, covered }: Filled| FilledDocument {
        window: unit.name(),
        period,
        counted_since: instant(since),
        covered: covered.into_iter().map(|(from, until)| SpanDocument { from: instant(from), until: instant(until) }).collect(),
    };
    let archived = |Whole { unit, period, until_ms }: Whole| ArchivedDocument {
        window: unit.name(),
        period,
        until: (until_ms > 0).then(|| rfc3339(until_ms, true)).flatten(),
    };
    BoardDocument {
        board: board.into(),
        done: restored.is_done,
        busy: restored.is_busy,
        periods: restored.periods,
        members: restored.members,
        archived: restored.archived.into_iter().map(archived).collect(),
        filled: restored.filled.into_iter().map(filled).collect(),
    }
}
