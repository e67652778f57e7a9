//! What went wrong, as names that are part of the wire format.

use http::StatusCode;

/// Declares the codes with their names and meanings, and lists them all.
macro_rules! event_codes {
    ($($variant:ident $name:literal $meaning:literal)*) => {
        /// Why an event or a batch is refused. The name of a code is part of the wire format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum EventCode { $(#[doc = $meaning] $variant,)* }

        impl EventCode {
            pub const EACH: &[Self] = &[$(Self::$variant,)*];

            /// In kebab case.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What it means, for the reference.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning,)* }
            }
        }
    };
}

event_codes! {
    InvalidJson "invalid-json" "The body is not JSON, or not of the kind that the address takes."
    BodyTooLarge "body-too-large" "The body has more bytes than the address takes."
    TooManyEvents "too-many-events" "The batch has more than 100 events, or the beacon more than the site's `max_beacon_events`."
    InvalidEvent "invalid-event" "An event is not an object."
    UnknownField "unknown-field" "An event or a batch has a field that does not exist."
    InvalidAction "invalid-action" "The action is missing or is not text."
    UnknownAction "unknown-action" "The site has no such action."
    ActionNotPublic "action-not-public" "Browsers may not send this action."
    InvalidItem "invalid-item" "The item is missing or is not an id."
    InvalidActor "invalid-actor" "The actor is not an id, or an undo names none."
    InvalidVisitor "invalid-visitor" "The visitor is not an address and an agent, or a browser names one."
    InvalidAgo "invalid-ago" "`ago` is not a number of milliseconds in range."
    InvalidAt "invalid-at" "`at` is not an instant, is sent together with `ago`, or comes from a browser."
    InvalidUndo "invalid-undo" "`undo` is not true or false."
    InvalidCount "invalid-count" "`count` is not a whole number from 1 to 4294967295, or is of a browser or an undo."
    InvalidValue "invalid-value" "`value` is missing, is not a number that the boards of the action allow, or no board of the action ranks values."
    InvalidMeta "invalid-meta" "`meta` has more than 256 bytes as JSON, or the event has no `value`."
    InvalidSeq "invalid-seq" "`seq` is not a whole number from 1 to 9007199254740991, or the event is nothing that can be undone."
    InvalidBoards "invalid-boards" "`boards` is not a list of 1 to 10 boards of templates, or one of them does not count the action."
    UnknownBoard "unknown-board" "The site has no such board; or an event names one that there is not."
    BoardNotPublic "board-not-public" "Browsers may not name boards of this template."
    BoardClosed "board-closed" "The event names a board that has not begun, or has ended."
    UndoNotPossible "undo-not-possible" "The action is not reversible, or a browser asks for an undo."
    SeqMissing "seq-missing" "The action can be undone, and comes by a queue, which keeps no order: it needs a `seq`."
    InvalidId "invalid-id" "An id has characters or a length that are not allowed."
    AtInFuture "at-in-future" "`at` is later than Redis's clock."
    TooOld "too-old" "No window keeps the event's period any more."
    OutOfSeason "out-of-season" "The board counts in seasons only, and the event is of none."
    BoardFull "board-full" "The member is new and every window has `max_members` already."
    Reset "reset" "The board was reset after the instant of the event, or of the action that it undoes, in all windows that the event counts in."
    ItemGone "item-gone" "The member was removed from every board that the event counts on."
    UnknownItem "unknown-item" "The site counts known items only, and its server announced no such item."
    TooManyNew "too-many-new" "The member is new, and its sender or the sender's network put as many on the board within the hour as `new_members` lets it."
    TooManyVisitors "too-many-visitors" "The action counts once, and enough others of the visitor's address or network came first that day: `visitors_per_address`."
    AlreadyDone "already-done" "The action counts once, and was done before."
    NotDone "not-done" "There is nothing to undo."
    AlreadyUndone "already-undone" "The action was undone before."
    UndoTooLate "undo-too-late" "The action is older than the site's `actor_history`."
    Superseded "superseded" "What the actor did or undid with a newer `seq` was applied already."
}

