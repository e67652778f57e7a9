/**
 * What is in place while the everyday module is loaded.
 *
 * It would register each closure that the runtime gets, several a request, to be freed with what holds it. They are freed where they
 * end, and it hands out no other objects. The registry costs a twentieth of a beacon, mostly when memory is collected.
 */
export const Registry = globalThis.FinalizationRegistry;

globalThis.FinalizationRegistry = /** @type {any} */ (undefined);
