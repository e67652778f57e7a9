/** The hook of docs/client.md, in React and in Chromium, on a page of another origin. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { build } from 'esbuild';

import { inProject } from '../../scripts/project.mjs';
import { launchChromium, openPage } from '../support/chromium.mjs';
import { startDeployment } from '../support/deployment.mjs';

const SITE = { actions: { view: {} }, boards: { articles: { weights: { view: 1 }, windows: ['all'] } } };
const ENTRY = `import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { MostRead } from './hook.jsx';
createRoot(document.body).render(createElement(MostRead));`;

test('the hook of React shows a ranking, and each new version', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'edgeboard-react-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const deployment = await startDeployment({ transport: 'redis://', sites: { demo: SITE }, isAskedItself: false });
  t.after(deployment.stop);
  await deployment.events({ action: 'view', item: '/posts/2' });

  const [, hook] = /^```jsx\n(.*?)^```/ms.exec(readFileSync(inProject('docs/client.md'), 'utf8')) ?? assert.fail('no hook');
  writeFileSync(join(folder, 'hook.jsx'), hook.replace('https://YOUR-WORKER', deployment.worker.url));
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: folder },
    alias: { '@edgeboard/client/live': inProject('packages/client/src/live.js') },
    nodePaths: [inProject('node_modules')],
    define: { 'process.env.NODE_ENV': '"production"' },
    jsx: 'automatic',
    bundle: true,
    write: false,
  });

  const browser = await launchChromium();
  t.after(() => browser.close());
  const page = await openPage(browser);
  await page.setContent(`<body></body><script>${outputFiles[0].text}</script>`);
  await page.getByText('/posts/2: 1').waitFor();
  await deployment.events({ action: 'view', item: '/posts/2' });
  await page.getByText('/posts/2: 2').waitFor();
  await page.close();
});
