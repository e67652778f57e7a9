/** `npm run prove sites` with twenty of them: nothing of one reaches another, and nothing is left. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { proveSites, renderSites } from '../../prove/sites.mjs';

test('sites come and go', async (t) => {
  const figures = await proveSites({ sites: 20 });
  t.diagnostic(renderSites(figures));
  assert.deepEqual(figures.wrong, []);
  assert.ok(figures.idle.commands < 100, `an idle hour takes ${figures.idle.commands} commands`);
  assert.ok(figures.meanwhile['410 site-going'] > 0, JSON.stringify(figures.meanwhile));
});
