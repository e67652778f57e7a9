//! What a route is made of.

use http::header::{self, HeaderName};

use crate::code::Code;
use crate::parameter::Parameter;

/// One method of one address.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    pub method: Method,
    /// Segments; `{name}` stands for any one, `{name}.csv` for any one that ends so.
    pub path: &'static str,
    pub endpoint: Endpoint,
    pub access: Access,
    pub query: &'static [Parameter],
    /// The schema of the request's body, if it takes one.
    pub body: Option<&'static str>,
    pub cache: Cache,
    pub answers: &'static [Answer],
    /// The problems that it can answer, besides those that [`Route::problems`] adds.
    pub own_problems: &'static [&'static [Code]],
    pub summary: &'static str,
}

/// A method that a route has. Not `http::Method`, which a static table cannot hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// What answers a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    About,
    AdminPage,
    BeaconModule,
    ModuleVersion,
    BoardModule,
    BoardTexts,
    Alive,
    Ready,
    Description,
    Sites(SitesEndpoint),
    Site(SiteEndpoint),
}

/// What answers a route below `/v1/admin/sites`: about the sites that are made while the deployment runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SitesEndpoint {
    List,
    Get,
    Put,
    End,
    SetState,
    Issue,
    EndOlder,
    Export,
    Import,
}

/// What answers a route below `/v1/{site}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteEndpoint {
    Beacon,
    Pixel,
    Events,
    Boards,
    Top,
    Tops,
    Live,
    Rendered(Form),
    Export(ExportForm),
    Member,
    Badge,
    Explain,
    Place,
    Distribution,
    Periods,
    Series,
    SeriesOfMany,
    Ranks,
    Activity,
    Mine,
    EraseActor,
    ListCurated(List),
    Curate(List),
    Uncurate(List),
    HideEverywhere,
    ShowEverywhere,
    /// Of a member, or of who begins with a prefix.
    Remove,
    LetIn,
    ListRemoved,
    /// Of a board, or of a window of it.
    Reset,
    ListResets,
    Rebuild,
    /// Boards of templates: those of one, one of them, and making, ending, archiving and opening that.
    ListMade,
    Made,
    MakeBoard,
    EndBoard,
    ArchiveBoard,
    OpenBoard,
    /// Of a period of a window.
    Freeze,
    ListUnconfigured,
    RemoveUnconfigured,
    Audit,
    Fullness,
    Revoke,
    Restore,
    Restoration,
    ListDead,
    ReplayDead,
    /// One letter, or all.
    DeleteDead,
    ListDescribed,
    CreateItem,
    DescribeAll(Kind),
    Described(Kind),
    Describe(Kind),
    PatchDescribed(Kind),
    DeleteItem,
    Alias,
    MakeAlias,
    Metrics,
    MetricsHistory,
    UpkeepProgress,
    Upkeep,
}

/// A list that people keep of a board's members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    Hidden,
    Pinned,
}

/// What is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Item,
    Actor,
}

/// What a ranking is rendered as, besides JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A list to include in a page.
    Html,
    /// A page for a frame.
    Frame,
    /// An SVG image.
    Picture,
    /// RSS 2.0
    Rss,
    /// RFC 4180
    Csv,
}

impl Form {
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Html | Self::Frame => "text/html; charset=utf-8",
            Self::Picture => "image/svg+xml",
            Self::Rss => "application/rss+xml; charset=utf-8",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }
}

/// What all members of a period are written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportForm {
    /// JSON, a line for each.
    Lines,
    /// RFC 4180
    Csv,
}

impl ExportForm {
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Lines => "application/x-ndjson",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// The ending of files.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Lines => "ndjson",
            Self::Csv => "csv",
        }
    }
}

