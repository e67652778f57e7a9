/** The API's bodies and routes. Made of its description: `EDGEBOARD_UPDATE=1 npm test -- client/types` writes this file. */

export type Activity = {
  actor: Id;
  days: {
    actions: Record<string, number>;
    day: string | null;
  }[];
  site: string;
};

export type ActivityDetails = {
  actor: Id;
  entries: {
    action: string;
    at: string | null;
    /** how often it happened at once */
    count?: number;
    item: Id;
    /** what it counts, by board */
    points: Record<string, number>;
    undone: boolean;
  }[];
  /** the `after` of the next page; null on the last one */
  next: string | null;
  site: string;
};

export type ActivityOrDetails = Activity | ActivityDetails;

export type ActorDetails = {
  avatar?: string | null;
  /** anything else, up to 8,192 bytes */
  data?: Record<string, unknown> | null;
  name?: string | null;
  url?: string | null;
};

/** v1.EXPIRY.ACTOR.MAC, which the site's server signed; one that names nobody is ignored */
export type ActorToken = string;

export type Alias = {
  /** whether all that it had is that one's */
  done: boolean;
  /** nothing was done */
  dry_run?: boolean;
  /** entries of boards that it had: one on each period's; not there where the alias was begun before */
  entries?: number;
  id: string;
  site: string;
  /** what the item is now, or is to be */
  to: string;
};

export type AliasTarget = {
  to: Id;
};

export type ArchiveState = {
  /** the periods whose archives are behind */
  behind: {
    board: string;
    period: string;
    /** what changed since then is not there yet */
    since: string | null;
    /** the most urgent reason */
    why: 'erased' | 'revoked' | 'counted';
    window: string;
  }[];
  /** what changed in archived periods until then is in the archive */
  until: string | null;
};

export type Audit = {
  entries: {
    /** where the request came from */
    address?: string;
    at: string;
    /** who it was, by the request */
    by?: string;
    did: string;
    [field: string]: unknown;
  }[];
  site: string;
};

export type Batch =
  | {
      events: Event[];
      id?: ReplayId;
      token?: ActorToken;
    }
  | LoneEvent;

export type Boards = {
  boards: {
    /** likewise: those that have values */
    actions?: string[];
    board: string;
    /** to show a score with */
    decimals?: number;
    limit: number;
    members: 'items' | 'actors' | 'authors';
    /** likewise: whether the greatest or the least stands first */
    order?: 'descending' | 'ascending';
    /** where values are ranked: which of them a member has */
    score?: 'max' | 'min' | 'last';
    /** of the board of a section: the board that is parted, and the category */
    section?: {
      of: string;
      value: string;
    };
    /** where sums are ranked */
    weights?: Record<string, number>;
    windows: string[];
  }[];
  fullness?: FullnessList;
  module: {
    beacon_path: Name;
    integrity: string;
    path: string;
  };
  site: string;
  timezone: string;
};

export type BulkCounts = {
  accepted: number;
  /** those that were new or said something else */
  changed: number;
  rejected: {
    code: 'invalid-details';
    detail: string;
    line: number;
  }[];
};

export type Counts = {
  accepted: number;
  duplicate: number;
  /** frozen periods that late events are of, up to 1,000; null where the database does not answer */
  frozen?:
    | {
        board: string;
        /** their ids, the oldest first */
        periods: string[];
        window: Name;
      }[]
    | null;
  rejected: {
    code: string;
    detail: string;
    index: number;
  }[];
  standing?: {
    board: Name;
    /** whether every member's score is right */
    complete: boolean;
    /** those of whom an event was counted */
    members: {
      after: Stood;
      before: Stood;
      id: Id;
    }[];
    period: string | null;
    /** the kind of the ranks; that of a competition while dense ones are not known */
    ranking: 'ordinal' | 'competition' | 'dense';
    window: Name;
  };
};

export type Curated = {
  board: string;
  ids: Id[];
  list: 'hidden' | 'pinned';
  site: string;
};

export type DeadLetter = {
  /** why it was not counted */
  code: string;
  /** the same, for people */
  detail: string;
  died_at: string | null;
  id: string;
  /** what was not counted; text where it is not JSON */
  message: unknown;
  sent_at: string | null;
};

export type DeadLetters = {
  letters: DeadLetter[];
  /** `after` of the next page; null on the last one */
  next: string | null;
  site: string;
};

export type Described = {
  created_at: string;
  details: Details;
  id: string;
  site: string;
  updated_at: string;
};

export type DescribedList = {
  items: {
    category?: string;
    id: string;
    title?: string;
    updated_at: string;
    url?: string;
  }[];
  /** the `cursor` of the next page; null on the last one */
  next: string | null;
  site: string;
};

/** what is known of an item or an actor */
export type Details = {
  author?: Id;
  /** of an actor */
  avatar?: string;
  category?: string;
  /** anything else */
  data?: Record<string, unknown>;
  image?: string;
  /** of an actor */
  name?: string;
  published_at?: string;
  tags?: string[];
  title?: string;
  url?: string;
};

export type Entry = {
  /** how often by action, where it was asked for */
  actions?: Record<string, number>;
  /** what is known of the member, where the database has something */
  details?: Details;
  id: Id;
  /** what its server sent with the value */
  meta?: unknown;
  pinned?: boolean;
  /** in the period before; null: not among the first ones then */
  previous_rank?: number | null;
  rank: number;
  score: number;
  /** the window that it fills the page up from; its score is of that window */
  window?: string;
};