/// Declares the codes with their statuses, names and meanings, and lists them all.
macro_rules! codes {
    ($($variant:ident $status:literal $name:literal $meaning:literal)*) => {
        /// What went wrong. The name of a code is part of the wire format.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $(#[doc = $meaning] $variant,)*
            /// What is wrong with an event or a batch.
            Event(EventCode),
        }

        impl Code {
            /// Every code but those of events.
            pub const OWN: &[Self] = &[$(Self::$variant,)*];

            /// In kebab case.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                    Self::Event(code) => code.name(),
                }
            }

            /// The status of a response with this code. Codes of events also stand in the `rejected` list of a 200.
            pub fn status(self) -> StatusCode {
                let status = match self {
                    $(Self::$variant => $status,)*
                    Self::Event(EventCode::ActionNotPublic | EventCode::BoardNotPublic) => 403,
                    Self::Event(EventCode::UnknownBoard) => 404,
                    Self::Event(EventCode::BoardFull | EventCode::BoardClosed) => 409,
                    Self::Event(EventCode::TooManyNew | EventCode::TooManyVisitors) => 429,
                    Self::Event(EventCode::BodyTooLarge | EventCode::TooManyEvents) => 413,
                    Self::Event(_) => 400,
                };
                StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
            }

            /// What it means, for the reference.
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Self::$variant => $meaning,)*
                    Self::Event(code) => code.meaning(),
                }
            }
        }
    };
}