/// Who may use a route, and so which pages may read its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Anyone; pages of every origin read the answers.
    Anyone,
    /// Pages of the site's origins, and programs that name no page. The page that asks reads the answer.
    Page,
    /// The site's servers, with the `WRITE_TOKEN`. No page reads the answers.
    WriteToken,
    /// Its owners, with the `ADMIN_TOKEN`. No page reads the answers.
    AdminToken,
    /// Who runs the deployment, with the `ADMIN_TOKEN` of all sites. No page reads the answers.
    DeploymentToken,
    /// What watches it, with the `METRICS_TOKEN`, and its owners. No page reads the answers.
    MetricsToken,
}

/// What caches may do with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// `no-store`
    No,
    /// Kept, but asked after each time: `no-cache` with an `ETag`.
    Revalidated,
    /// As its freshness says, with an `ETag`.
    Ranking,
    /// For ever: the address says what is there.
    Immutable,
}

/// An answer that is no problem.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub content_type: &'static str,
    /// The schema's name, where the answer is JSON.
    pub schema: Option<&'static str>,
}

/// Whom Cloudflare had the connection from.
pub const CF_CONNECTING_IP: HeaderName = HeaderName::from_static("cf-connecting-ip");
pub const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The header of browsers that only prepare a page, and the one of before that had a name.
pub const SEC_PURPOSE: HeaderName = HeaderName::from_static("sec-purpose");
pub const PURPOSE: HeaderName = HeaderName::from_static("purpose");

/// What `Access::Page` looks at, and who the visitor is.
static BEACON_HEADERS: [HeaderName; 6] =
    [header::ORIGIN, header::REFERER, SEC_FETCH_SITE, CF_CONNECTING_IP, header::USER_AGENT, SEC_PURPOSE];
static PIXEL_HEADERS: [HeaderName; 7] =
    [header::ORIGIN, header::REFERER, SEC_FETCH_SITE, CF_CONNECTING_IP, header::USER_AGENT, SEC_PURPOSE, PURPOSE];
/// And where wrong tokens come from.
static TOKEN_HEADERS: [HeaderName; 2] = [header::AUTHORIZATION, CF_CONNECTING_IP];
/// And what a write expects to find.
static WRITER_HEADERS: [HeaderName; 4] = [header::AUTHORIZATION, CF_CONNECTING_IP, header::IF_MATCH, header::IF_NONE_MATCH];
static VALIDATORS: [HeaderName; 1] = [header::IF_NONE_MATCH];
/// Besides validators, who wants a past ranking.
static READER_HEADERS: [HeaderName; 2] = [header::IF_NONE_MATCH, CF_CONNECTING_IP];

/// Problems of every route.
const EVERYWHERE: &[Code] =
    &[Code::InvalidEncoding, Code::UnknownParameter, Code::RepeatedParameter, Code::Unreadable, Code::ConfigurationInvalid, Code::Internal];

impl Route {
    /// Whether it counts events.
    pub fn counts_events(&self) -> bool {
        use SiteEndpoint::{Beacon, Events, Pixel, ReplayDead};
        matches!(self.endpoint, Endpoint::Site(Beacon | Pixel | Events | ReplayDead))
    }

    /// Whether it counts or changes something, which no suspended site does.
    pub fn writes(&self) -> bool {
        use SiteEndpoint::{Mine, Ranks, SeriesOfMany};
        let is_read = self.method == Method::Get || matches!(self.endpoint, Endpoint::Site(Mine | Ranks | SeriesOfMany));
        matches!(self.endpoint, Endpoint::Site(_)) && (self.counts_events() || !is_read)
    }

    /// Whether it changes what the database and the archive have copies of. Without these it would be done by half.
    pub fn touches_copies(&self) -> bool {
        use SiteEndpoint::{DeleteItem, EraseActor, Freeze, MakeAlias, Remove, Reset, Restoration, Restore, Revoke};
        matches!(
            self.endpoint,
            Endpoint::Site(DeleteItem | EraseActor | Freeze | MakeAlias | Remove | Reset | Restoration | Restore | Revoke)
        )
    }

