//! All members of a period, as a download: `GET /v1/{site}/admin/boards/{board}/export/{window}.ndjson`, `.csv`.

use std::rc::Rc;

use http::{HeaderValue, Response, StatusCode, header};
use interface::code::Code;
use interface::route::ExportForm;
use ranking::composed::counts;
use ranking::name::Name;
use ranking::read::PeriodRef;
use ranking::site::Site;
use ranking::window::{Kind, Unit};
use serde_json::json;
use serve::api::{Call, Problem, period_ref, quote, uncached};
use serve::app::rankings::ReadError;
use serve::app::{App, Runtime};

use super::{At, Download};
use crate::app::Admin;
use crate::app::archive::{Export, Member};

/// An export of a period.
#[derive(Clone, Debug)]
pub struct PeriodDownload {
    site: String,
    board: String,
    /// Of one of a template.
    is_archived: bool,
    window: String,
    period: Option<ranking::period::Period>,
    hour_starts_at: Option<i64>,
    form: ExportForm,
    /// Of what a reset took, when that was (Unix milliseconds).
    reset_at: Option<i64>,
}

/// 1. 404 for a board or window that the site has not, one that has no periods of its own, or a period that is not there; 400 for a
///    wrong parameter.
/// 2. 503 when Redis or the archive does not answer.
/// 3. 200; the members follow. What fails then breaks the connection, so that nobody takes a part for the whole.
pub async fn get<R: Runtime>(app: &App<R>, site: &Rc<Site>, form: ExportForm, call: &Call<'_>) -> Result<Response<Vec<u8>>, Problem> {
    let of = period_ref(site, call)?;
    let (board, window) = (of.board.name.to_string(), of.window.name.to_string());
    if !matches!(of.window.kind, Kind::Calendar(_)) {
        let detail = format!(
            "the window {window} has no periods of its own; calendar windows can be exported: {}",
            Unit::EACH.map(Unit::name).join(", ")
        );
        return Err(Problem::new(Code::UnknownWindow, detail));
    }
    let reset_at = call.query.text("reset_at").map(|at| read_reset(at, &of)).transpose()?;
    let download = PeriodDownload {
        site: site.name.to_string(),
        board,
        is_archived: of.board.is_archived,
        window,
        period: of.period,
        hour_starts_at: of.hour_starts_at,
        form,
        reset_at,
    };
    let export = begin(app, site, of, reset_at).await?;
    let taken = reset_at.map(|at| format!("-{at}")).unwrap_or_default();
    let name = format!("{}-{}-{}{taken}.{}", download.board, download.window, export.id.replace(':', "-"), form.ending());
    let mut response = uncached(StatusCode::OK, form.content_type(), Vec::new());
    if let Ok(value) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response.extensions_mut().insert(Download::Period(download));
    Ok(response)
}

async fn begin<R: Runtime>(app: &App<R>, site: &Rc<Site>, of: PeriodRef, reset_at: Option<i64>) -> Result<Export, ReadError> {
    match reset_at {
        Some(at) => Admin(app).archive_reads().export_taken(site, of, at).await,
        None => Admin(app).archive_reads().export(site, of).await,
    }
}

fn read_reset(at: &str, of: &PeriodRef) -> Result<i64, Problem> {
    let allowed = "an instant like 2026-11-20T12:00:01.123Z, with `period`";
    let read = chrono::DateTime::parse_from_rfc3339(at).ok().filter(|_| of.period.is_some()).map(|at| at.timestamp_millis());
    read.ok_or_else(|| Problem::new(Code::InvalidParameter, format!("reset_at = {at:?} is not allowed; allowed: {allowed}")))
}

impl PeriodDownload {
    /// The next piece of the body, and how far it is then; `None`: that was all.
    ///
    /// # Errors
    /// For the log: why the rest cannot be had.
    pub(super) async fn next<R: Runtime>(&self, app: &App<R>, at: At) -> Result<Option<(Vec<u8>, At)>, String> {
        match at {
            At::Begin => Ok(Some((self.head().into(), At::Members(Box::new(self.begin(app).await?))))),
            At::Site(..) => Ok(None),
            At::Members(mut export) => {
                let members = Admin(app).archive_reads().next_exported(&mut export).await?;
                Ok(members.map(|members| (self.lines(&members), At::Members(export))))
            }
        }
    }

    /// Begins it once more, for who writes the body.
    async fn begin<R: Runtime>(&self, app: &App<R>) -> Result<Export, String> {
        let dropped = || format!("{}/{}/{} is not there", self.site, self.board, self.window);
        let app = Admin(app).served().with_name(&self.site).await.map_err(|unknown| format!("{unknown:?}"))?;
        let app = app.with_sections(&self.site).await.map_err(|failure| failure.detail)?;
        let site = app.config.sites.get(&self.site).ok_or_else(dropped)?;
        // That there is such a board was seen when the download began.
        let with_board = Name::of_board(&self.board).map(|name| app.with_boards(site, &[(name, self.is_archived)]));
        let app = with_board.as_ref().unwrap_or(&app);
        let site = app.config.sites.get(&self.site).ok_or_else(dropped)?;
        let board = site.boards.get(&self.board).ok_or_else(dropped)?;
        let window = board.window(&self.window).ok_or_else(dropped)?.clone();
        let of = PeriodRef { board: Rc::clone(board), window, period: self.period, hour_starts_at: self.hour_starts_at };
        begin(app, site, of, self.reset_at).await.map_err(|error| format!("{error:?}"))
    }

    /// What stands before the members.
    fn head(&self) -> &'static str {
        match self.form {
            ExportForm::Lines => "",
            ExportForm::Csv => "id,score\r\n",
        }
    }

    /// Members, a line each.
    fn lines(&self, members: &[Member]) -> Vec<u8> {
        let line = |Member { id, score, tally }: &Member| match self.form {
            ExportForm::Lines if tally.is_empty() => format!("{}\n", json!({ "id": id, "score": score })),
            ExportForm::Lines => format!("{}\n", json!({ "id": id, "score": score, "actions": counts(tally) })),
            ExportForm::Csv => format!("{},{score}\r\n", quote(id.as_str())),
        };
        members.iter().map(line).collect::<String>().into_bytes()
    }
}