codes! {
    NotFound 404 "not-found" "There is nothing at this address."
    MethodNotAllowed 405 "method-not-allowed" "The address has other methods; `Allow` names them."
    InvalidEncoding 400 "invalid-encoding" "The path or a parameter is not percent-encoded UTF-8."
    UnknownParameter 400 "unknown-parameter" "The address has no such query parameter."
    RepeatedParameter 400 "repeated-parameter" "A query parameter is given twice."
    InvalidParameter 400 "invalid-parameter" "A query parameter's value is not allowed."
    InvalidPeriod 400 "invalid-period" "The period is not written as the window's periods are."
    InvalidRevocation 400 "invalid-revocation" "What is to be revoked is not one actor, visitor or item in a span of time."
    InvalidReplay 400 "invalid-replay" "What is to be replayed is not `ids` of 1 to 100 letters, or `all`; or `seq` is no whole number above 0."
    InvalidIds 400 "invalid-ids" "`ids` is not a list of 1 to 100 ids."
    UnknownSite 404 "unknown-site" "No site has this name."
    SiteSuspended 403 "site-suspended" "The site is suspended: nothing is counted or changed there."
    SiteGoing 410 "site-going" "The site is being deleted; its name is free again some minutes later."
    SiteConfigured 409 "site-configured" "The site is one of wrangler.toml, which is changed by a deployment."
    InvalidSite 400 "invalid-site" "The name of the site, its configuration or another field of the body is not allowed."
    InvalidLine 400 "invalid-line" "A line is none of an export of a site, or the site has no place for what it says."
    Quota 429 "quota" "The site uses what its quota allows; `Retry-After` says how long to wait, where waiting helps."
    NoOlderToken 409 "no-older-token" "Only one of the kind is valid; issue another one first."
    NoSitesSecret 404 "no-sites-secret" "The deployment has no `SITES_SECRET`, so no sites are made while it runs."
    BoardGoing 410 "board-going" "The board is being deleted; its name is free again some minutes later."
    BoardArchived 409 "board-archived" "The board is in the archive alone, or on its way there or back."
    NotArchivable 409 "not-archivable" "The board has not ended, is being opened, or its template has no archive."
    TooManyBoards 409 "too-many-boards" "The template has as many boards as `max_boards` allows."
    InvalidBoard 400 "invalid-board" "The name of the board is not one of a template, or its details are not allowed."
    UnknownWindow 404 "unknown-window" "The board has no such window."
    UnknownPeriod 404 "unknown-period" "The period does not exist, has not begun, or is no longer kept."
    NotOnBoard 404 "not-on-board" "The member is not on the board in this period."
    NoBreakdown 404 "no-breakdown" "The board keeps no counts by action."
    NoHistory 404 "no-history" "The board freezes no periods."
    NoJournal 404 "no-journal" "The site keeps no journal."
    NoDatabase 404 "no-database" "The deployment has no database of items and actors."
    NoDataset 404 "no-dataset" "The deployment reads no dataset of metrics."
    NotDescribed 404 "not-described" "Nothing is known of the item or actor."
    NoAlias 404 "no-alias" "The item became no other one."
    NoActivity 404 "no-activity" "The site keeps no activity log."
    Unauthorized 401 "unauthorized" "The token is missing or wrong, or the deployment has none."
    InvalidToken 401 "invalid-token" "The token of the actor is missing, was not signed for the site, or has expired."
    TooManyAttempts 429 "too-many-attempts" "Too many wrong tokens came from this address; `Retry-After` says how long to wait."
    TooManyRequests 429 "too-many-requests" "Too many requests came from this address in a minute; `Retry-After` says how long to wait."
    OriginNotAllowed 403 "origin-not-allowed" "Pages of this origin may not send events to the site."
    InvalidDetails 400 "invalid-details" "The details of an item or actor are not allowed."
    AlreadyDescribed 409 "already-described" "The id is taken."
    TooManySections 409 "too-many-sections" "The item's category has no section, and its board has as many as `max_sections` allows."
    NotPossible 409 "alias-not-possible" "The item cannot become the other one."
    Contended 409 "contended" "Others went on changing the same; nothing was written."
    PreconditionFailed 412 "precondition-failed" "What is there is not what `If-Match` or `If-None-Match` expects."
    PeriodNotOver 409 "period-not-over" "The period goes on, or ended less than five minutes ago; nothing was frozen."
    ListFull 409 "list-full" "The list of hidden, pinned or removed members is full."
    UpgradeRequired 426 "upgrade-required" "The address is a WebSocket, or an event stream for who accepts `text/event-stream`."
    TooManySockets 429 "too-many-sockets" "The address watches the ranking over as many sockets and streams as one may have; ask for it now and then."
    TooManyViewers 503 "too-many-viewers" "Too many watch the ranking already; ask for it now and then."
    Unreadable 400 "unreadable" "The request could not be read."
    ConfigurationInvalid 500 "configuration-invalid" "The deployment is configured wrongly; the detail names the key."
    BindingMissing 500 "binding-missing" "What is asked for needs a binding that is not in the deployment; the detail names the option and the binding. Events go on counting."
    BindingNeeded 503 "binding-missing" "Without a binding that is not in the deployment, the events cannot be counted rightly, or the deployment is not ready; the detail names the option and the binding."
    Internal 500 "internal" "Something went wrong in the worker; it was logged."
    DatasetUnavailable 503 "dataset-unavailable" "The dataset of metrics does not answer."
    ClockDiffers 503 "clock-differs" "The clock of Redis and the worker's differ by more than an hour; nothing that is over is copied until they agree."
    NotRestored 503 "not-restored" "Redis lost something of the site; nothing is copied from it until it is restored, or a person accepts the loss."
    DatabaseUnavailable 503 "database-unavailable" "The database or the archive does not answer; what was to be written may have been."
    RedisUnavailable 503 "redis-unavailable" "Redis does not answer; nothing was written."
    ScriptFailed 503 "script-failed" "A script failed in Redis, which is our fault; it was logged. It wrote nothing, other boards of the same batch may have counted."
    OutcomeUnknown 504 "outcome-unknown" "Redis did not say whether everything was written."
}

impl Code {
    /// Every code of a problem or a rejected event.
    pub fn each() -> impl Iterator<Item = Self> {
        Self::OWN.iter().copied().chain(EventCode::EACH.iter().copied().map(Self::Event))
    }
}
