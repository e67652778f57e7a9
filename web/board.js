/**
 * `<edge-board site="demo" board="articles" window="day">`: a ranking that stays current while somebody sees it.
 *
 * It asks once, and then gets changes over a socket, or over an event stream where that is blocked or refused. Where that is too,
 * it asks when what it has is no longer fresh, as `Cache-Control` says. While the page is hidden it does nothing of that. When
 * an answer fails, the last list stays, and the console says why, once. What asks for the wrong thing is not asked again. Ids are text of strangers: they become text, and links only where they are paths of the page's site.
 * Titles, addresses and pictures are the owner's.
 */

/** @typedef {import('../types/board.d.ts').Ranking} Ranking @typedef {import('../types/board.d.ts').Entry} Entry */
/** @typedef {{ new: string, up: string, down: string, readers: string, empty: string }} Texts */

const ORIGIN = new URL(import.meta.url).origin;
const MIN_WAIT_MS = 1000;
const MAX_WAIT_MS = 60_000;
/** A socket or stream that has sent nothing by then is taken for blocked. */
const PATIENCE_MS = 4000;
const MOVE = { duration: 350, easing: 'ease-out' };
/** The messages that the console has. @type {Set<string>} */
const logged = new Set();
const MOVES = 'moveBefore' in Element.prototype;
/** What it says besides names and numbers. Other languages are loaded when a page has one of them. @type {Texts} */
const ENGLISH = { new: 'new', up: 'up {n}', down: 'down {n}', readers: '{n} reading now', empty: 'Nothing yet' };
const TEXTS = new URL('board-texts.js', import.meta.url).href;
/** Pixels of a picture's sides, unless the attribute says others. */
const PICTURE = 40;
/** `//` and `/\` begin the address of another site. */
const PATH = /^\/(?![/\\])/;
const ADDRESS = /^(https?:\/)?\/(?![/\\])/;

const style = new CSSStyleSheet();
style.replaceSync(`
:host { display: block; --gap: var(--edge-board-gap, .25rem); --accent: var(--edge-board-accent, color-mix(in srgb, #e2673c 42%, currentColor)); --soft: var(--edge-board-muted, color-mix(in srgb, currentColor 88%, transparent)) }
:host([hidden]) { display: none }
ol { display: grid; gap: var(--gap); margin: 0; padding: 0; list-style: none }
li { display: flex; gap: .625em; align-items: baseline; position: relative; padding: .375em .625em; isolation: isolate }
li::before { content: ""; position: absolute; inset: 0; z-index: -1; border-radius: .375em; background: var(--edge-board-bar, color-mix(in srgb, #e2673c 16%, transparent)); transform: scaleX(var(--share)); transform-origin: left; transition: transform .4s }
li:dir(rtl)::before { transform-origin: right }
a { color: inherit }
li slot { display: flex; flex: 1; min-width: 0 }
[part=name], li ::slotted(*) { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; min-width: 0; overflow: hidden; overflow-wrap: anywhere }
[part=picture] { object-fit: cover; border-radius: .25em }
li:has([part=picture]:not([hidden])) { align-items: center }
[part=rank], [part=readers], [part~=movement] { color: var(--soft) }
[part=rank] { flex: 0 0 1.75em; text-align: end }
[part=readers], [part~=movement] { margin: 0; font-size: .8em }
[part~=up], [part~=new] { color: var(--accent) }
[part=score] { font-weight: 600 }
[part=distribution] { display: flex; gap: 1px; align-items: end; block-size: 3em; margin-block-start: var(--gap) }
[part=distribution]:empty { display: none }
[part=interval] { flex: 1; min-block-size: 1px; background: var(--accent) }
[part=rank], [part=score] { font-variant-numeric: tabular-nums }
[part=loading] { min-block-size: calc(var(--rows) * (1lh + .75em + var(--gap)) - var(--gap)) }
@media (prefers-reduced-motion: reduce) { li::before { transition: none } }
`);

class EdgeBoard extends HTMLElement {
  static observedAttributes = [
    ...['site', 'board', 'window', 'limit', 'period', 'details', 'readers', 'label', 'src', 'pictures', 'lang', 'distribution'],
    ...Object.keys(ENGLISH).map((text) => `text-${text}`),
  ];

