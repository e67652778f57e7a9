//! The table of routes.

use crate::code::{Code, EventCode};
use crate::parameter;
use crate::route::Access::{AdminToken, Anyone, DeploymentToken, MetricsToken, Page, WriteToken};
use crate::route::Cache::{Immutable, No, Ranking, Revalidated};
use crate::route::Endpoint::{
    About, AdminPage, Alive, BeaconModule, BoardModule, BoardTexts, Description, ModuleVersion, Ready, Site, Sites,
};
use crate::route::{Answer, ExportForm, Form, Kind, List, Method, Route, SiteEndpoint as To, SitesEndpoint as Of};

/// Problems that come together.
mod problem {
    use super::{Code, EventCode};

    pub const BOARD: &[Code] = &[Code::Event(EventCode::UnknownBoard), Code::BoardGoing];
    pub const WINDOW: &[Code] = &[Code::Event(EventCode::UnknownBoard), Code::BoardGoing, Code::UnknownWindow];
    pub const PERIODS: &[Code] = &[Code::UnknownPeriod, Code::InvalidPeriod];
    pub const ID: &[Code] = &[Code::Event(EventCode::InvalidId)];
    pub const BODY: &[Code] = &[Code::Event(EventCode::InvalidJson), Code::Event(EventCode::BodyTooLarge)];
    pub const READS: &[Code] = &[Code::RedisUnavailable];
    pub const WRITES: &[Code] = &[Code::RedisUnavailable, Code::OutcomeUnknown];
    /// Of sites that are made while the deployment runs.
    pub const SITES: &[Code] = &[Code::NoSitesSecret, Code::NoDatabase, Code::DatabaseUnavailable];
    pub const SITE: &[Code] =
        &[Code::NoSitesSecret, Code::NoDatabase, Code::DatabaseUnavailable, Code::UnknownSite, Code::SiteConfigured, Code::InvalidSite];
    /// Of changing one.
    pub const CHANGED: &[Code] = &[Code::SiteGoing, Code::Contended];
    pub const DATABASE: &[Code] = &[Code::NoDatabase, Code::DatabaseUnavailable];
    /// Of an event or a batch of any sender.
    pub const EVENT: &[Code] = &[
        Code::Event(EventCode::TooManyEvents),
        Code::Event(EventCode::UnknownField),
        Code::Event(EventCode::InvalidAction),
        Code::Event(EventCode::UnknownAction),
        Code::Event(EventCode::InvalidItem),
        Code::Event(EventCode::InvalidActor),
        Code::Event(EventCode::InvalidVisitor),
        Code::Event(EventCode::InvalidAgo),
        Code::Event(EventCode::InvalidAt),
        Code::Event(EventCode::InvalidUndo),
        Code::Event(EventCode::InvalidCount),
        Code::Event(EventCode::InvalidValue),
        Code::Event(EventCode::InvalidMeta),
        Code::Event(EventCode::InvalidSeq),
        Code::Event(EventCode::UndoNotPossible),
        Code::Event(EventCode::SeqMissing),
        Code::Event(EventCode::InvalidBoards),
        Code::Event(EventCode::UnknownBoard),
    ];
    /// Of a browser alone.
    pub const BEACON: &[Code] =
        &[Code::Event(EventCode::InvalidEvent), Code::Event(EventCode::ActionNotPublic), Code::Event(EventCode::BoardNotPublic)];
    /// Of an event that no board takes.
    pub const OUTCOME: &[Code] = &[
        Code::Event(EventCode::AtInFuture),
        Code::Event(EventCode::TooOld),
        Code::Event(EventCode::OutOfSeason),
        Code::Event(EventCode::BoardFull),
        Code::Event(EventCode::Reset),
        Code::Event(EventCode::ItemGone),
        Code::Event(EventCode::UnknownItem),
        Code::Event(EventCode::TooManyNew),
        Code::Event(EventCode::TooManyVisitors),
        Code::Event(EventCode::BoardClosed),
        Code::Event(EventCode::AlreadyDone),
        Code::Event(EventCode::NotDone),
        Code::Event(EventCode::AlreadyUndone),
        Code::Event(EventCode::UndoTooLate),
        Code::Event(EventCode::Superseded),
    ];
    pub const PIXEL: &[Code] = &[
        Code::Event(EventCode::InvalidAction),
        Code::Event(EventCode::UnknownAction),
        Code::Event(EventCode::ActionNotPublic),
        Code::Event(EventCode::InvalidItem),
        Code::Event(EventCode::InvalidActor),
        Code::Event(EventCode::InvalidId),
        Code::Event(EventCode::SeqMissing),
    ];
    pub const MINE: &[Code] = &[Code::Event(EventCode::UnknownField), Code::Event(EventCode::InvalidAction)];
}

