/** A stand-in for the SQL service of Analytics Engine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

/**
 * @typedef {object} Dataset
 * @property {Record<string, string>} vars by which a worker reads it
 * @property {{ path?: string, token?: string, sql: string }[]} asked
 * @property {{ status: number, body: string }} answer to what is asked from now on
 * @property {() => void} close
 */

/** @returns {Promise<Dataset>} */
export async function startDataset() {
  /** @type {Dataset['asked']} */
  const asked = [];
  const service = createServer(async (request, response) => {
    asked.push({ path: request.url, token: request.headers.authorization, sql: await text(request) });
    response.writeHead(dataset.answer.status).end(dataset.answer.body);
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (service.address());
  const vars = { ANALYTICS_TOKEN: 'a-token-for-reading', ANALYTICS_ACCOUNT: 'abc123', ANALYTICS_API: `http://127.0.0.1:${port}/v4` };
  const dataset = { vars, asked, answer: { status: 200, body: table([]) }, close: () => service.close() };
  return dataset;
}

/** What the service answers. @param {{ at: string | number, series: string, total: string | number }[]} data */
export function table(data) {
  return JSON.stringify({ meta: [], data, rows: data.length });
}