  /** @type {Ranking | undefined} */
  ranking;
  #root = this.attachShadow({ mode: 'open' });
  #list = make('ol', 'list');
  #readers = make('p', 'readers');
  #distribution = make('div', 'distribution');
  /** Ids and their rows. @type {Map<string, HTMLLIElement>} */
  #rows = new Map();
  #following = new AbortController();
  #isPlaced = false;
  /** The version that stands there as its attributes say. */
  #shown = '';
  #texts = ENGLISH;

  connectedCallback() {
    this.#root.adoptedStyleSheets = [style];
    this.#list.role = 'list'; // Safari's screen reader takes one without bullets for none
    if (!this.ranking) this.#root.replaceChildren(this.#loading());
    this.#isPlaced = true;
    this.refresh();
  }

  disconnectedCallback() {
    document.removeEventListener('visibilitychange', this.refresh);
    this.#isPlaced = false;
    this.#following.abort();
  }

  attributeChangedCallback() {
    this.#shown = '';
    this.refresh();
  }

  /** What stands in it until there is a list, as high as the list will be. */
  #loading() {
    const loading = make('div', 'loading');
    loading.style.setProperty('--rows', this.getAttribute('limit') || '10');
    loading.append(document.createElement('slot'));
    this.ariaBusy = 'true';
    return loading;
  }

  refresh = () => {
    this.#following.abort();
    this.#following = new AbortController();
    // One that the page already had gets its attributes first.
    if (!this.#isPlaced) return;
    document.addEventListener('visibilitychange', this.refresh);
    if (!document.hidden) this.#follow(this.#following.signal);
  };

  /** @param {string} name */
  #of(name) {
    return encodeURIComponent(this.getAttribute(name) ?? '');
  }

  /** @param {string} [of] what is asked of the ranking @param {string[]} [names] of attributes that say which */
  #address(of = '', names = ['limit', 'period', 'details']) {
    const query = names.filter((name) => this.hasAttribute(name)).map((name) => `${name}=${this.#of(name) || 1}`);
    const path = `/v1/${this.#of('site')}/boards/${this.#of('board')}/${this.#of('window')}${of}`;
    return `${this.getAttribute('src') ?? ORIGIN}${path}${query.length ? `?${query.join('&')}` : ''}`;
  }

  /** Asks until the signal stops it. @param {AbortSignal} signal */
  async #follow(signal) {
    let failed = 0;
    const texts = textsOf(languageOf(this));
    // The past does not change.
    const ways = this.hasAttribute('period') ? [] : [WebSocket, EventSource];
    while (!signal.aborted) {
      let waitMs = MIN_WAIT_MS;
      try {
        // Past the browser's cache, which would show what is stale once more; an unchanged ranking is a 304.
        const response = await fetch(this.#address(), { cache: 'no-cache', signal });
        const body = await response.json().catch(() => ({}));
        if (!body.entries) throw new Error(body.detail ?? response.status, { cause: response.status });
        this.#texts = await texts;
        if (signal.aborted) return;
        this.#show(body);
        failed = 0;
        if (ways.length && !(await this.#listen(ways[0], signal))) {
          ways.shift();
          continue;
        }
        if (!ways.length) waitMs = 1000 * Number(/max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '')?.[1] ?? 0);
      } catch (error) {
        if (signal.aborted) return;
        waitMs = MIN_WAIT_MS * 2 ** failed++;
        this.toggleAttribute('stale', true);
        this.#tell('error', error);
        if (!logged.has(error.message)) console.error('edge-board:', error.message);
        logged.add(error.message);
        // What its address asks for is wrong. Attributes or `refresh` have it ask again.
        if ([400, 404].includes(error.cause)) {
          this.ariaBusy = 'false';
          return document.removeEventListener('visibilitychange', this.refresh);
        }
      }
      await sleep(Math.min(Math.max(waitMs, MIN_WAIT_MS), MAX_WAIT_MS) * (1 + Math.random() / 5), signal);
    }
  }

  /**
   * Shows what it receives until that ends. Whether it received anything.
   *
   * @param {typeof WebSocket | typeof EventSource} Source
   * @param {AbortSignal} signal
   * @returns {Promise<boolean>}
   */
  #listen(Source, signal) {
    return new Promise((resolve) => {
      let hasReceived = false;
      const address = this.#address('/live');
      const source = new Source(Source === WebSocket ? address.replace(/^http/, 'ws') : address);
      const end = () => {
        source.close();
        resolve(hasReceived);
      };
      setTimeout(() => hasReceived || end(), PATIENCE_MS);
      const tell = (/** @type {MessageEvent<string>} */ { data }) => {
        hasReceived = true;
        const update = JSON.parse(data);
        if (signal.aborted) return;
        if (update.entries) this.#show(update);
        else this.#count(update.readers);
      };
      source.onmessage = tell;
      if (this.hasAttribute('readers')) {
        // A stream tells it to all; a socket to who asks.
        source.addEventListener('readers', /** @type {any} */ (tell));
        source.onopen = () => /** @type {WebSocket} */ (source).send?.('readers');
      }
      source.onerror = /** @type {WebSocket} */ (source).onclose = end;
      signal.addEventListener('abort', end);
    });
  }

  /** @param {number} readers */
  #count(readers) {
    this.#readers.textContent = this.#text('readers', readers);
  }

  /** A text: of an attribute, else in the page's language. @param {keyof Texts} name @param {number} [n] */
  #text(name, n) {
    const own = (name === 'readers' && this.getAttribute(name)) || this.getAttribute(`text-${name}`);
    return (own ?? this.#texts[name]).replace('{n}', n?.toLocaleString(languageOf(this)) ?? '');
  }

  /** @param {Ranking} ranking */
  #show(ranking) {
    // A live ranking may have more than were asked for.
    ranking.entries.splice(Number(this.getAttribute('limit')) || Infinity);
    const label = this.getAttribute('label') ?? `${ranking.board}, ${ranking.window}`;
    this.#list.ariaLabel = label;
    this.removeAttribute('stale');
    this.ariaBusy = 'false';
    if (ranking.version === this.#shown) return;
    this.#shown = ranking.version;
    this.ranking = ranking;
    const before = new Map([...this.#rows.values()].map((row) => [row, row.offsetTop]));
    const rows = new Map(ranking.entries.map((entry) => [entry.id, this.#row(entry)]));
    for (const [id, row] of this.#rows) if (!rows.has(id)) row.remove();
    this.#rows = rows;
    [...rows.values()].forEach((row, at) => {
      // A row that is taken out and put back would lose its transition.
      const there = this.#list.children[at] ?? null;
      // One that is moved keeps the focus, one that is put in anew does not.
      if (there !== row) this.#list[row.isConnected && MOVES ? 'moveBefore' : 'insertBefore'](row, there);
    });
    const empty = Object.assign(document.createElement('slot'), { name: 'empty', textContent: this.#text('empty') });
    const shown = rows.size ? this.#list : empty;
    if (this.#root.firstChild !== shown) this.#root.replaceChildren(shown, this.#distribution, this.#readers);
    this.#distribute(this.#following.signal);
    if (before.size && !matchMedia('(prefers-reduced-motion: reduce)').matches) {
      for (const row of rows.values()) {
        const from = before.get(row);
        if (from === undefined) row.animate([{ opacity: 0 }, {}], MOVE);
        else if (from !== row.offsetTop) row.animate([{ transform: `translateY(${from - row.offsetTop}px)` }, {}], MOVE);
      }
    }
    this.#tell('change', ranking);
  }

  /** A bar for each interval of the scores, the best first, as high as it has members. @param {AbortSignal} signal */
  async #distribute(signal) {
    const { ranking } = this;
    if (!this.hasAttribute('distribution')) return this.#distribution.replaceChildren();
    // Caches may have one of before the list. Where it fails, the last one stays.
    for (let asked = 0; asked < 3 && ranking === this.ranking; asked += 1) {
      const answer = await fetch(this.#address('/distribution', ['period']), { cache: 'no-cache', signal }).catch(() => undefined);
      const { intervals, generated_at: at } = (await answer?.json().catch(() => undefined)) ?? {};
      if (signal.aborted) return;
      if (intervals) this.#draw(intervals);
      if (at >= (ranking?.generated_at ?? '')) return;
      await sleep(MIN_WAIT_MS * 2, signal);
    }
  }

  /** @param {{ best: number, score: number, members: number, top_percent: number }[]} intervals */
  #draw(intervals) {
    const most = Math.max(...intervals.map(({ members }) => members));
    const bars = intervals.map(({ best, score, members, top_percent: share }) => {
      const bar = make('span', 'interval');
      const [to, from, count, top] = [best, score, members, share].map((number) => number.toLocaleString(languageOf(this)));
      bar.title = `${from === to ? to : `${from} – ${to}`}: ${count} (${top} %)`;
      bar.style.blockSize = `${(100 * members) / most}%`;
      return bar;
    });
    this.#distribution.role = 'img';
    this.#distribution.ariaLabel = this.getAttribute('distribution') || this.#list.ariaLabel;
    this.#distribution.replaceChildren(...bars);
  }

  /** A member's own row, so that it can be seen to move. @param {Entry} entry */
  #row({ id, rank, score, window: source, previous_rank: before, tier, details = {} }) {
    let row = this.#rows.get(id);
    if (!row) {
      row = make('li', '');
      const slot = Object.assign(document.createElement('slot'), { name: id });
      row.append(make('span', 'rank'), make('img', 'picture'), slot, make('span', ''), make('span', 'score'));
    }
    const [place, picture, slot, movement, points] = row.children;
    this.#picture(/** @type {HTMLImageElement} */ (picture), details.image ?? details.avatar);
    const { url = id } = details;
    const name = make((details.url ? ADDRESS : PATH).test(url) ? 'a' : 'span', 'name');
    if (name instanceof HTMLAnchorElement) name.href = url;
    name.dir = 'auto'; // a title may be written the other way than the page
    name.textContent = details.title ?? details.name ?? id;
    // One that is replaced loses the focus.
    if (slot.innerHTML !== name.outerHTML) slot.replaceChildren(name);
    const by = before == null ? 0 : before - rank;
    const way = before === null ? 'new' : by > 0 ? 'up' : by < 0 ? 'down' : 'same';
    movement.setAttribute('part', `movement ${way}`);
    movement.textContent = { new: '●', up: `▲ ${by}`, down: `▼ ${-by}`, same: '' }[way];
    movement.role = 'img';
    movement.ariaLabel = way === 'same' ? '' : this.#text(way, Math.abs(by));
    /** @type {HTMLElement} */ (movement).hidden = way === 'same';
    place.textContent = String(rank);
    const decimals = this.ranking?.decimals;
    points.textContent = score.toLocaleString(languageOf(this), { maximumFractionDigits: decimals ?? 1, minimumFractionDigits: decimals });
    row.value = rank;
    row.setAttribute('part', `item${source ? ' filled' : ''}${tier ? ` tier-${tier}` : ''}`);
    if (source) row.dataset.window = source;
    else delete row.dataset.window;
    const best = this.ranking?.entries[0];
    // Scores of another window are no share of this one's.
    const share = best && best.score > 0 && best.window === source ? score / best.score : 0;
    row.style.setProperty('--share', String(Math.min(1, Math.max(0, share))));
    return row;
  }

  /** Its host sees who loads it, so only where the page asks for it, and nothing says of which page. @param {HTMLImageElement} picture @param {unknown} url */
  #picture(picture, url) {
    const address = typeof url === 'string' && URL.canParse(url, document.baseURI) ? new URL(url, document.baseURI) : undefined;
    picture.hidden = !this.hasAttribute('pictures') || address?.protocol !== 'https:';
    if (picture.hidden) return picture.removeAttribute('src');
    const side = Number(this.getAttribute('pictures')) || PICTURE;
    const attributes = { loading: 'lazy', decoding: 'async', referrerPolicy: 'no-referrer', alt: '', width: side, height: side };
    Object.assign(picture, attributes);
    if (picture.src !== address?.href) picture.src = String(address);
  }

  /** @param {string} what @param {unknown} detail */
  #tell(what, detail) {
    this.dispatchEvent(new CustomEvent(`edge-board-${what}`, { bubbles: true, composed: true, detail }));
  }
}

/** Of numbers: that of the nearest element that says one, else the browser's. @param {Element} element */
const languageOf = (element) => /** @type {HTMLElement | null} */ (element.closest('[lang]'))?.lang || undefined;

/** @param {string} [language] @returns {Promise<Texts>} */
async function textsOf(language = '') {
  const [name] = language.toLowerCase().split('-');
  // What cannot be loaded is in English.
  const { default: languages = {} } = ['', 'en'].includes(name) ? {} : await import(TEXTS).catch(() => ({}));
  return { ...ENGLISH, ...languages[name] };
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {string} part
 */
function make(tag, part) {
  const element = document.createElement(tag);
  element.setAttribute('part', part);
  return element;
}

/** @param {number} ms @param {AbortSignal} signal */
function sleep(ms, signal) {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
    signal.addEventListener('abort', resolve);
  });
}

if (!customElements.get('edge-board')) customElements.define('edge-board', EdgeBoard);