const JSON: &str = "application/json";
const NO_CONTENT: Answer = bare(204);
const UNCHANGED: Answer = bare(304);

const fn bare(status: u16) -> Answer {
    Answer { status, content_type: "", schema: None }
}

const fn text(content_type: &'static str) -> Answer {
    Answer { status: 200, content_type, schema: None }
}

const fn json(schema: &'static str) -> Answer {
    Answer { status: 200, content_type: JSON, schema: Some(schema) }
}

const fn created(schema: &'static str) -> Answer {
    Answer { status: 201, ..json(schema) }
}

/// Something is left to do.
const fn accepted(schema: &'static str) -> Answer {
    Answer { status: 202, ..json(schema) }
}

macro_rules! query {
    () => { &[] };
    ([$($name:ident)*]) => { &[$(parameter::$name),*] };
    ($list:ident) => { parameter::$list };
}

macro_rules! body {
    () => {
        None
    };
    ($schema:literal) => {
        Some($schema)
    };
}

/// Declares the routes: method, path, what answers; who may ask, how it is cached; the query's parameters and the schema of the body,
/// where it takes them; its answers; groups of problems, then others; what it is for.
macro_rules! routes {
    ($(
        $method:ident $path:literal => $endpoint:expr; $access:expr, $cache:expr; $(query $query:tt;)? $(body $body:literal;)?
        answers [$($answer:expr),*]; problems [$($group:ident)* $(+ $($code:ident)*)?]
        $summary:literal
    )*) => {
        /// The table. Where two patterns fit a path, the first one holds.
        pub static ROUTES: &[Route] = &[$(Route {
            method: Method::$method,
            path: $path,
            endpoint: $endpoint,
            access: $access,
            query: query!($($query)?),
            body: body!($($body)?),
            cache: $cache,
            answers: &[$($answer),*],
            own_problems: &[$(problem::$group,)* $(&[$(Code::$code),*])?],
            summary: $summary,
        }),*];
    };
}

