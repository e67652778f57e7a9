/** What `board.js` adds to pages: the element `<edge-board>`, and what it tells of. */

/** How a ranking is answered; docs/http/rankings.md tells what each field means. */
export interface Ranking {
  site: string;
  board: string;
  window: string;
  period: { id: string | null; starts_at: string | null; ends_at: string | null };
  complete: boolean;
  generated_at: string;
  /** With how many a score is shown. */
  decimals?: number;
  version: string;
  total: number;
  entries: Entry[];
}

export interface Entry {
  rank: number;
  id: string;
  score: number;
  /** The window that it was taken from, where that is another one: it fills the page up. */
  window?: string;
  /** What the site's server sent with the value, where values are ranked. */
  meta?: unknown;
  /** `null`: it was not on the board in the period before. Absent: nothing is known of that. */
  previous_rank?: number | null;
  /** The tier that its rank is in, where the board names some. */
  tier?: string;
  /** What is known of it, where `details` asks for that: an item's fields, or an actor's. */
  details?: { title?: string; name?: string; url?: string; image?: string; avatar?: string; [field: string]: unknown };
}

/**
 * A ranking that stays current while the page is seen.
 *
 * Attributes: `site`, `board`, `window`; `limit` (10), `period`, `details` (shows titles and links; as the board says by default), `pictures`
 * (shows pictures, of so many pixels), `distribution` (shows how many members have which scores; its value names that), `readers` (shows how many watch; its value is the text, with `{n}` for the number), `label` (names
 * the list for screen readers), `text-new`, `text-up`, `text-down`, `text-empty` (texts, with `{n}`), `lang`, `src` (the worker's origin;
 * that of the module by default). `aria-busy` is `true` until there is a list.
 */
export interface EdgeBoard extends HTMLElement {
  /** The last ranking that was shown. */
  readonly ranking: Ranking | undefined;
  /** Asks at once, and goes on from there. */
  refresh(): void;
}

declare global {
  interface HTMLElementTagNameMap {
    'edge-board': EdgeBoard;
  }
  interface HTMLElementEventMap {
    /** A new version of the ranking is shown. Bubbles. */
    'edge-board-change': CustomEvent<Ranking>;
    /** It could not be had; the last one stays. `cause` is the answer's status, if there was one. After 400 and 404 it is not asked again. Bubbles. */
    'edge-board-error': CustomEvent<Error>;
  }
}
