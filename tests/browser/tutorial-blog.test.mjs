/**
 * The tutorial of a blog: its files, served from an origin of their own, count and show in Chromium.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { launchChromium, openPage } from '../support/chromium.mjs';
import { tutorial } from '../support/tutorial.mjs';
import { until } from '../support/until.mjs';
import { listen } from './support/listen.mjs';

const TITLES = ['How I learned to bake', 'Ten kinds of flour'];

/** @type {import('../support/tutorial.mjs').Place} */
let place;
const site = await listen((request, response) => {
  const name = request.url === '/' ? 'index.html' : (request.url ?? '').slice(1).replace(/\?.*/, '');
  if (!/^(index|first|second)\.html$/.test(name)) {
    response.writeHead(404).end();
    return;
  }
  const html = readFileSync(join(place.folder, name), 'utf8').replaceAll('http://localhost:8787', place.deployment.worker.url);
  response.setHeader('content-type', 'text/html').end(html);
});

tutorial('docs/tutorials/blog.md', {
  adapt: (text) => text.replaceAll('http://localhost:8000', site.url),
  start: async () => ({ env: {}, stop: () => site.close() }),
  more(made) {
    place = made;
    test('two posts are read, and the list has their titles', async () => {
      const browser = await launchChromium();
      try {
        /** A reader with a name of their own to browsers: a browser counts once. @param {string[]} paths */
        const read = async (...paths) => {
          const page = await openPage(browser);
          for (const path of paths) {
            const beacon = page.waitForResponse((response) => response.url().endsWith('/v1/blog/shelf'));
            await page.goto(`${site.url}${path}`);
            assert.equal((await beacon).status(), 204);
          }
          await page.context().close();
        };
        await read('/first.html?utm_source=mail', '/second.html');
        const front = await openPage(browser);
        await front.goto(`${site.url}/`);
        const rows = () =>
          front
            .locator('edge-board')
            .evaluate((element) => [...(element.shadowRoot ?? element).querySelectorAll('li')].map((row) => row.innerText));
        await until('the list has both', async () => (await rows()).length === 2);
        await place.deployment.worker.scheduled();
        await until('the list has titles', async () => {
          const texts = await rows();
          return TITLES.every((title) => texts.some((text) => text.includes(title)));
        });
        const { body } = await place.deployment.freshTop('posts/day', '', 'blog');
        assert.deepEqual(body.entries.map((/** @type {any} */ { id, score }) => [id, score]).toSorted(), [
          ['/first.html', 1],
          ['/second.html', 1],
        ]);
      } finally {
        await browser.close();
      }
    });
  },
});