routes! {
    Get "/" => About; Anyone, No;
        answers [text("text/plain; charset=utf-8")]; problems []
        "A line that says what this is. Under `npm start` the demo page."
    Get "/admin" => AdminPage; Anyone, No;
        answers [text(Form::Html.content_type())]; problems []
        "The page for who has the `ADMIN_TOKEN` of a site."
    Get "/beacon.js" => BeaconModule; Anyone, Revalidated;
        answers [text("text/javascript; charset=utf-8"), UNCHANGED]; problems []
        "The browser module that sends clicks."
    Get "/v/{file}" => ModuleVersion; Anyone, Immutable;
        answers [text("text/javascript; charset=utf-8")]; problems [+ NotFound]
        "The same module at an address that is made of its content; `boards` names it."
    Get "/board.js" => BoardModule; Anyone, Revalidated;
        answers [text("text/javascript; charset=utf-8"), UNCHANGED]; problems []
        "The browser module that shows rankings."
    Get "/board-texts.js" => BoardTexts; Anyone, Revalidated;
        answers [text("text/javascript; charset=utf-8"), UNCHANGED]; problems []
        "What that module says in other languages than English."
    Get "/openapi.json" => Description; Anyone, No;
        answers [json("OpenApi")]; problems []
        "This description, as OpenAPI 3.1."
    Get "/healthz" => Alive; Anyone, No;
        answers [json("Health")]; problems []
        "The worker runs."
    Get "/readyz" => Ready; Anyone, No;
        answers [json("Readiness")]; problems [READS + BindingNeeded]
        "Redis can count: it runs a script that writes, and no binding is missing. `status` says whether Redis lost something, and whether the clocks agree."

    // Sites at run time
    Get "/v1/admin/sites" => Sites(Of::List); DeploymentToken, No; query [SITES AFTER_SITE];
        answers [json("MadeSites")]; problems [SITES + InvalidParameter]
        "The sites that were made at run time, in the order of their names."
    Get "/v1/admin/sites/{site}" => Sites(Of::Get); DeploymentToken, No;
        answers [json("MadeSite")]; problems [SITE]
        "A site that was made at run time, and its configuration."
    Put "/v1/admin/sites/{site}" => Sites(Of::Put); DeploymentToken, No; body "SiteConfiguration";
        answers [json("MadeSite"), created("NewSite")]; problems [SITE CHANGED BODY]
        "Makes a site, and issues its tokens; or replaces the configuration of one."
    Delete "/v1/admin/sites/{site}" => Sites(Of::End); DeploymentToken, No;
        answers [accepted("MadeSite")]; problems [SITE]
        "Deletes a site with all that it has, some minutes later."
    Put "/v1/admin/sites/{site}/state" => Sites(Of::SetState); DeploymentToken, No; body "SiteState";
        answers [json("MadeSite")]; problems [SITE CHANGED BODY]
        "Suspends a site, or lets it count again."
    Post "/v1/admin/sites/{site}/tokens/{kind}" => Sites(Of::Issue); DeploymentToken, No;
        answers [created("IssuedToken")]; problems [SITE CHANGED]
        "Issues a token or a secret, beside the older one."
    Delete "/v1/admin/sites/{site}/tokens/{kind}" => Sites(Of::EndOlder); DeploymentToken, No;
        answers [NO_CONTENT]; problems [SITE CHANGED + NoOlderToken]
        "Ends the older one of two."
    Get "/v1/admin/sites/{site}/export" => Sites(Of::Export); DeploymentToken, No; query [FROM_PLACE];
        answers [text(ExportForm::Lines.content_type())]; problems [SITE + SiteGoing ConfigurationInvalid InvalidParameter]
        "All that a site has, a line of JSON for each thing."
    Post "/v1/admin/sites/{site}/import" => Sites(Of::Import); DeploymentToken, No; body "ExportedLines";
        answers [json("Imported")]; problems [SITE CHANGED BODY BOARD WRITES + ConfigurationInvalid InvalidLine InvalidBoard TooManyBoards Quota InvalidDetails TooManySections]
        "Puts back what an export of a site has."

    // Counting
    Post "/v1/{site}/beacon" => Site(To::Beacon); Page, No; body "Batch";
        answers [NO_CONTENT]; problems [BODY ID EVENT BEACON WRITES]
        "Counts the events of a browser, without those that can never be valid."
    Get "/v1/{site}/beacon.gif" => Site(To::Pixel); Page, No; query [ACTION ITEM ACTOR ID];
        answers [text("image/gif")]; problems [PIXEL WRITES]
        "Counts one event of a page without script."
    Post "/v1/{site}/events" => Site(To::Events); WriteToken, No; query [STANDING]; body "ServerBatch";
        answers [json("Counts"), accepted("Counts")]; problems [WINDOW ID BODY EVENT OUTCOME WRITES + InvalidParameter]
        "Counts the events of the site's server, and reports those of a list that do not count."

    // Reading
    Get "/v1/{site}/boards" => Site(To::Boards); Anyone, No;
        answers [json("Boards")]; problems [READS]
        "The site's boards and windows; for administrators, who send their token, how full they are."
    Get "/v1/{site}/boards/{board}/{window}.html" => Site(To::Rendered(Form::Html)); Anyone, Ranking; query RENDERED;
        answers [text(Form::Html.content_type()), UNCHANGED]; problems [WINDOW PERIODS DATABASE READS + InvalidParameter]
        "A page of a ranking as a list to include in a page."
    Get "/v1/{site}/boards/{board}/{window}.svg" => Site(To::Rendered(Form::Picture)); Anyone, Ranking; query PICTURE;
        answers [text(Form::Picture.content_type()), UNCHANGED]; problems [WINDOW PERIODS DATABASE READS + InvalidParameter]
        "A page of a ranking as a picture."
    Get "/v1/{site}/boards/{board}/{window}/frame.html" => Site(To::Rendered(Form::Frame)); Anyone, Ranking; query FRAME;
        answers [text(Form::Frame.content_type()), UNCHANGED]; problems [WINDOW PERIODS DATABASE READS + InvalidParameter]
        "A page of a ranking as a page for a frame, whose links lead the page around it."
    Get "/v1/{site}/boards/{board}/{window}.rss" => Site(To::Rendered(Form::Rss)); Anyone, Ranking; query RENDERED;
        answers [text(Form::Rss.content_type()), UNCHANGED]; problems [WINDOW PERIODS DATABASE READS + InvalidParameter]
        "A page of a ranking as a feed."
    Get "/v1/{site}/boards/{board}/{window}.csv" => Site(To::Rendered(Form::Csv)); Anyone, Ranking; query RENDERED;
        answers [text(Form::Csv.content_type()), UNCHANGED]; problems [WINDOW PERIODS DATABASE READS + InvalidParameter]
        "A page of a ranking as a table."
    Get "/v1/{site}/boards/{board}/{window}" => Site(To::Top); Anyone, Ranking; query RANKING;
        answers [json("Ranking"), UNCHANGED]; problems [WINDOW PERIODS DATABASE READS + InvalidParameter]
        "A page of a ranking, best first."
    Get "/v1/{site}/boards/{board}/{window}/live" => Site(To::Live); Anyone, No; query [LIVE_LIMIT KNOWN];
        answers [bare(101), text("text/event-stream")]; problems [WINDOW READS + InvalidParameter UpgradeRequired TooManySockets TooManyViewers]
        "A ranking each time that it changes, as a WebSocket or an event stream."
    Get "/v1/{site}/boards/{board}/{window}/members/{id}" => Site(To::Member); Anyone, Ranking; query [AROUND PERIOD];
        answers [json("Member"), UNCHANGED]; problems [WINDOW PERIODS ID READS + InvalidParameter NotOnBoard]
        "The rank of a member, and its neighbours."
    Get "/v1/{site}/boards/{board}/{window}/members/{id}/badge.svg" => Site(To::Badge); Anyone, Ranking; query [PERIOD TITLE];
        answers [text("image/svg+xml"), UNCHANGED]; problems [WINDOW PERIODS ID READS + InvalidParameter]
        "A picture of a member's rank."
    Get "/v1/{site}/boards/{board}/{window}/members/{id}/explain" => Site(To::Explain); Anyone, Ranking; query [PERIOD NEXT];
        answers [json("Explanation"), UNCHANGED]; problems [WINDOW PERIODS ID READS + InvalidParameter NotOnBoard NoBreakdown]
        "What a member's score is made of."
    Get "/v1/{site}/boards/{board}/{window}/rank" => Site(To::Place); Anyone, Ranking; query [SCORE RANK PERIOD];
        answers [json("Place"), UNCHANGED]; problems [WINDOW PERIODS READS + InvalidParameter]
        "The rank that a score would have, or the score of who has a rank."
    Get "/v1/{site}/boards/{board}/{window}/distribution" => Site(To::Distribution); Anyone, Ranking; query [PERIOD];
        answers [json("Distribution"), UNCHANGED]; problems [WINDOW PERIODS READS + InvalidParameter]
        "How many members lie in each interval of the scores."
    Get "/v1/{site}/boards/{board}/{window}/periods" => Site(To::Periods); Anyone, No; query [PAGE NEXT];
        answers [json("Periods")]; problems [WINDOW DATABASE READS + NoHistory InvalidParameter]
        "The periods that are over, and who won them."
    Get "/v1/{site}/boards/{board}/{window}/members/{id}/series" => Site(To::Series); Anyone, Ranking; query [FROM TO UNIT WITH_RANK WITH_ACTIONS];
        answers [json("Series"), UNCHANGED]; problems [WINDOW ID READS + InvalidPeriod InvalidParameter NotOnBoard DatabaseUnavailable]
        "What a member had in each of some periods."
    Post "/v1/{site}/boards/{board}/{window}/series" => Site(To::SeriesOfMany); Anyone, No; query [FROM TO UNIT WITH_RANK WITH_ACTIONS]; body "SeriesIds";
        answers [json("SeriesOfMany")]; problems [WINDOW ID BODY READS + InvalidPeriod InvalidParameter InvalidIds DatabaseUnavailable]
        "What up to 100 members had in each of some periods."
    Post "/v1/{site}/boards/{board}/{window}/ranks" => Site(To::Ranks); Anyone, No; query [PERIOD]; body "IdsOrRangeIds";
        answers [json("RanksOrRanges")]; problems [WINDOW PERIODS ID BODY READS + InvalidIds]
        "Where up to 100 members stand; or between which ranks up to 1,000 do."
    Get "/v1/{site}/top" => Site(To::Tops); Anyone, Ranking; query [BOARDS LIMIT];
        answers [json("Rankings"), UNCHANGED]; problems [WINDOW READS + InvalidParameter]
        "The first pages of several rankings."

    // Items and actors
    Get "/v1/{site}/items" => Site(To::ListDescribed); Anyone, No; query [PAGE NEXT];
        answers [json("DescribedList")]; problems [DATABASE + InvalidParameter]
        "The items that are described, the one that was changed last first."
    Post "/v1/{site}/items" => Site(To::CreateItem); AdminToken, No; body "NewItem";
        answers [created("Described")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Describes a new item; one without an id is given one."
    Put "/v1/{site}/items" => Site(To::DescribeAll(Kind::Item)); AdminToken, No; body "Lines";
        answers [json("BulkCounts")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Describes many items, one on each line."
    Get "/v1/{site}/items/{id}" => Site(To::Described(Kind::Item)); Anyone, Revalidated;
        answers [json("Described"), UNCHANGED, bare(308)]; problems [ID DATABASE + NotDescribed]
        "The details of an item. An item that became another one answers with the address of that one."
    Put "/v1/{site}/items/{id}" => Site(To::Describe(Kind::Item)); AdminToken, No; body "ItemDetails";
        answers [json("Described"), created("Described")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Describes an item."
    Patch "/v1/{site}/items/{id}" => Site(To::PatchDescribed(Kind::Item)); AdminToken, No; body "ItemDetails";
        answers [json("Described")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Changes some of it, by a JSON merge patch."
    Delete "/v1/{site}/items/{id}" => Site(To::DeleteItem); AdminToken, No; query [BY];
        answers [NO_CONTENT, bare(202)]; problems [ID DATABASE READS + InvalidParameter PreconditionFailed]
        "Deletes an item and takes it off every board; 202 while something is left, which upkeep ends."
    Get "/v1/{site}/items/{id}/alias" => Site(To::Alias); AdminToken, No;
        answers [json("Alias")]; problems [ID DATABASE READS + NoAlias]
        "What an item became, and whether all that it had is that one's."
    Post "/v1/{site}/items/{id}/alias" => Site(To::MakeAlias); AdminToken, No; query [DRY_RUN BY]; body "AliasTarget";
        answers [json("Alias"), accepted("Alias")]; problems [ID BODY DATABASE WRITES + InvalidParameter NotPossible Contended]
        "Makes an item another one, with all that it has; 202 while something is left, which upkeep ends."
    Put "/v1/{site}/actors" => Site(To::DescribeAll(Kind::Actor)); AdminToken, No; body "Lines";
        answers [json("BulkCounts")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Describes many actors, one on each line."
    Get "/v1/{site}/actors/{id}" => Site(To::Described(Kind::Actor)); Anyone, Revalidated;
        answers [json("Described"), UNCHANGED]; problems [ID DATABASE + NotDescribed]
        "What is known of an actor."
    Put "/v1/{site}/actors/{id}" => Site(To::Describe(Kind::Actor)); AdminToken, No; body "ActorDetails";
        answers [json("Described"), created("Described")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Describes an actor."
    Patch "/v1/{site}/actors/{id}" => Site(To::PatchDescribed(Kind::Actor)); AdminToken, No; body "ActorDetails";
        answers [json("Described")]; problems [ID BODY DATABASE WRITES + InvalidDetails NotDescribed AlreadyDescribed PreconditionFailed TooManySections Contended]
        "Changes some of it, by a JSON merge patch."
    Get "/v1/{site}/actors/{id}/activity" => Site(To::Activity); WriteToken, No; query [DAYS DETAILS DETAILS_LIMIT DETAILS_AFTER];
        answers [json("ActivityOrDetails")]; problems [ID READS + InvalidParameter NoActivity]
        "What an actor did, by day or one by one."
    Post "/v1/{site}/mine" => Site(To::Mine); Page, No; body "Mine";
        answers [json("MineAnswer")]; problems [MINE ID BODY READS + InvalidIds InvalidParameter InvalidToken NoActivity]
        "What the actor of a token did: which of up to 100 items, by day, or one by one."
    Delete "/v1/{site}/actors/{id}" => Site(To::EraseActor); WriteToken, No; query [CURSOR];
        answers [NO_CONTENT, accepted("Continuation")]; problems [ID WRITES + InvalidParameter DatabaseUnavailable]
        "Erases an actor; 202 while something is left, to be asked again with the `cursor`."

    // Administration
    Get "/v1/{site}/admin/boards/{board}/hidden" => Site(To::ListCurated(List::Hidden)); AdminToken, No;
        answers [json("Curated")]; problems [BOARD READS]
        "The hidden members of a board."
    Put "/v1/{site}/admin/boards/{board}/hidden/{id}" => Site(To::Curate(List::Hidden)); AdminToken, No;
        answers [NO_CONTENT]; problems [BOARD ID WRITES + ListFull]
        "Hides a member."
    Delete "/v1/{site}/admin/boards/{board}/hidden/{id}" => Site(To::Uncurate(List::Hidden)); AdminToken, No;
        answers [NO_CONTENT]; problems [BOARD ID WRITES + ListFull]
        "Shows it again."
    Put "/v1/{site}/admin/hidden/{id}" => Site(To::HideEverywhere); AdminToken, No; query [CURSOR];
        answers [NO_CONTENT, accepted("Continuation")]; problems [ID WRITES + InvalidParameter ListFull]
        "Hides a member on every board of the site; 202 while boards are left, to be asked again with the `cursor`."
    Delete "/v1/{site}/admin/hidden/{id}" => Site(To::ShowEverywhere); AdminToken, No; query [CURSOR];
        answers [NO_CONTENT, accepted("Continuation")]; problems [ID WRITES + InvalidParameter ListFull]
        "Shows it again on every board; 202 as before."
    Get "/v1/{site}/admin/boards/{board}/pinned" => Site(To::ListCurated(List::Pinned)); AdminToken, No;
        answers [json("Curated")]; problems [BOARD READS]
        "The pinned members of a board, in their order."
    Put "/v1/{site}/admin/boards/{board}/pinned/{id}" => Site(To::Curate(List::Pinned)); AdminToken, No;
        answers [NO_CONTENT]; problems [BOARD ID WRITES + ListFull]
        "Pins a member."
    Delete "/v1/{site}/admin/boards/{board}/pinned/{id}" => Site(To::Uncurate(List::Pinned)); AdminToken, No;
        answers [NO_CONTENT]; problems [BOARD ID WRITES + ListFull]
        "Unpins it."
    Delete "/v1/{site}/admin/boards/{board}/members/{id}" => Site(To::Remove); AdminToken, No; query [KEEP_OFF DRY_RUN BY];
        answers [json("Removal"), accepted("Removal")]; problems [BOARD ID WRITES + InvalidParameter ListFull]
        "Takes a member off every window of a board."
    Delete "/v1/{site}/admin/boards/{board}/members" => Site(To::Remove); AdminToken, No; query [PREFIX KEEP_OFF DRY_RUN BY];
        answers [json("Removal"), accepted("Removal")]; problems [BOARD ID WRITES + InvalidParameter ListFull]
        "Takes every member whose id begins so off every window of a board."
    Put "/v1/{site}/admin/boards/{board}/members/{id}" => Site(To::LetIn); AdminToken, No; query [BY];
        answers [NO_CONTENT]; problems [BOARD ID WRITES + InvalidParameter ListFull]
        "Lets a removed member in again."
    Put "/v1/{site}/admin/boards/{board}/members" => Site(To::LetIn); AdminToken, No; query [PREFIX BY];
        answers [NO_CONTENT]; problems [BOARD ID WRITES + InvalidParameter ListFull]
        "Lets a removed prefix in again."
    Get "/v1/{site}/admin/boards/{board}/removed" => Site(To::ListRemoved); AdminToken, No; query [CURSOR];
        answers [json("Removed")]; problems [BOARD READS + InvalidParameter]
        "The members that are kept off a board."
    Post "/v1/{site}/admin/boards/{board}/reset" => Site(To::Reset); AdminToken, No; query [RESET_WINDOW DRY_RUN BY];
        answers [json("Reset")]; problems [WINDOW WRITES + InvalidParameter ClockDiffers DatabaseUnavailable]
        "Empties a board, or a window of it."
    Get "/v1/{site}/admin/boards/{board}/reset" => Site(To::ListResets); AdminToken, No; query [CURSOR];
        answers [json("Resets")]; problems [BOARD READS + DatabaseUnavailable]
        "The scores that resets took from periods, as they were archived."
    Post "/v1/{site}/admin/boards/{board}/rebuild" => Site(To::Rebuild); AdminToken, No; query [REBUILT_WINDOW BY];
        answers [json("Rebuilt"), accepted("Rebuilt")]; problems [WINDOW WRITES + InvalidParameter]
        "Makes rolling windows anew of their base periods; 202 while upkeep goes on."
    Post "/v1/{site}/admin/boards/{board}/freeze" => Site(To::Freeze); AdminToken, No; query [FROZEN_WINDOW FROZEN_PERIOD BY];
        answers [json("Frozen"), accepted("Frozen")]; problems [WINDOW PERIODS DATABASE READS + NoHistory InvalidParameter PeriodNotOver ClockDiffers NotRestored]
        "Freezes a period anew, as Redis or the archive has it now; 202 while it has to wait."
    Get "/v1/{site}/admin/boards/{board}/export/{window}.ndjson" => Site(To::Export(ExportForm::Lines)); AdminToken, No; query [PERIOD RESET_AT];
        answers [text(ExportForm::Lines.content_type())]; problems [WINDOW PERIODS READS + DatabaseUnavailable]
        "All members of a calendar period, a line of JSON each."
    Get "/v1/{site}/admin/boards/{board}/export/{window}.csv" => Site(To::Export(ExportForm::Csv)); AdminToken, No; query [PERIOD RESET_AT];
        answers [text(Form::Csv.content_type())]; problems [WINDOW PERIODS READS + DatabaseUnavailable]
        "All members of a calendar period, as a table."
    Get "/v1/{site}/admin/boards" => Site(To::Fullness); AdminToken, No;
        answers [json("Fullness")]; problems [READS]
        "How full the boards are."
    Get "/v1/{site}/admin/templates/{board}" => Site(To::ListMade); AdminToken, No; query [MADE AFTER_BOARD];
        answers [json("MadeBoards")]; problems [BOARD READS + InvalidParameter]
        "The boards of a template, in the order of their names."
    Get "/v1/{site}/admin/boards/{board}" => Site(To::Made); AdminToken, No;
        answers [json("MadeBoard")]; problems [BOARD READS + InvalidBoard]
        "A board of a template, and its state."
    Put "/v1/{site}/admin/boards/{board}" => Site(To::MakeBoard); AdminToken, No; query [BY]; body "BoardDetails";
        answers [json("MadeBoard"), created("MadeBoard")]; problems [BOARD BODY WRITES + InvalidBoard TooManyBoards InvalidParameter]
        "Makes a board of a template, or changes the details of one."
    Delete "/v1/{site}/admin/boards/{board}" => Site(To::EndBoard); AdminToken, No; query [BY];
        answers [accepted("MadeBoard")]; problems [BOARD WRITES + InvalidBoard InvalidParameter]
        "Deletes a board of a template, with all that it counted, some minutes later."
    Put "/v1/{site}/admin/boards/{board}/archive" => Site(To::ArchiveBoard); AdminToken, No; query [BY];
        answers [accepted("MadeBoard")]; problems [BOARD WRITES + InvalidBoard NotArchivable InvalidParameter]
        "Has a board of a template that has ended kept in the archive alone, when all its periods are over."
    Delete "/v1/{site}/admin/boards/{board}/archive" => Site(To::OpenBoard); AdminToken, No; query [BY];
        answers [accepted("MadeBoard")]; problems [BOARD WRITES + InvalidBoard BoardArchived InvalidParameter]
        "Brings an archived board of a template back, some minutes later."
    Get "/v1/{site}/admin/unconfigured" => Site(To::ListUnconfigured); AdminToken, No; query [LISTED_BOARD UNCONFIGURED_PART CURSOR];
        answers [json("Unconfigured")]; problems [READS + InvalidParameter]
        "What is kept of boards and windows that are no longer configured."
    Delete "/v1/{site}/admin/unconfigured" => Site(To::RemoveUnconfigured); AdminToken, No; query [UNCONFIGURED_BOARD UNCONFIGURED_PART DRY_RUN CURSOR BY];
        answers [json("Unconfigured"), accepted("Unconfigured")]; problems [WRITES + InvalidParameter]
        "Removes it."
    Get "/v1/{site}/admin/audit" => Site(To::Audit); AdminToken, No; query [AUDIT_LIMIT];
        answers [json("Audit")]; problems [READS + InvalidParameter]
        "The log of removals, resets and revocations, with their authors."
    Post "/v1/{site}/admin/revoke" => Site(To::Revoke); AdminToken, No; query [CURSOR BY]; body "Revocation";
        answers [json("Revoked"), accepted("Revoked")]; problems [BODY WRITES + NoJournal InvalidParameter InvalidRevocation]
        "Takes back what an actor, a visitor or an item did in a span of time."
    Get "/v1/{site}/admin/restore" => Site(To::Restoration); AdminToken, No;
        answers [json("Restoration")]; problems [+ DatabaseUnavailable]
        "What Redis lost and nobody has restored or accepted."
    Post "/v1/{site}/admin/restore" => Site(To::Restore); AdminToken, No; query [DRY_RUN CURSOR BY]; body "Restore";
        answers [json("Restored"), accepted("Restored")]; problems [BODY WRITES + InvalidParameter ClockDiffers DatabaseUnavailable]
        "Puts back what Redis lost, from the archive; or accepts that it is lost."
    Get "/v1/{site}/admin/dead" => Site(To::ListDead); AdminToken, No; query [LETTERS AFTER_LETTER UNKNOWN];
        answers [json("DeadLetters")]; problems [READS + InvalidParameter]
        "Messages of the queue that could not be counted, the oldest first."
    Delete "/v1/{site}/admin/dead" => Site(To::DeleteDead); AdminToken, No; query [UNKNOWN BY];
        answers [NO_CONTENT]; problems [WRITES + InvalidParameter]
        "Throws all of them away."
    Post "/v1/{site}/admin/dead/replay" => Site(To::ReplayDead); AdminToken, No; query [UNKNOWN BY]; body "Replay";
        answers [json("Replayed"), accepted("Replayed")]; problems [BODY WRITES + InvalidReplay InvalidParameter]
        "Counts some of them, or all, at the instants at which they were sent."
    Delete "/v1/{site}/admin/dead/{id}" => Site(To::DeleteDead); AdminToken, No; query [UNKNOWN BY];
        answers [NO_CONTENT]; problems [WRITES + InvalidParameter]
        "Throws one of them away."
    Get "/v1/{site}/admin/metrics" => Site(To::Metrics); MetricsToken, No;
        answers [text("text/plain; version=0.0.4; charset=utf-8")]; problems [READS]
        "What Redis knows of the site's boards, and what the isolate did, for Prometheus."
    Get "/v1/{site}/admin/metrics/history" => Site(To::MetricsHistory); MetricsToken, No; query [HOURS];
        answers [json("MetricsHistory")]; problems [+ InvalidParameter NoDataset DatasetUnavailable]
        "Events and commands over time, of all isolates, from the dataset."
    Get "/v1/{site}/admin/upkeep" => Site(To::UpkeepProgress); AdminToken, No;
        answers [json("Upkeep")]; problems [WRITES]
        "How far upkeep is."
    Post "/v1/{site}/admin/upkeep" => Site(To::Upkeep); AdminToken, No;
        answers [json("Upkeep")]; problems [WRITES]
        "Does upkeep for up to 10 seconds."
}
