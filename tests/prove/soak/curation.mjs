/**
 * The members that are hidden, pinned and kept off, on each board that somebody curates.
 */

/** @typedef {{ hidden: Set<string>, pinned: Set<string>, off: Set<string> }} Lists */
/** @typedef {ReturnType<typeof createCuration>} Curation */

/** @param {Record<string, import('./model.mjs').Board>} boards */
export function createCuration(boards) {
  // Sections are curated by themselves, and what is kept off one of them is not off the others.
  const names = Object.keys(boards).filter((name) => boards[name].members === 'items' && !/^stories/.test(name));
  /** @type {Map<string, Lists>} */
  const lists = new Map(names.map((name) => [name, { hidden: new Set(), pinned: new Set(), off: new Set() }]));
  /** @type {Lists} */
  const none = { hidden: new Set(), pinned: new Set(), off: new Set() };

  return {
    /** The boards that are curated. */
    names,
    /** @param {string} board @returns {Lists} */
    of: (board) => lists.get(board) ?? none,
    /** @param {string} id */
    isOffSomewhere: (id) => [...lists.values()].some(({ off }) => off.has(id)),
    /** A removed member is pinned no more, and hidden as before. @param {string} board @param {string} id */
    remove(board, id) {
      const { off, pinned } = this.of(board);
      off.add(id);
      pinned.delete(id);
    },
    /** The new item gets the place of the old one where it has none. @param {string} old @param {string} to */
    alias(old, to) {
      for (const of of lists.values()) {
        for (const list of [of.hidden, of.pinned]) if (list.delete(old) && !of.hidden.has(to) && !of.pinned.has(to)) list.add(to);
      }
    },
  };
}
