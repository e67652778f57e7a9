/**
 * `edgeboard deploy`: from a folder to a worker at Cloudflare that counts.
 *
 * 1. The configuration is merged and judged, as `edgeboard check` does.
 * 2. Secrets that are nowhere yet are asked for or made, and kept in a file that git ignores.
 * 3. Queues, buckets and databases that are missing are made.
 * 4. The migrations are applied, before the code that asks for what they add.
 * 5. The module is uploaded, together with the secrets that Cloudflare lacks.
 * 6. The worker is asked whether it can count.
 *
 * Each step looks at what is there first. So it may be stopped at any of them, and run again.
 */
import { judgeConfiguration } from '../configuration/judge.mjs';
import { prepare, printed, writeMerged } from '../configuration/prepare.mjs';
import { sitesOf } from '../configuration/read.mjs';
import { requireReachableRedis } from '../configuration/redis-url.mjs';
import { requireLongTokens } from '../configuration/tokens.mjs';
import { applyMigrations } from '../deploy/migrations.mjs';
import { makeMissing } from '../deploy/resources.mjs';
import { completeSecrets, fileOf, namesAtCloudflare } from '../deploy/secrets.mjs';
import { upload } from '../deploy/upload.mjs';
import { askWrangler } from '../deploy/wrangler.mjs';
import { poll } from '../poll.mjs';
import { Problem, say } from '../report.mjs';
import { costs } from '../serve/ready.mjs';
import { NAMED, NAMED_USAGE, readOptions } from './options.mjs';

/** A new address takes a while to be known. */
const READY_MS = 60_000;
const PROBE_MS = 10_000;

const OPTIONS = /** @type {const} */ ({
  ...NAMED,
  address: { type: 'string' },
  'dry-run': { type: 'boolean' },
  print: { type: 'boolean' },
});

const USAGE = `
Usage: npx edgeboard deploy [--dry-run] [--print] [--address URL] [--config FILE] [--env NAME]

Checks the configuration, makes what is missing at Cloudflare (database, queue, bucket), asks for the address of Redis, makes the other
secrets, applies the migrations, deploys, and asks whether the worker can count. It may be stopped and run again at any time: nothing is
made twice. Sign in before: npx wrangler login.

Secrets are kept in .prod.vars, which git must ignore, and are not printed. What Cloudflare has is neither asked for nor made again.

${NAMED_USAGE}
  --address URL  where it answers, if not where wrangler says
  --dry-run      everything that asks and changes nothing at Cloudflare
  --print        print the whole configuration, and deploy nothing

Environment:
  REDIS_URL, REDIS_TOKEN                       answer what is asked, where there is no terminal
  CLOUDFLARE_API_TOKEN, CLOUDFLARE_ACCOUNT_ID  sign in without a browser
`;

/** @param {string[]} args */
async function main(args) {
  const { values } = readOptions(args, OPTIONS);
  const { address } = values;
  if (address !== undefined && !URL.canParse(address)) throw new Problem(`--address is ${address}, which is no URL`, { exitCode: 2 });
  const prepared = await prepare(values);
  const written = writeMerged(prepared);
  if (values.print) return void process.stdout.write(printed(prepared.merged));
  const { configuration } = prepared;
  requireReachableRedis(configuration);
  requireLongTokens(configuration, {}, process.env);
  say('asking the worker whether it takes the configuration');
  await judgeConfiguration(written);
  const where = ['--config', written.file];
  if (values['dry-run']) {
    await askWrangler(['deploy', '--dry-run', ...where]);
    console.log('Nothing was changed at Cloudflare; without --dry-run it would be deployed.');
    return;
  }

  say('looking at what Cloudflare has');
  const names = (await namesAtCloudflare(where)) ?? new Set();
  const file = fileOf(configuration.wranglerEnvironment);
  const { secrets, made } = await completeSecrets({ variables: configuration.variables, names, file });
  if (made.length > 0) say(`${file} has secrets that were made now: ${made.join(', ')}`);
  const merged = await makeMissing(prepared.merged, where);
  writeMerged({ configuration, merged });
  await applyMigrations(merged, { configFile: written.file });
  say('deploying');
  const deployedAt = await upload(where, secrets);
  const url = address ?? deployedAt;
  console.log(describe(url, Object.keys(sitesOf(written))));
  if (url !== undefined) await requireReady(url);
}

/** @param {string} url */
async function requireReady(url) {
  say('asking whether it can count');
  let answer = 'it does not answer';
  let ready = {};
  const isReady = await poll(
    async () => {
      try {
        const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(PROBE_MS) });
        answer = (await response.text()).trim();
        ready = JSON.parse(answer);
        return response.ok;
      } catch {
        return false;
      }
    },
    { withinMs: READY_MS, everyMs: 1_000, ended: new Promise(() => {}) },
  );
  if (!isReady) throw new Problem(`${url}/readyz is not ready: ${answer}\nnpx edgeboard doctor ${url} says more`);
  console.log(`${url}/readyz: ${answer}`);
  for (const cost of costs(ready)) console.log(cost);
}

/** @param {string | undefined} url @param {string[]} sites */
function describe(url, sites) {
  if (url === undefined) return '\nIt is deployed. Where it answers, its routes say; --address URL has it asked there.\n';
  const embedded = sites.map(
    (site) => `  <script type="module" src="${url}/shelf.js" data-edgeboard-site="${site}" data-edgeboard-view></script>`,
  );
  return `
edgeboard is deployed: ${url}

On your pages, this counts who reads them:

${embedded.join('\n')}

  ${url}/admin   asks for ADMIN_TOKEN
`;
}

export const deploy = { about: 'puts it on Cloudflare, with all that it needs there', usage: USAGE, main };