    /// Whether a request may say which revision it replaces: `If-Match`, `If-None-Match`.
    pub fn takes_preconditions(&self) -> bool {
        use SiteEndpoint::{DeleteItem, Describe, PatchDescribed};
        matches!(self.endpoint, Endpoint::Site(Describe(_) | PatchDescribed(_) | DeleteItem))
    }

    /// The request headers that it looks at: few, since each costs a call into the runtime. Only a ranking of a period that is
    /// named in the query can be wanted by somebody.
    pub fn request_headers(&self, has_query: bool) -> &'static [HeaderName] {
        match (self.access, self.cache) {
            (Access::Page, _) if self.method == Method::Get => &PIXEL_HEADERS,
            (Access::Page, _) => &BEACON_HEADERS,
            (Access::WriteToken | Access::AdminToken | Access::DeploymentToken | Access::MetricsToken, _) if self.takes_preconditions() => {
                &WRITER_HEADERS
            }
            (Access::WriteToken | Access::AdminToken | Access::DeploymentToken | Access::MetricsToken, _) => &TOKEN_HEADERS,
            (Access::Anyone, _) if self.endpoint == Endpoint::Site(SiteEndpoint::Boards) => &TOKEN_HEADERS,
            (Access::Anyone, Cache::Revalidated) => &VALIDATORS,
            (Access::Anyone, Cache::Ranking) if !has_query => &VALIDATORS,
            (Access::Anyone, Cache::Immutable) => &[],
            (Access::Anyone, Cache::No | Cache::Ranking) => &READER_HEADERS,
        }
    }

    /// Whether anyone can have Redis or the database asked by it, and so only so often.
    pub fn may_miss(&self) -> bool {
        use SiteEndpoint::{Described, ListDescribed, Live, Periods, Ranks, SeriesOfMany};
        let is_open = matches!(self.endpoint, Endpoint::Site(Ranks | SeriesOfMany | Periods | ListDescribed | Described(_) | Live));
        self.cache == Cache::Ranking || is_open
    }

    /// Every problem that it can answer, some of them twice.
    pub fn problems(&self) -> impl Iterator<Item = Code> + '_ {
        let own = || self.own_problems.iter().copied().flatten().copied();
        let owns = |code| own().any(|own| own == code);
        // Whether there is a site, the database may have to tell.
        let of_site: &[Code] = if matches!(self.endpoint, Endpoint::Site(_)) {
            &[Code::UnknownSite, Code::SiteGoing, Code::DatabaseUnavailable, Code::TooManyRequests, Code::Quota]
        } else {
            &[]
        };
        let of_writes: &[Code] = if self.writes() { &[Code::SiteSuspended] } else { &[] };
        let of_access: &[Code] = match self.access {
            Access::Anyone => &[],
            Access::Page => &[Code::OriginNotAllowed, Code::TooManyRequests],
            Access::WriteToken | Access::AdminToken | Access::DeploymentToken | Access::MetricsToken => {
                &[Code::Unauthorized, Code::TooManyAttempts]
            }
        };
        let of_misses: &[Code] = if self.may_miss() { &[Code::TooManyRequests] } else { &[] };
        // Whatever asks Redis may meet a script that fails.
        let of_scripts: &[Code] = if owns(Code::RedisUnavailable) { &[Code::ScriptFailed] } else { &[] };
        let asks_copies = self.touches_copies() || owns(Code::DatabaseUnavailable) || owns(Code::NoDatabase);
        let of_bindings: &[Code] = if asks_copies { &[Code::BindingMissing] } else { &[] };
        let of_events: &[Code] = if self.counts_events() { &[Code::BindingNeeded] } else { &[] };
        let lists = [EVERYWHERE, of_site, of_writes, of_access, of_misses, of_scripts, of_bindings, of_events];
        own().chain(lists.into_iter().flatten().copied())
    }
}
