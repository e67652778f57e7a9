/**
 * The live rankings of a site that the objects that gather its events notify of what was counted.
 *
 * Events wake live rankings in groups, not one by one. Objects say for a minute that they watch, so neither side keeps a list
 * that outlives it. All rankings of a site are woken: to know which ones an event moves would take the configuration here.
 */

/** For so long it is remembered that a ranking is watched; it says so more often. */
const REMEMBERED_MS = 60_000;
/** Of more rankings some are not notified, and look by themselves. */
const MAX_WATCHED = 1_000;
const MIN_TELL_MS = 1000;

export class Watched {
  /** The ids of live objects, and until when they watch. @type {Map<string, number>} */
  #until = new Map();
  #notifiedAt = 0;
  #isWaiting = false;
  #live;

  /** @param {any} live the namespace of live objects */
  constructor(live) {
    this.#live = live;
  }

  /** @param {string} id */
  add(id) {
    if (this.#until.size < MAX_WATCHED || this.#until.has(id)) this.#until.set(id, Date.now() + REMEMBERED_MS);
  }

  /** Events were counted. Tells it at once, and at most once a second. */
  tell() {
    if (this.#isWaiting || this.#until.size === 0) return;
    const waitMs = this.#notifiedAt + MIN_TELL_MS - Date.now();
    if (waitMs <= 0) {
      this.#tellAll();
      return;
    }
    this.#isWaiting = true;
    setTimeout(() => {
      this.#isWaiting = false;
      this.#tellAll();
    }, waitMs);
  }

  #tellAll() {
    this.#notifiedAt = Date.now();
    for (const [id, until] of this.#until) {
      const forget = () => this.#until.delete(id);
      if (this.#notifiedAt > until) forget();
      else
        this.#live
          .get(this.#live.idFromString(id))
          .changed()
          .then((/** @type {boolean} */ isWatched) => isWatched || forget(), forget);
    }
  }
}
