/**
 * What web/beacon.js sends, recorded in Chromium with its own clock: the samples of tests/support/bodies/beacon.json.
 */
import { writeFileSync } from 'node:fs';

import { command } from '../../../packages/edgeboard/command.mjs';
import { inProject } from '../../../scripts/project.mjs';
import { launchChromium, openPage } from '../../support/chromium.mjs';
import { until } from '../../support/until.mjs';
import { startRecorder } from './recorder.mjs';

export const RECORDED = inProject('tests/support/bodies/beacon.json');

const USAGE = `
Usage: CHROMIUM=/usr/bin/chromium node tests/browser/support/bodies.mjs

Records what pages with web/beacon.js send, and writes it to tests/support/bodies/beacon.json.
`;

/**
 * @typedef {object} Visit
 * @property {string} attributes of the script element
 * @property {number} clicks on ten links in turn, as fast as the page takes them
 */

/** @type {Record<string, Visit>} */
const VISITS = {
  'a page that is viewed': { attributes: 'data-edgeboard-view', clicks: 0 },
  'a page that is viewed by an actor': { attributes: 'data-edgeboard-view data-edgeboard-actor="u7"', clicks: 0 },
  'ten clicks in a second': { attributes: '', clicks: 10 },
  'ten clicks of an actor in a second': { attributes: 'data-edgeboard-actor="u7"', clicks: 10 },
  'as many clicks as fit into a batch': { attributes: '', clicks: 20 },
};

/**
 * @param {import('playwright-core').Browser} browser
 * @returns {Promise<Record<string, string>>} the body of the first request of each visit
 */
export async function recordBodies(browser) {
  /** @type {Record<string, string>} */
  const bodies = {};
  for (const [name, visit] of Object.entries(VISITS)) bodies[name] = await recordVisit(browser, visit);
  return bodies;
}

/** @param {import('playwright-core').Browser} browser @param {Visit} visit */
async function recordVisit(browser, { attributes, clicks }) {
  const recorder = await startRecorder();
  const page = await openPage(browser);
  try {
    const script = `<script type="module" src="${recorder.ingestUrl}/shelf.js" data-edgeboard-site="demo" ${attributes}></script>`;
    const links = Array.from({ length: 10 }, (_, i) => `<a href="#${i}" data-edgeboard-item="/posts/${i}">A post</a>`);
    await page.goto(recorder.show(`<!doctype html><title>A page</title>${script}${links.join('')}`), { waitUntil: 'load' });
    await page.evaluate((count) => {
      const posts = document.querySelectorAll('a');
      for (let i = 0; i < count; i += 1) posts[i % posts.length].click();
    }, clicks);
    return await until('the page has sent a batch', () => recorder.requests.find(({ method }) => method === 'POST')?.body);
  } finally {
    await page.context().close();
    await recorder.stop();
  }
}

async function main() {
  const browser = await launchChromium();
  try {
    writeFileSync(RECORDED, `${JSON.stringify(await recordBodies(browser), null, 2)}\n`);
  } finally {
    await browser.close();
  }
}

command(import.meta, { usage: USAGE, main });