export type Event = {
  /** an action of the site that is public; with a token, also one that is signed */
  action: string;
  actor?: Id;
  /** milliseconds before sending */
  ago?: number;
  id?: ReplayId;
  item: Id;
  /** the order of what the actor does and undoes to the item by what is signed; with a token */
  seq?: number;
  /** takes back what is signed; with a token */
  undo?: boolean;
};

export type Explanation = {
  actions: Share[];
  board: string;
  complete: boolean;
  /** the window counts since then; null where all of it was counted, or where nobody knows */
  counted_since: string | null;
  /** to show a score with */
  decimals?: number;
  formula: {
    beta?: number;
    every?: string;
    factor?: number;
    half_life_s?: number;
    kind: 'calendar' | 'rolling' | 'half-life' | 'step' | 'linear';
    length?: number;
    resets?: string;
    text: string;
    unit?: string;
    weights: Record<string, number>;
  };
  generated_at: string;
  id: Id;
  /** the `cursor` of the next page, of a rolling window with more base periods than a page has; all else is of the page's own periods then */
  next?: string;
  period: Period;
  periods: {
    actions: Share[];
    id: string | null;
    score: number;
    starts_at: string | null;
  }[];
  score: number;
  /** of a half-life: the instant whose scores these are */
  scored_at?: string;
  site: string;
  /** counted before the board kept counts by action */
  unexplained: number;
  window: string;
};

export type File = string;

export type FilledPeriod = {
  /** since when Redis counted it, after the loss */
  counted_since: string;
  /** the spans before that which are restored, in order; what is between them and `counted_since` is lost */
  covered: {
    from: string;
    until: string;
  }[];
  period: string;
  window: string;
};

export type Frozen = {
  board: string;
  /** false: it was frozen so before, and its revision stays */
  changed: boolean;
  /** false: ask for it again */
  done: boolean;
  /** null until it is done */
  period: FrozenPeriod | null;
  site: string;
  /** what it was compared with; null until it is done */
  source: 'redis' | 'archive' | null;
  window: string;
};

export type FrozenPeriod = {
  ends_at: string;
  frozen_at: string;
  id: string;
  /** one more each time that the period was frozen anew */
  revision: number;
  starts_at: string;
  total: number;
  /** null: nobody was on the board */
  winner: Entry | null;
};

export type Fullness = {
  boards: FullnessList;
  site: string;
};

export type FullnessList = {
  board: string;
  max_members: number;
  /** of the current period, those that are shown */
  members: number;
  /** events of new members that the period refused */
  refused: number;
  /** of max_members, with two decimals */
  share: number;
  window: string;
}[];

export type Health = {
  /** what it was built of; `unknown` where nothing said it */
  commit: string;
  status: 'ok';
  /** the worker's, as Cargo.toml has it */
  version: string;
};

/** 1 to 256 bytes of UTF-8 without control characters, other than . and .. */
export type Id = string;

export type Ids = {
  /** also rank them among themselves */
  among?: boolean;
  ids: Id[];
};

/** what is null counts as left out; text has no control characters */
export type ItemDetails = {
  author?: Id | null;
  category?: string | null;
  /** anything else, up to 8,192 bytes */
  data?: Record<string, unknown> | null;
  image?: string | null;
  published_at?: string | null;
  tags?: string[] | null;
  title?: string | null;
  url?: string | null;
};

/** newline-delimited JSON: an `id` and the details beside it on each line, up to 5,000 lines and 1 MiB */
export type Lines = string;

export type LoneEvent = {
  action: string;
  actor?: Id;
  ago?: number;
  id?: ReplayId;
  item: Id;
  /** as in a batch */
  seq?: number;
  token?: ActorToken;
  undo?: boolean;
};

export type Loss = {
  /** Redis has no mark, or an earlier one than upkeep knows */
  code: 'redis-lost' | 'redis-behind';
  /** what is counted since then is there */
  noticed_at: string;
  /** what was counted since then may be missing; null where all may be */
  since: string | null;
};

export type Member = {
  around: Entry[];
  board: string;
  complete: boolean;
  /** only where Redis lost something and nobody has restored it: all is counted since then */
  counted_since?: string;
  /** to show a score with */
  decimals?: number;
  generated_at: string;
  id: Id;
  /** only where Redis dropped boards of periods: those of whose points some are missing here */
  lost?: string[];
  /** what its server sent with the value */
  meta?: unknown;
  /** the lowest score that is higher, and what lacks to it; null: nobody has more, or the member is pinned */
  next_higher: {
    distance: number;
    score: number;
  } | null;
  percentile: number | null;
  period: Period;
  /** null: the past window is not built yet */
  rank: number | null;
  /** the dense ranks of the board are not known yet */
  ranking?: 'competition';
  score: number | null;
  /** of a half-life: the instant whose scores these are */
  scored_at?: string;
  site: string;
  total: number;
  window: string;
};

export type MetricsHistory = {
  hours: number;
  /** steps in which something happened, the earliest first */
  points: {
    /** when the step begins */
    at: string;
    /** sent to Redis */
    commands: number;
    events: number;
  }[];
  site: string;
  /** seconds of a step */
  step_s: number;
};

export type Mine = {
  /** a reversible action of the site; beside `items` */
  action?: string;
  after?: string;
  days?: number;
  details?: boolean;
  items?: Id[];
  limit?: number;
  token: ActorToken;
};

export type MineAnswer =
  | {
      action: string;
      actor: Id;
      done: Id[];
      site: string;
    }
  | Activity
  | ActivityDetails;

