/**
 * Pieces of the runtime that are replaced by cheaper ones. Imported before anything else, since the module takes what it finds.
 */

const { FinalizationRegistry: Registry, queueMicrotask } = globalThis;
const resolved = Promise.resolve();

/**
 * The module would register each closure that the runtime gets, several a request, to be freed with what holds it. They are freed where
 * they end. The registry costs a twentieth of a beacon, mostly when memory is collected.
 */
globalThis.FinalizationRegistry = /** @type {any} */ (undefined);

/** Once the module is loaded. */
export function giveBack() {
  globalThis.FinalizationRegistry = Registry;
}

/**
 * Rust wakes its tasks by this, several times in each request. The runtime's own costs seven times as much as a reaction to a promise.
 * What is thrown is thrown on by the runtime's, so that it is seen as ever.
 */
globalThis.queueMicrotask = (task) => {
  resolved.then(() => {
    try {
      task();
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  });
};
