/**
 * The command line and environment of the import, checked, as one value.
 */
import { parseArgs } from 'node:util';

import { parsePattern } from './filter.mjs';

/** Where `npm start` serves. */
const DEFAULT_ENDPOINT = 'http://localhost:8787';

/** What an event file has nothing of. */
const OF_LOGS = /** @type {const} */ (['status', 'method', 'assets', 'bots', 'no-visitors']);

/** The service takes 100 events at once. */
const MAX_BATCH = 100;
const MAX_CONCURRENCY = 64;

/** @type {Record<string, { type: 'string' | 'boolean', multiple?: boolean, short?: string }>} */
const OPTIONS = {
  site: { type: 'string' },
  action: { type: 'string' },
  endpoint: { type: 'string' },
  events: { type: 'boolean' },
  status: { type: 'string', multiple: true },
  method: { type: 'string', multiple: true },
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  from: { type: 'string' },
  until: { type: 'string' },
  assets: { type: 'boolean' },
  bots: { type: 'boolean' },
  'no-visitors': { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  batch: { type: 'string' },
  concurrency: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};

/** What the caller got wrong, in words that name the option. */
export class UsageError extends Error {}

/**
 * What was given, once each option is known to have the value that it needs.
 *
 * @typedef {object} Given
 * @property {string} [site]
 * @property {string} [action]
 * @property {string} [endpoint]
 * @property {boolean} [events]
 * @property {string[]} [status]
 * @property {string[]} [method]
 * @property {string[]} [include]
 * @property {string[]} [exclude]
 * @property {string} [from]
 * @property {string} [until]
 * @property {boolean} [assets]
 * @property {boolean} [bots]
 * @property {boolean} [no-visitors]
 * @property {boolean} [dry-run]
 * @property {string} [batch]
 * @property {string} [concurrency]
 * @property {boolean} [help]
 *
 * @typedef {object} Options
 * @property {string} site
 * @property {string | undefined} action undefined where events say their own, of any action
 * @property {boolean} events whether files hold events instead of access logs
 * @property {string[]} files
 * @property {string} endpoint without a slash at its end
 * @property {string | undefined} token undefined in a dry run only
 * @property {import('./filter.mjs').Filters} filters
 * @property {boolean} assets whether assets are sent
 * @property {boolean} bots whether requests of declared bots are sent
 * @property {boolean} visitors whether address and user agent are sent
 * @property {boolean} dryRun
 * @property {number} batch events per request
 * @property {number} concurrency requests at a time
 */

/**
 * @param {string[]} argv
 * @param {Record<string, string | undefined>} env
 * @returns {Options | { help: true }}
 * @throws {UsageError}
 */
export function parseOptions(argv, env) {
  // Not strict, because the messages of strict parsing explain Node's rules rather than ours.
  const parsed = parseArgs({
    args: argv,
    options: OPTIONS,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  for (const token of parsed.tokens) if (token.kind === 'option') checkToken(token);
  const values = /** @type {Given} */ (parsed.values);
  if (values.help) return { help: true };
  const events = values.events === true;
  const ofLogs = OF_LOGS.find((name) => values[name] !== undefined);
  if (events && ofLogs) throw new UsageError(`--${ofLogs} is about access logs, and --events reads none`);

  const options = {
    site: parseName('--site', values.site),
    action: events && values.action === undefined ? undefined : parseName('--action', values.action),
    events,
    files: parsed.positionals,
    endpoint: values.endpoint
      ? parseEndpoint('--endpoint', values.endpoint)
      : parseEndpoint('EDGEBOARD_URL', env.EDGEBOARD_URL || DEFAULT_ENDPOINT),
    token: parseToken(env.WRITE_TOKEN || undefined),
    filters: {
      statuses: splitList(values.status).map(parseStatus),
      methods: splitList(values.method).map(parseMethod),
      include: (values.include ?? []).map((text) => compilePattern('--include', text)),
      exclude: (values.exclude ?? []).map((text) => compilePattern('--exclude', text)),
      from: parseInstant('--from', values.from, -Infinity),
      until: parseInstant('--until', values.until, Infinity),
    },
    assets: values.assets === true,
    bots: values.bots === true,
    visitors: values['no-visitors'] !== true,
    dryRun: values['dry-run'] === true,
    batch: parseInteger('--batch', values.batch ?? '100', MAX_BATCH),
    concurrency: parseInteger('--concurrency', values.concurrency ?? (events ? '1' : '4'), MAX_CONCURRENCY),
  };
  if (options.files.length === 0) throw new UsageError('no FILE given (- is standard input)');
  if (options.files.filter((file) => file === '-').length > 1) throw new UsageError('- can be read only once');
  if (!options.dryRun && options.token === undefined) throw new UsageError('WRITE_TOKEN is not set in the environment');
  return options;
}

/** @param {{ name: string, rawName: string, value?: string, inlineValue?: boolean }} token */
function checkToken({ name, rawName, value, inlineValue }) {
  if (name === 'token') throw new UsageError('no option --token: set WRITE_TOKEN in the environment instead');
  if (!Object.hasOwn(OPTIONS, name)) throw new UsageError(`unknown option ${rawName}`);
  if (OPTIONS[name].type === 'boolean') {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
  } else if (value === undefined || value === '' || (!inlineValue && value.startsWith('-'))) {
    throw new UsageError(`${rawName} needs a value`);
  }
}

/**
 * @param {string} option
 * @param {string} [value]
 */
function parseName(option, value) {
  if (value === undefined) throw new UsageError(`${option} is missing`);
  if (/^[a-z0-9][a-z0-9-]{0,31}$/.test(value)) return value;
  throw new UsageError(`${option} ${value}: a name has 1 to 32 of a-z, 0-9 and -, and does not begin with -`);
}

/**
 * @param {string} option
 * @param {string} text
 */
function parseEndpoint(option, text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !url.search && !url.hash;
  if (plain) return url.href.replace(/\/+$/, '');
  throw new UsageError(`${option} ${text}: not a plain http:// or https:// URL`);
}

/** Its value is never repeated: messages end up in logs. @param {string} [value] */
function parseToken(value) {
  if (value === undefined || /^[\x21-\x7e]+$/.test(value)) return value;
  throw new UsageError('WRITE_TOKEN holds a character that no header can, perhaps a line end');
}

/** @param {string[]} [values] */
function splitList(values = []) {
  return values.flatMap((value) => value.split(','));
}

/** @param {string} text */
function parseStatus(text) {
  if (/^([1-5]xx|\d{3})$/i.test(text)) return text.toLowerCase();
  throw new UsageError(`--status ${text}: neither a status such as 304 nor a class such as 2xx`);
}

/** @param {string} text */
function parseMethod(text) {
  if (/^[a-z-]+$/i.test(text)) return text.toUpperCase();
  throw new UsageError(`--method ${text}: not a method such as GET`);
}

/**
 * @param {string} option
 * @param {string} text
 */
function compilePattern(option, text) {
  try {
    return parsePattern(text);
  } catch (error) {
    throw new UsageError(`${option} ${text}: ${error.message}`, { cause: error });
  }
}

/**
 * Unix milliseconds.
 *
 * @param {string} option
 * @param {string | undefined} text
 * @param {number} missing
 */
function parseInstant(option, text, missing) {
  if (text === undefined) return missing;
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  if (isInstant) return Date.parse(text);
  throw new UsageError(`${option} ${text}: not an instant such as 2026-11-20T12:00:00Z`);
}

/**
 * @param {string} option
 * @param {string} text
 * @param {number} max
 */
function parseInteger(option, text, max) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= 1 && value <= max) return value;
  throw new UsageError(`${option} ${text}: not a whole number from 1 to ${max}`);
}