export type Name = string;

export type NewItem = {
  author?: Id | null;
  category?: string | null;
  /** anything else, up to 8,192 bytes */
  data?: Record<string, unknown> | null;
  id?: Id | null;
  image?: string | null;
  published_at?: string | null;
  tags?: string[] | null;
  title?: string | null;
  url?: string | null;
};

export type OpenApi = {
  info: Record<string, unknown>;
  openapi: string;
  paths: Record<string, unknown>;
};

export type Period = {
  ends_at: string | null;
  id: string | null;
  starts_at: string | null;
};

export type Periods = {
  board: string;
  /** the `cursor` of the next page; null on the last one */
  next: string | null;
  periods: FrozenPeriod[];
  site: string;
  window: string;
};

export type Place = {
  board: string;
  complete: boolean;
  /** only where Redis lost something and nobody has restored it: all is counted since then */
  counted_since?: string;
  /** to show a score with */
  decimals?: number;
  generated_at: string;
  /** only where Redis dropped boards of periods: those of whose points some are missing here */
  lost?: string[];
  period: Period;
  /** null: so low a score is not shown */
  rank: number | null;
  /** the dense ranks of the board are not known yet */
  ranking?: 'competition';
  /** null: nobody has the rank by its score */
  score: number | null;
  /** of a half-life: the instant whose scores these are */
  scored_at?: string;
  site: string;
  total: number;
  window: string;
};

export type Problem = {
  code: string;
  detail: string;
  status: number;
  title: string;
};

export type Ranking = {
  board: string;
  /** the page is not full, and not every member was looked at */
  bounded?: true;
  /** false while a rolling window is being repaired or built */
  complete: boolean;
  /** only where Redis lost something and nobody has restored it: all is counted since then */
  counted_since?: string;
  /** to show a score with */
  decimals?: number;
  entries: Entry[];
  generated_at: string;
  /** only where Redis dropped boards of periods: those of whose points some are missing here */
  lost?: string[];
  period: Period;
  /** events of new members that a full board refused */
  refused?: number;
  /** of a half-life: the instant whose scores these are */
  scored_at?: string;
  /** members that were looked at, where only some may stay */
  searched?: number;
  site: string;
  /** members of the period */
  total: number;
  /** the database does not answer, and nothing is known of some members */
  undescribed?: true;
  version: string;
  window: string;
};

export type Rankings = {
  boards: Ranking[];
  site: string;
};

export type Ranks = {
  board: string;
  complete: boolean;
  /** only where Redis lost something and nobody has restored it: all is counted since then */
  counted_since?: string;
  /** to show a score with */
  decimals?: number;
  generated_at: string;
  /** only where Redis dropped boards of periods: those of whose points some are missing here */
  lost?: string[];
  period: Period;
  /** the dense ranks of the board are not known yet */
  ranking?: 'competition';
  ranks: {
    id: Id;
    /** what its server sent with the value */
    meta?: unknown;
    percentile: number | null;
    rank: number | null;
    /** with `among`: the rank among those that were asked for */
    rank_among?: number | null;
    score: number | null;
  }[];
  /** of a half-life: the instant whose scores these are */
  scored_at?: string;
  site: string;
  total: number;
  window: string;
};

export type Readiness = {
  /** where they do not agree within an hour: nothing is copied from Redis meanwhile */
  clocks?: {
    redis: string;
    worker: string;
  };
  /** where Redis lost something that nobody has restored or accepted */
  losses?: {
    code: 'redis-lost' | 'redis-behind';
    noticed_at: string;
    since: string | null;
    site: Name;
  }[];
  maxmemory_policy?: string;
  status: 'ready' | 'redis-lost' | 'redis-behind' | 'clock-differs';
};

export type Rebuilt = {
  board: string;
  /** false: upkeep goes on, and GET …/admin/upkeep says how far it is */
  done: boolean;
  site: string;
  windows: {
    board: string;
    busy?: boolean;
    complete?: boolean;
    dropped?: number;
    last_run?: string | null;
    of?: number;
    ready?: boolean;
    scanned?: number;
    task?: 'repair' | 'prepare' | 'past' | 'ready';
    window: string;
  }[];
};

export type Removal = {
  board: string;
  /** nothing is left; else the same is to be asked for again */
  done: boolean;
  /** nothing was removed */
  dry_run: boolean;
  /** entries of boards: a member has one on each period's */
  entries: number;
  /** some of the members */
  members: Id[];
  site: string;
};

export type Removed = {
  board: string;
  /** where to go on; null at the end */
  cursor: string | null;
  removed: {
    id?: Id;
    prefix?: Id;
    since: string;
  }[];
  site: string;
};

export type Replay = unknown | unknown;

/** makes a batch or an event safe to send again */
export type ReplayId = string;

export type Replayed = {
  /** letters that are counted, and gone */
  counted: number;
  /** those that still cannot be */
  dead: DeadLetter[];
  /** nothing is left; else the same is to be asked for again */
  done: boolean;
  /** nothing was counted */
  dry_run: boolean;
  /** where the request has a seq: what the next event would get */
  next_seq?: number;
  site: string;
};

export type Reset = {
  board: string;
  /** nothing was reset */
  dry_run: boolean;
  /** entries of boards: a member has one on each period's */
  entries: number;
  periods: {
    entries: number;
    /** the first period */
    from: string | null;
    /** how many of them had members */
    held: number;
    /** the last one, which is the current one */
    to: string | null;
    unit: string;
  }[];
  /** rolling windows that are incomplete until they are made again of the periods that are left */
  rebuilt: string[];
  /** what happened until then counts no more */
  reset_at: string | null;
  site: string;
  /** null: every window */
  window: string | null;
};

