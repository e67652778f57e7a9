/**
 * A fake of Cloudflare's API: what https://developers.cloudflare.com/api/ documents of D1, Queues, R2 and Workers, as far as a deployment
 * asks for it. It keeps what was made, runs the statements of D1 in SQLite, and answers `/readyz` as a deployed worker would.
 *
 * `killAt` ends whoever asks, at a request: it was not done, or it was done and nobody was told.
 */
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';

export const ACCOUNT = '0123456789abcdef0123456789abcdef';

/** @typedef {{ status?: number, result?: unknown, errors?: { code: number, message: string }[], info?: unknown }} Answer */

const NO_WORKER = 'This Worker does not exist on your account.';

/** @param {number} status @param {number} code @param {string} message @returns {Answer} */
const failure = (status, code, message) => ({ status, errors: [{ code, message }] });

/**
 * @param {import('node:test').TestContext} t
 */
export async function startCloudflare(t) {
  /** @type {{ name: string, uuid: string, sqlite: DatabaseSync }[]} */
  const databases = [];
  /** @type {string[]} */
  const queues = [];
  /** @type {string[]} */
  const buckets = [];
  /** @type {Map<string, { secrets: Map<string, string>, metadata: any, crons: unknown }>} */
  const workers = new Map();
  /** @type {string[]} */
  const requests = [];
  /** @type {string[]} */
  const unknown = [];
  /** @type {{ status: string, functions?: boolean, memo?: boolean }} */
  const ready = { status: 'ready' };
  /** @type {{ line: RegExp, isDone: boolean, kill: () => void } | undefined} */
  let deadly;

  /** @type {[method: string, path: RegExp, answer: (to: { parts: string[], query: URLSearchParams, body: any, form: FormData | undefined }) => Answer][]} */
  const ROUTES = [
    ['GET', /^\/accounts$/, () => ({ result: [{ id: ACCOUNT, name: 'A' }] })],
    ['GET', /^\/user$/, () => ({ result: { id: 'u', email: 'a@example.com' } })],
    ['GET', /^\/memberships$/, () => ({ result: [{ id: 'm', account: { id: ACCOUNT, name: 'A' } }] })],
    [
      'GET',
      /^\/d1\/database$/,
      ({ query }) => {
        const name = query.get('name');
        const result = databases
          .filter((one) => !name || one.name === name)
          .map(({ name, uuid }) => ({ name, uuid, version: 'production' }));
        return { result: Number(query.get('page') ?? 1) > 1 ? [] : result };
      },
    ],
    [
      'POST',
      /^\/d1\/database$/,
      ({ body }) => {
        if (databases.some(({ name }) => name === body.name)) return failure(400, 7502, `database with name '${body.name}' already exists`);
        const made = {
          name: body.name,
          uuid: `00000000-0000-4000-8000-${String(databases.length + 1).padStart(12, '0')}`,
          sqlite: new DatabaseSync(':memory:'),
        };
        databases.push(made);
        return { result: { name: made.name, uuid: made.uuid, version: 'production' } };
      },
    ],
    [
      'GET',
      /^\/d1\/database\/([\w-]+)$/,
      ({ parts: [id] }) => {
        const found = databases.find(({ uuid }) => uuid === id);
        return found
          ? { result: { name: found.name, uuid: id, version: 'production' } }
          : failure(404, 7404, 'The database could not be found');
      },
    ],
    [
      'POST',
      /^\/d1\/database\/([\w-]+)\/query$/,
      ({ parts: [id], body }) => {
        const found = databases.find(({ uuid }) => uuid === id);
        return found ? queried(found.sqlite, body.sql) : failure(404, 7404, 'The database could not be found');
      },
    ],
    [
      'GET',
      /^\/queues$/,
      ({ query }) => ({ result: queues.filter((name) => !query.get('name') || name === query.get('name')).map(queueOf) }),
    ],
    [
      'POST',
      /^\/queues$/,
      ({ body }) => {
        if (queues.includes(body.queue_name)) return failure(400, 11009, `Queue name '${body.queue_name}' is already taken`);
        queues.push(body.queue_name);
        return { result: queueOf(body.queue_name) };
      },
    ],
    ['GET', /^\/queues\/([\w-]+)$/, ({ parts: [id] }) => ({ result: queueOf(id.replace('id-', '')) })],
    ['GET', /^\/queues\/([\w-]+)\/consumers$/, () => ({ result: [] })],
    ['POST', /^\/queues\/([\w-]+)\/consumers$/, ({ body }) => ({ result: body })],
    ['GET', /^\/queues\/([\w-]+)\/metrics$/, () => ({ result: { backlog_count: 0, backlog_bytes: 0, oldest_message_timestamp_ms: 0 } })],
    [
      'POST',
      /^\/r2\/buckets$/,
      ({ body }) => {
        if (buckets.includes(body.name)) return failure(409, 10004, 'The bucket you tried to create already exists, and you own it.');
        buckets.push(body.name);
        return { result: { name: body.name } };
      },
    ],
    [
      'GET',
      /^\/workers\/scripts\/([\w-]+)\/secrets$/,
      ({ parts: [name] }) => {
        const worker = workers.get(name);
        if (!worker) return failure(404, 10007, NO_WORKER);
        return { result: [...worker.secrets.keys()].map((secret) => ({ name: secret, type: 'secret_text' })) };
      },
    ],
    [
      'PATCH',
      /^\/workers\/scripts\/([\w-]+)\/secrets-bulk$/,
      ({ parts: [name], body }) => {
        const worker = workers.get(name);
        if (!worker) return failure(404, 10007, NO_WORKER);
        for (const [secret, given] of Object.entries(body.secrets)) {
          if (given === null) worker.secrets.delete(secret);
          else worker.secrets.set(secret, given.text);
        }
        return { result: {} };
      },
    ],
    [
      'GET',
      /^\/workers\/services\/([\w-]+)$/,
      ({ parts: [name] }) =>
        workers.has(name)
          ? {
              result: {
                id: name,
                default_environment: { environment: 'production', script: { tag: 'x', last_deployed_from: 'wrangler' } },
              },
            }
          : failure(404, 10090, 'This service does not exist.'),
    ],
    [
      'PUT',
      /^\/workers\/scripts\/([\w-]+)$/,
      ({ parts: [name], form }) => {
        const metadata = JSON.parse(String(form?.get('metadata')));
        const secrets = new Map(workers.get(name)?.secrets);
        for (const { type, name: secret, text } of metadata.bindings) if (type === 'secret_text') secrets.set(secret, text);
        workers.set(name, { secrets, metadata, crons: workers.get(name)?.crons });
        return { result: { id: name, startup_time_ms: 5, etag: 'e', deployment_id: 'd' } };
      },
    ],
    [
      'PUT',
      /^\/workers\/scripts\/([\w-]+)\/schedules$/,
      ({ parts: [name], body }) => {
        const worker = workers.get(name);
        if (worker) worker.crons = body;
        return { result: { schedules: body } };
      },
    ],
    ['GET', /^\/workers\/scripts\/([\w-]+)\/deployments$/, () => ({ result: { deployments: [] } })],
    [
      'GET',
      /^\/r2\/buckets\/([\w-]+)$/,
      ({ parts: [name] }) =>
        buckets.includes(name) ? { result: { name, location: 'WEUR' } } : failure(404, 10006, 'The specified bucket does not exist.'),
    ],
    [
      'GET',
      /^\/workers\/scripts\/([\w-]+)\/settings$/,
      ({ parts: [name] }) =>
        workers.has(name) ? { result: { bindings: workers.get(name)?.metadata.bindings } } : failure(404, 10007, NO_WORKER),
    ],
    ['GET', /^\/workers\/workers\/([\w-]+)$/, ({ parts: [name] }) => ({ result: workerOf(name) })],
    ['PATCH', /^\/workers\/workers\/([\w-]+)$/, ({ parts: [name] }) => ({ result: workerOf(name) })],
    ['GET', /^\/workers\/subdomain$/, () => ({ result: { subdomain: 'a' } })],
    ['GET', /^\/workers\/scripts\/([\w-]+)\/subdomain$/, () => ({ result: { enabled: true, previews_enabled: true } })],
    ['POST', /^\/workers\/scripts\/([\w-]+)\/subdomain$/, () => ({ result: { enabled: true, previews_enabled: true } })],
  ];

  const server = createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const raw = Buffer.concat(chunks);
    const url = new URL(String(request.url), 'http://localhost');
    const send = (/** @type {number} */ status, /** @type {unknown} */ body) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (url.pathname === '/readyz') return send(200, ready);
    const path = url.pathname.replace(`/accounts/${ACCOUNT}`, '');
    const line = `${request.method} ${path || '/accounts/ID'}`;
    requests.push(line);
    const dies = deadly?.line.test(line) ? deadly : undefined;
    if (dies && !dies.isDone) return die(dies, request);
    const type = String(request.headers['content-type']);
    const form = type.startsWith('multipart/') ? await new Response(raw, { headers: { 'content-type': type } }).formData() : undefined;
    const body = form ? undefined : JSON.parse(raw.toString() || 'null');
    const route = ROUTES.find(([method, pattern]) => method === request.method && pattern.test(path));
    if (!route) unknown.push(line);
    const answer = route
      ? route[2]({ parts: (route[1].exec(path) ?? []).slice(1), query: url.searchParams, body, form })
      : failure(404, 7003, `no route for ${line}`);
    if (dies) return die(dies, request);
    const { status = 200, result = null, errors = [], info } = answer;
    send(status, {
      success: errors.length === 0,
      result,
      errors,
      messages: [],
      result_info: info ?? { page: 1, per_page: 100, total_pages: 1, count: 1 },
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const address = `http://127.0.0.1:${port}`;
  return {
    address,
    env: { CLOUDFLARE_API_BASE_URL: address, CLOUDFLARE_API_TOKEN: 'a-token-of-nobody', CLOUDFLARE_ACCOUNT_ID: ACCOUNT },
    databases,
    queues,
    buckets,
    workers,
    requests,
    unknown,
    /** What `/readyz` answers. */
    ready,
    /** At the first request that has this line, once. @param {RegExp} line @param {{ isDone: boolean, kill: () => void }} how */
    killAt(line, { isDone, kill }) {
      deadly = {
        line,
        isDone,
        kill() {
          deadly = undefined;
          kill();
        },
      };
    },
    tablesOf: (/** @type {string} */ name) =>
      databases
        .find((one) => one.name === name)
        ?.sqlite.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        .all()
        .map((row) => String(row.name)) ?? [],
  };
}

/** @param {{ kill: () => void }} how @param {import('node:http').IncomingMessage} request */
function die({ kill }, request) {
  kill();
  request.socket.destroy();
}

/** @param {string} name */
const workerOf = (name) => ({ id: name, name, subdomain: { enabled: true, previews_enabled: true }, observability: {}, tags: [] });

/** @param {string} name */
const queueOf = (name) => ({
  queue_id: `id-${name}`,
  queue_name: name,
  producers: [],
  consumers: [],
  producers_total_count: 0,
  consumers_total_count: 0,
});

/** A request of D1 happens whole or not at all. @param {DatabaseSync} sqlite @param {string} sql @returns {Answer} */
function queried(sqlite, sql) {
  try {
    const reads = /^\s*(select|pragma)/i.test(sql);
    if (reads) return { result: [{ success: true, results: sqlite.prepare(sql).all(), meta: {} }] };
    sqlite.exec(`BEGIN; ${sql.trim().replace(/;?$/, ';')} COMMIT;`);
    return { result: [{ success: true, results: [], meta: {} }] };
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('ROLLBACK');
    return failure(400, 7500, String(error));
  }
}
