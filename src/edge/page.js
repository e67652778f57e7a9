/**
 * Reads a page of a site: what it says of itself in its head.
 */

/** @typedef {{ redirect: string }} Redirect */
/** @typedef {{ title: string, metas: [name: string, content: string][], documents: string[] }} Head `documents` are JSON-LD */

/**
 * Texts are as they stand in the page: references such as `&amp;` are not replaced.
 *
 * @param {string} url
 * @param {number} ms for the whole answer
 * @param {number} maxBytes of the page that are looked at
 * @returns {Promise<string>} {@link Redirect} or {@link Head} as JSON
 */
export async function readPage(url, ms, maxBytes) {
  const headers = { accept: 'text/html', 'user-agent': 'edgeboard (reads titles for rankings)' };
  const response = await fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(ms) });
  const location = response.headers.get('location');
  if (response.status >= 300 && response.status < 400 && location) {
    await response.body?.cancel();
    return JSON.stringify({ redirect: new URL(location, url).href });
  }
  const type = response.headers.get('content-type') ?? '';
  if (response.status !== 200 || !/^(text\/html|application\/xhtml)/i.test(type)) {
    await response.body?.cancel();
    throw new Error(`the page answered ${response.status} ${type}`);
  }
  const head = /** @type {Head} */ ({ title: '', metas: [], documents: [] });
  let hasTitle = false;
  const rewriter = new HTMLRewriter()
    .on('title', {
      text(chunk) {
        if (!hasTitle) head.title += chunk.text;
        hasTitle ||= chunk.lastInTextNode;
      },
    })
    .on('meta', {
      element(meta) {
        const name = meta.getAttribute('property') ?? meta.getAttribute('name');
        const content = meta.getAttribute('content');
        if (name && content) head.metas.push([name.toLowerCase(), content]);
      },
    })
    .on('script[type="application/ld+json"]', {
      element() {
        head.documents.push('');
      },
      text(chunk) {
        head.documents[head.documents.length - 1] += chunk.text;
      },
    });
  await rewriter.transform(new Response(beginning(response.body, maxBytes))).body?.pipeTo(new WritableStream());
  return JSON.stringify(head);
}

/** The first bytes of a body. @param {ReadableStream<Uint8Array> | null} body @param {number} maxBytes */
function beginning(body, maxBytes) {
  let remaining = maxBytes;
  const limit = new TransformStream({
    transform(/** @type {Uint8Array} */ chunk, controller) {
      controller.enqueue(chunk.subarray(0, remaining));
      remaining -= chunk.length;
      if (remaining <= 0) controller.terminate();
    },
  });
  return body?.pipeThrough(limit) ?? null;
}