export type Resets = {
  board: string;
  /** where to go on; null at the end */
  cursor: string | null;
  resets: {
    period: string;
    reset_at: string;
    window: string;
  }[];
  site: string;
};

export type Restoration = {
  /** null where no run has noted it */
  archive: ArchiveState | null;
  /** what nobody has restored or accepted; nothing is copied from Redis meanwhile */
  loss: Loss | null;
  site: string;
};

export type Restore = {
  /** true: nothing is restored; what is lost need not come back */
  accept?: boolean;
};

export type Restored = {
  /** null where no run has noted it */
  archive: ArchiveState | null;
  /** those with an archive */
  boards: RestoredBoard[];
  /** nothing is left of the archive; else the same is to be asked for again */
  done: boolean;
  /** nothing was restored */
  dry_run: boolean;
  /** deletions and aliases that upkeep is to end */
  left: number;
  /** what is not settled yet */
  loss: Loss | null;
  site: string;
};

export type RestoredBoard = {
  /** each of these periods */
  archived: {
    period: string;
    /** it has what changed until then; null where nobody knows */
    until: string | null;
    window: string;
  }[];
  board: string;
  /** another run is at the board's archive */
  busy: boolean;
  done: boolean;
  /** the periods that had lost their beginning */
  filled: FilledPeriod[];
  /** their members */
  members: number;
  /** archived periods that this call put back */
  periods: number;
};

export type Revocation = unknown | unknown | unknown;

export type Revoked = {
  /** nothing is left; else the same is to be asked for again */
  done: boolean;
  /** nothing was taken back */
  dry_run: boolean;
  /** once for each board, and for the activity log */
  events: number;
  /** what was recorded since is in the journal; null before it begins */
  journal_since: string | null;
  /** boards that rank values, of which nothing is taken back: a value does not tell which one it replaced */
  left_out: string[];
  /** some of them */
  members: Id[];
  site: string;
};

export type Series = {
  board: string;
  /** what the periods are */
  by: string;
  /** whether each period was looked for; of the archive only the last ones are */
  complete: boolean;
  id: string;
  /** the `from` of the next page; null on the last one */
  next: string | null;
  points: SeriesPoints;
  site: string;
  window: string;
};

export type SeriesIds = {
  ids: Id[];
};

export type SeriesOfMany = {
  board: string;
  /** what the periods are */
  by: string;
  /** whether each period was looked for; of the archive only the last ones are */
  complete: boolean;
  /** the `from` of the next page; null on the last one */
  next: string | null;
  series: {
    id: Id;
    points: SeriesPoints;
  }[];
  site: string;
  window: string;
};

export type SeriesPoints = {
  /** how often, by action; null where that is not known */
  actions?: Record<string, number> | null;
  period: string | null;
  /** one more than the members that had more */
  rank?: number | null;
  /** null where nothing is known of the period */
  score: number | null;
  starts_at: string | null;
}[];

export type ServerBatch =
  | {
      events: ServerEvent[];
      id?: ReplayId;
    }
  | ServerEvent;

export type ServerEvent = {
  /** an action of the site */
  action: string;
  actor?: Id;
  ago?: number;
  /** RFC 3339 or Unix milliseconds, never in the future */
  at?: string | number;
  /** how often it happened, once where it is left out; an undo takes back all of it */
  count?: number;
  id?: ReplayId;
  /** may be left out where the action counts for actors alone */
  item?: Id;
  /** JSON of at most 256 bytes, shown beside the value */
  meta?: unknown;
  /** the source's order of what the actor does and undoes to the item: only what is newer than what was applied is applied */
  seq?: number;
  undo?: boolean;
  /** what boards rank that do not sum */
  value?: number;
  /** whom to tell apart where there is no actor; neither is stored */
  visitor?: {
    address: string;
    agent?: string;
  };
};

export type Share = {
  action: string;
  count: number;
  score: number;
  /** the mean of the weights that were counted; not of decaying windows */
  weight?: number;
};

/** null where the member is not shown */
export type Stood = {
  rank: number;
  score: number;
} | null;

export type Unconfigured = {
  /** where to go on; null when all keys were looked at */
  cursor: string | null;
  /** nothing was removed */
  dry_run: boolean;
  site: string;
  unconfigured: {
    board: string;
    /** in Redis, by samples; 0 where Redis does not tell */
    bytes: number;
    keys: number;
    /** a window, a unit of periods, how scores were ranked, or totals; null: all of a board that is not configured */
    part: string | null;
  }[];
};

export type Upkeep = {
  /** periods that this call archived, where a board has an archive */
  archived?: number;
  boards: {
    board: string;
    max_members: number;
    /** of the current period, those that are shown */
    members: number;
    /** events of new members that the period refused */
    refused: number;
    /** of max_members, with two decimals */
    share: number;
    window: string;
  }[];
  /** periods that this call froze, where a board has a history */
  frozen?: number;
  /** what Redis lost and nobody has restored or accepted; nothing is copied meanwhile */
  loss?: Loss;
  site: string;
  /** members whose totals this call handed on, where a board has totals */
  totals?: number;
  windows: {
    board: string;
    busy?: boolean;
    complete?: boolean;
    dropped?: number;
    last_run?: string | null;
    of?: number;
    ready?: boolean;
    scanned?: number;
    task?: 'repair' | 'prepare' | 'past' | 'ready';
    window: string;
  }[];
};

