/**
 * The bucket of the archive (R2). What ends in `.gz` is packed by the runtime.
 */

/** @param {string} name */
const isPacked = (name) => name.endsWith('.gz');

/** No object that the archive writes is as large: an isolate has 128 MB. */
const MOST_BYTES = 32 * 1024 * 1024;

/** The bytes of a stream. One that unpacks to more than an object may have is left as soon as it does. @param {ReadableStream} stream */
async function bytesOf(stream) {
  let bytes = 0;
  const bounded = new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes > MOST_BYTES) throw new Error(`an object of the archive has more than ${MOST_BYTES} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Uint8Array(await new Response(stream.pipeThrough(bounded)).arrayBuffer());
}

/**
 * An object's bytes; nothing where there is none.
 *
 * @param {any} bucket
 * @param {string} name
 */
export async function getObject(bucket, name) {
  const object = await bucket.get(name);
  if (!object) return undefined;
  return bytesOf(isPacked(name) ? object.body.pipeThrough(new DecompressionStream('gzip')) : object.body);
}

/**
 * The bytes of an object that is not packed, and what tells it from others that had its name; nothing where there is none.
 *
 * @param {any} bucket
 * @param {string} name
 */
export async function findObject(bucket, name) {
  const object = await bucket.get(name);
  return object ? [await bytesOf(object.body), object.etag] : undefined;
}

/**
 * Writes an object where it is still the one with a tag, or where there is none, of an empty one. Answers whether it did.
 *
 * @param {any} bucket
 * @param {string} name
 * @param {Uint8Array} bytes
 * @param {string} tag
 */
export async function replaceObject(bucket, name, bytes, tag) {
  const onlyIf = tag ? { etagMatches: tag } : { etagDoesNotMatch: '*' };
  return Boolean(await bucket.put(name, bytes, { onlyIf }));
}

/**
 * @param {any} bucket
 * @param {string} name
 * @param {Uint8Array} bytes
 */
export async function putObject(bucket, name, bytes) {
  const packed = isPacked(name) ? await bytesOf(new Response(bytes).body.pipeThrough(new CompressionStream('gzip'))) : bytes;
  await bucket.put(name, packed);
}

/** @param {any} bucket @param {string[]} names */
export const deleteObjects = (bucket, names) => bucket.delete(names);

/**
 * The names of up to a thousand objects, in order.
 *
 * @param {any} bucket
 * @param {string} prefix
 * @param {string} after
 */
export async function listObjects(bucket, prefix, after) {
  const { objects } = await bucket.list({ prefix, startAfter: after || undefined });
  return objects.map(({ key }) => key);
}