export interface Routes {
  /** A line that says what this is. Under `npm start` the demo page. */
  'GET /': { asked: { query?: Record<string, never> }; answer: string };
  /** The page for who has the `ADMIN_TOKEN` of a site. */
  'GET /admin': { asked: { query?: Record<string, never> }; answer: string };
  /** The browser module that sends clicks. */
  'GET /beacon.js': { asked: { query?: Record<string, never> }; answer: string };
  /** What that module says in other languages than English. */
  'GET /board-texts.js': { asked: { query?: Record<string, never> }; answer: string };
  /** The browser module that shows rankings. */
  'GET /board.js': { asked: { query?: Record<string, never> }; answer: string };
  /** The worker runs. */
  'GET /healthz': { asked: { query?: Record<string, never> }; answer: Health };
  /** This description, as OpenAPI 3.1. */
  'GET /openapi.json': { asked: { query?: Record<string, never> }; answer: OpenApi };
  /** Redis can count: it runs a script that writes, and no binding is missing. `status` says whether Redis lost something, and whether the clocks agree. */
  'GET /readyz': { asked: { query?: Record<string, never> }; answer: Readiness };
  /** The same module at an address that is made of its content; `boards` names it. */
  'GET /v/{file}': {
    asked: {
      path: {
        file: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** Describes many actors, one on each line. */
  'PUT /v1/{site}/actors': { asked: { query?: Record<string, never>; body: Lines }; answer: BulkCounts };
  /** Erases an actor; 202 while something is left, to be asked again. */
  'DELETE /v1/{site}/actors/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** What is known of an actor. */
  'GET /v1/{site}/actors/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: Described;
  };
  /** Changes some of it, by a JSON merge patch. */
  'PATCH /v1/{site}/actors/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
      body: ActorDetails;
    };
    answer: Described;
  };
  /** Describes an actor. */
  'PUT /v1/{site}/actors/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
      body: ActorDetails;
    };
    answer: Described;
  };
  /** What an actor did, by day or one by one. */
  'GET /v1/{site}/actors/{id}/activity': {
    asked: {
      path: {
        id: string;
      };
      query?: {
        /** days to look at, up to the site's `actor_history` */
        days?: number;
        /** true: what can be undone, one by one instead of by day */
        details?: boolean;
        /** entries on a page of details */
        limit?: number;
        /** the `next` of the page of details before */
        after?: string;
      };
    };
    answer: ActivityOrDetails;
  };
  /** The log of removals, resets and revocations, with their authors. */
  'GET /v1/{site}/admin/audit': {
    asked: {
      query?: {
        /** entries, the latest first */
        limit?: number;
      };
    };
    answer: Audit;
  };
  /** How full the boards are. */
  'GET /v1/{site}/admin/boards': { asked: { query?: Record<string, never> }; answer: Fullness };
  /** All members of a calendar period, as a table. */
  'GET /v1/{site}/admin/boards/{board}/export/{window}.csv': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** what the reset took of the `period` that was then: its `reset_at` */
        reset_at?: string;
      };
    };
    answer: string;
  };
  /** All members of a calendar period, a line of JSON each. */
  'GET /v1/{site}/admin/boards/{board}/export/{window}.ndjson': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** what the reset took of the `period` that was then: its `reset_at` */
        reset_at?: string;
      };
    };
    answer: string;
  };
  /** Freezes a period anew, as Redis or the archive has it now; 202 while it has to wait. */
  'POST /v1/{site}/admin/boards/{board}/freeze': {
    asked: {
      path: {
        board: string;
      };
      query: {
        /** a calendar or rolling window of the board */
        window: string;
        /** the id of a period that is over, such as `2026-11-20` of `day` */
        period: string;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: Frozen;
  };
  /** The hidden members of a board. */
  'GET /v1/{site}/admin/boards/{board}/hidden': {
    asked: {
      path: {
        board: string;
      };
      query?: Record<string, never>;
    };
    answer: Curated;
  };
  /** Shows it again. */
  'DELETE /v1/{site}/admin/boards/{board}/hidden/{id}': {
    asked: {
      path: {
        board: string;
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** Hides a member. */
  'PUT /v1/{site}/admin/boards/{board}/hidden/{id}': {
    asked: {
      path: {
        board: string;
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** Takes every member whose id begins so off every window of a board. */
  'DELETE /v1/{site}/admin/boards/{board}/members': {
    asked: {
      path: {
        board: string;
      };
      query: {
        /** what the members' ids begin with */
        prefix: string;
        /** false: let events that come later count again */
        keep_off?: boolean;
        /** true: only answer what would be done */
        dry_run?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: Removal;
  };
  /** Lets a removed prefix in again. */
  'PUT /v1/{site}/admin/boards/{board}/members': {
    asked: {
      path: {
        board: string;
      };
      query: {
        /** what the members' ids begin with */
        prefix: string;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: string;
  };
  /** Takes a member off every window of a board. */
  'DELETE /v1/{site}/admin/boards/{board}/members/{id}': {
    asked: {
      path: {
        board: string;
        id: string;
      };
      query?: {
        /** false: let events that come later count again */
        keep_off?: boolean;
        /** true: only answer what would be done */
        dry_run?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: Removal;
  };
  /** Lets a removed member in again. */
  'PUT /v1/{site}/admin/boards/{board}/members/{id}': {
    asked: {
      path: {
        board: string;
        id: string;
      };
      query?: {
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: string;
  };
  /** The pinned members of a board, in their order. */
  'GET /v1/{site}/admin/boards/{board}/pinned': {
    asked: {
      path: {
        board: string;
      };
      query?: Record<string, never>;
    };
    answer: Curated;
  };
  /** Unpins it. */
  'DELETE /v1/{site}/admin/boards/{board}/pinned/{id}': {
    asked: {
      path: {
        board: string;
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** Pins a member. */
  'PUT /v1/{site}/admin/boards/{board}/pinned/{id}': {
    asked: {
      path: {
        board: string;
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** Makes rolling windows anew of their base periods; 202 while upkeep goes on. */
  'POST /v1/{site}/admin/boards/{board}/rebuild': {
    asked: {
      path: {
        board: string;
      };
      query?: {
        /** one rolling window of the board; without it all of them */
        window?: string;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: Rebuilt;
  };
  /** The members that are kept off a board. */
  'GET /v1/{site}/admin/boards/{board}/removed': {
    asked: {
      path: {
        board: string;
      };
      query?: {
        /** where to go on: the `cursor` of the answer before */
        cursor?: string;
      };
    };
    answer: Removed;
  };
  /** The scores that resets took from periods, as they were archived. */
  'GET /v1/{site}/admin/boards/{board}/reset': {
    asked: {
      path: {
        board: string;
      };
      query?: {
        /** where to go on: the `cursor` of the answer before */
        cursor?: string;
      };
    };
    answer: Resets;
  };
  /** Empties a board, or a window of it. */
  'POST /v1/{site}/admin/boards/{board}/reset': {
    asked: {
      path: {
        board: string;
      };
      query?: {
        /** one window of the board; without it all of them */
        window?: string;
        /** true: only answer what would be done */
        dry_run?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: Reset;
  };
  /** Throws all of them away. */
  'DELETE /v1/{site}/admin/dead': {
    asked: {
      query?: {
        /** true: the messages that name no site that is known, for who has the token of all sites */
        unknown?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: string;
  };
  /** Messages of the queue that could not be counted, the oldest first. */
  'GET /v1/{site}/admin/dead': {
    asked: {
      query?: {
        /** letters on the page */
        limit?: number;
        /** what the page before says as `next` */
        after?: string;
        /** true: the messages that name no site that is known, for who has the token of all sites */
        unknown?: boolean;
      };
    };
    answer: DeadLetters;
  };
  /** Counts some of them, or all, at the instants at which they were sent. */
  'POST /v1/{site}/admin/dead/replay': {
    asked: {
      query?: {
        /** true: the messages that name no site that is known, for who has the token of all sites */
        unknown?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
      body: Replay;
    };
    answer: Replayed;
  };
  /** Throws one of them away. */
  'DELETE /v1/{site}/admin/dead/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: {
        /** true: the messages that name no site that is known, for who has the token of all sites */
        unknown?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: string;
  };
  /** Shows it again on every board. */
  'DELETE /v1/{site}/admin/hidden/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** Hides a member on every board of the site. */
  'PUT /v1/{site}/admin/hidden/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: string;
  };
  /** What Redis knows of the site's boards, and what the isolate did, for Prometheus. */
  'GET /v1/{site}/admin/metrics': { asked: { query?: Record<string, never> }; answer: string };
  /** Events and commands over time, of all isolates, from the dataset. */
  'GET /v1/{site}/admin/metrics/history': {
    asked: {
      query?: {
        /** how far to look back */
        hours?: number;
      };
    };
    answer: MetricsHistory;
  };
  /** What Redis lost and nobody has restored or accepted. */
  'GET /v1/{site}/admin/restore': { asked: { query?: Record<string, never> }; answer: Restoration };
  /** Puts back what Redis lost, from the archive; or accepts that it is lost. */
  'POST /v1/{site}/admin/restore': {
    asked: {
      query?: {
        /** true: only answer what would be done */
        dry_run?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
      body?: Restore;
    };
    answer: Restored;
  };
  /** Takes back what an actor, a visitor or an item did in a span of time. */
  'POST /v1/{site}/admin/revoke': {
    asked: {
      query?: {
        /** who does it, for the audit log */
        by?: string;
      };
      body: Revocation;
    };
    answer: Revoked;
  };
  /** Removes it. */
  'DELETE /v1/{site}/admin/unconfigured': {
    asked: {
      query: {
        /** whose keys these are */
        board: string;
        /** of that board, as the list tells it; all parts where it is left out */
        part?: string;
        /** true: only answer what would be done */
        dry_run?: boolean;
        /** where to go on: the `cursor` of the answer before */
        cursor?: string;
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: Unconfigured;
  };
  /** What is kept of boards and windows that are no longer configured. */
  'GET /v1/{site}/admin/unconfigured': {
    asked: {
      query?: {
        /** whose keys these are */
        board?: string;
        /** of that board, as the list tells it; all parts where it is left out */
        part?: string;
        /** where to go on: the `cursor` of the answer before */
        cursor?: string;
      };
    };
    answer: Unconfigured;
  };
  /** How far upkeep is. */
  'GET /v1/{site}/admin/upkeep': { asked: { query?: Record<string, never> }; answer: Upkeep };
  /** Does upkeep for up to 10 seconds. */
  'POST /v1/{site}/admin/upkeep': { asked: { query?: Record<string, never> }; answer: Upkeep };
  /** Counts the events of a browser, without those that can never be valid. */
  'POST /v1/{site}/beacon': { asked: { query?: Record<string, never>; body: Batch }; answer: string };
  /** Counts one event of a page without script. */
  'GET /v1/{site}/beacon.gif': {
    asked: {
      query: {
        /** a public action of the site */
        action: string;
        /** the item's id */
        item: string;
        /** who acts */
        actor?: string;
        /** makes the event safe to send again */
        id?: string;
      };
    };
    answer: string;
  };
  /** The site's boards and windows; for administrators, who send their token, how full they are. */
  'GET /v1/{site}/boards': { asked: { query?: Record<string, never> }; answer: Boards };
  /** A page of a ranking, best first. */
  'GET /v1/{site}/boards/{board}/{window}': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** entries on the page, up to the board's `limit` */
        limit?: number;
        /** entries before the page; `offset` + `limit` is at most the board's `limit`, and 100,000 where its snapshots have all members */
        offset?: number;
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** true: show what is known of each member; the board's `details` by default */
        details?: boolean;
        /** true: show how often each member got each action, on boards with `breakdown` */
        actions?: boolean;
        /** a score: begin with the first member that has at most that, behind the pinned ones */
        from_score?: string;
        /** a member that is left out, such as the page that is being read */
        exclude?: string;
        /** only items of this category */
        category?: string;
        /** only items with this tag */
        tag?: string;
        /** only items of this author */
        author?: string;
        /** only items that were published within this time, such as `12h` or `7d` */
        published_within?: string;
        /** at most so many items of one category */
        per_category?: number;
        /** at most so many items of one author */
        per_author?: number;
      };
    };
    answer: Ranking;
  };
  /** A page of a ranking as a table. */
  'GET /v1/{site}/boards/{board}/{window}.csv': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** entries on the page, up to the board's `limit` */
        limit?: number;
        /** entries before the page; `offset` + `limit` is at most the board's `limit`, and 100,000 where its snapshots have all members */
        offset?: number;
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** true: show what is known of each member; the board's `details` by default */
        details?: boolean;
        /** true: show how often each member got each action, on boards with `breakdown` */
        actions?: boolean;
        /** a score: begin with the first member that has at most that, behind the pinned ones */
        from_score?: string;
        /** a member that is left out, such as the page that is being read */
        exclude?: string;
        /** only items of this category */
        category?: string;
        /** only items with this tag */
        tag?: string;
        /** only items of this author */
        author?: string;
        /** only items that were published within this time, such as `12h` or `7d` */
        published_within?: string;
        /** at most so many items of one category */
        per_category?: number;
        /** at most so many items of one author */
        per_author?: number;
        /** what it is called instead of board and window */
        title?: string;
      };
    };
    answer: string;
  };
  /** A page of a ranking as a list to include in a page. */
  'GET /v1/{site}/boards/{board}/{window}.html': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** entries on the page, up to the board's `limit` */
        limit?: number;
        /** entries before the page; `offset` + `limit` is at most the board's `limit`, and 100,000 where its snapshots have all members */
        offset?: number;
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** true: show what is known of each member; the board's `details` by default */
        details?: boolean;
        /** true: show how often each member got each action, on boards with `breakdown` */
        actions?: boolean;
        /** a score: begin with the first member that has at most that, behind the pinned ones */
        from_score?: string;
        /** a member that is left out, such as the page that is being read */
        exclude?: string;
        /** only items of this category */
        category?: string;
        /** only items with this tag */
        tag?: string;
        /** only items of this author */
        author?: string;
        /** only items that were published within this time, such as `12h` or `7d` */
        published_within?: string;
        /** at most so many items of one category */
        per_category?: number;
        /** at most so many items of one author */
        per_author?: number;
        /** what it is called instead of board and window */
        title?: string;
      };
    };
    answer: string;
  };
  /** A page of a ranking as a feed. */
  'GET /v1/{site}/boards/{board}/{window}.rss': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** entries on the page, up to the board's `limit` */
        limit?: number;
        /** entries before the page; `offset` + `limit` is at most the board's `limit`, and 100,000 where its snapshots have all members */
        offset?: number;
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** true: show what is known of each member; the board's `details` by default */
        details?: boolean;
        /** true: show how often each member got each action, on boards with `breakdown` */
        actions?: boolean;
        /** a score: begin with the first member that has at most that, behind the pinned ones */
        from_score?: string;
        /** a member that is left out, such as the page that is being read */
        exclude?: string;
        /** only items of this category */
        category?: string;
        /** only items with this tag */
        tag?: string;
        /** only items of this author */
        author?: string;
        /** only items that were published within this time, such as `12h` or `7d` */
        published_within?: string;
        /** at most so many items of one category */
        per_category?: number;
        /** at most so many items of one author */
        per_author?: number;
        /** what it is called instead of board and window */
        title?: string;
      };
    };
    answer: string;
  };
  /** A ranking each time that it changes, as a WebSocket or an event stream. */
  'GET /v1/{site}/boards/{board}/{window}/live': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** entries, which are rounded up to 10, 30, 100 or the board's `limit` */
        limit?: number;
        /** true: show what is known of each member; the board's `details` by default */
        details?: boolean;
      };
    };
    answer: string;
  };
  /** The rank of a member, and its neighbours. */
  'GET /v1/{site}/boards/{board}/{window}/members/{id}': {
    asked: {
      path: {
        board: string;
        window: string;
        id: string;
      };
      query?: {
        /** neighbours on either side */
        around?: number;
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
      };
    };
    answer: Member;
  };
  /** A picture of a member's rank. */
  'GET /v1/{site}/boards/{board}/{window}/members/{id}/badge.svg': {
    asked: {
      path: {
        board: string;
        window: string;
        id: string;
      };
      query?: {
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** what it is called instead of board and window */
        title?: string;
      };
    };
    answer: string;
  };
  /** What a member's score is made of. */
  'GET /v1/{site}/boards/{board}/{window}/members/{id}/explain': {
    asked: {
      path: {
        board: string;
        window: string;
        id: string;
      };
      query?: {
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
        /** `next` of the page before; the first page by default */
        cursor?: string;
      };
    };
    answer: Explanation;
  };
  /** What a member had in each of some periods. */
  'GET /v1/{site}/boards/{board}/{window}/members/{id}/series': {
    asked: {
      path: {
        board: string;
        window: string;
        id: string;
      };
      query?: {
        /** the id of the first period, or the `next` of the page before; by default 29 before the last */
        from?: string;
        /** the id of the last period; the current one by default */
        to?: string;
        /** the periods, of those that the board counts; by default the window's */
        by?: 'hour' | 'day' | 'week' | 'month' | 'year' | 'all';
        /** true: also where the member stood */
        rank?: boolean;
        /** true: also what the member did, by action, on boards with `breakdown` */
        actions?: boolean;
      };
    };
    answer: Series;
  };
  /** The periods that are over, and who won them. */
  'GET /v1/{site}/boards/{board}/{window}/periods': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** entries on the page */
        limit?: number;
        /** `next` of the page before; the first page by default */
        cursor?: string;
      };
    };
    answer: Periods;
  };
  /** The rank that a score would have, or the score of who has a rank. */
  'GET /v1/{site}/boards/{board}/{window}/rank': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** a score with at most six decimals, whose rank is asked for; this or `rank` */
        score?: number;
        /** a rank, whose score is asked for; this or `score` */
        rank?: number;
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
      };
    };
    answer: Place;
  };
  /** Where up to 100 members stand. */
  'POST /v1/{site}/boards/{board}/{window}/ranks': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** a period's id, such as `2026-11-20` of `day`; the current one by default */
        period?: string;
      };
      body: Ids;
    };
    answer: Ranks;
  };
  /** What up to 100 members had in each of some periods. */
  'POST /v1/{site}/boards/{board}/{window}/series': {
    asked: {
      path: {
        board: string;
        window: string;
      };
      query?: {
        /** the id of the first period, or the `next` of the page before; by default 29 before the last */
        from?: string;
        /** the id of the last period; the current one by default */
        to?: string;
        /** the periods, of those that the board counts; by default the window's */
        by?: 'hour' | 'day' | 'week' | 'month' | 'year' | 'all';
        /** true: also where the member stood */
        rank?: boolean;
        /** true: also what the member did, by action, on boards with `breakdown` */
        actions?: boolean;
      };
      body: SeriesIds;
    };
    answer: SeriesOfMany;
  };
  /** Counts the events of the site's server, and reports those of a list that do not count. */
  'POST /v1/{site}/events': {
    asked: {
      query?: {
        /** a ranking, as `board/window`: where the members of the events stood and stand there */
        standing?: string;
      };
      body: ServerBatch;
    };
    answer: Counts;
  };
  /** The items that are described, the one that was changed last first. */
  'GET /v1/{site}/items': {
    asked: {
      query?: {
        /** entries on the page */
        limit?: number;
        /** `next` of the page before; the first page by default */
        cursor?: string;
      };
    };
    answer: DescribedList;
  };
  /** Describes a new item; one without an id is given one. */
  'POST /v1/{site}/items': { asked: { query?: Record<string, never>; body: NewItem }; answer: Described };
  /** Describes many items, one on each line. */
  'PUT /v1/{site}/items': { asked: { query?: Record<string, never>; body: Lines }; answer: BulkCounts };
  /** Deletes an item and takes it off every board; 202 while something is left, which upkeep ends. */
  'DELETE /v1/{site}/items/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: {
        /** who does it, for the audit log */
        by?: string;
      };
    };
    answer: string;
  };
  /** The details of an item. An item that became another one answers with the address of that one. */
  'GET /v1/{site}/items/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: Described;
  };
  /** Changes some of it, by a JSON merge patch. */
  'PATCH /v1/{site}/items/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
      body: ItemDetails;
    };
    answer: Described;
  };
  /** Describes an item. */
  'PUT /v1/{site}/items/{id}': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
      body: ItemDetails;
    };
    answer: Described;
  };
  /** What an item became, and whether all that it had is that one's. */
  'GET /v1/{site}/items/{id}/alias': {
    asked: {
      path: {
        id: string;
      };
      query?: Record<string, never>;
    };
    answer: Alias;
  };
  /** Makes an item another one, with all that it has; 202 while something is left, which upkeep ends. */
  'POST /v1/{site}/items/{id}/alias': {
    asked: {
      path: {
        id: string;
      };
      query?: {
        /** true: only answer what would be done */
        dry_run?: boolean;
        /** who does it, for the audit log */
        by?: string;
      };
      body: AliasTarget;
    };
    answer: Alias;
  };
  /** What the actor of a token did: which of up to 100 items, by day, or one by one. */
  'POST /v1/{site}/mine': { asked: { query?: Record<string, never>; body: Mine }; answer: MineAnswer };
  /** The first pages of several rankings. */
  'GET /v1/{site}/top': {
    asked: {
      query: {
        /** 1 to 20 rankings, as `board/window`, separated by commas */
        boards: string;
        /** entries on the page, up to the board's `limit` */
        limit?: number;
      };
    };
    answer: Rankings;
  };
}
