/** What is left out by default, and what events say of visitors. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { isAsset } from '../../packages/edgeboard/import/assets.mjs';
import { loadBotTest } from '../../packages/edgeboard/import/bots.mjs';
import { agentOf, visitorOf } from '../../packages/edgeboard/import/visitor.mjs';

const PATHS = {
  '/style.css': true,
  '/a/b.min.JS': true,
  '/app.js.map': true,
  '/favicon.ico': true,
  '/fonts/x.woff2': true,
  '/photo.JPEG': true,
  '/site.webmanifest': true,
  '/': false,
  '/posts/1': false,
  '/index.html': false,
  '/css': false,
  '/node.js/guide': false,
  '/paper.pdf': false,
  '/song.mp3': false,
  '/feed.xml': false,
  '': false,
};

for (const [path, expected] of Object.entries(PATHS)) {
  test(`${JSON.stringify(path)} is ${expected ? 'an asset' : 'no asset'}`, () => assert.equal(isAsset(path), expected));
}

const AGENTS = {
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)': true,
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)': true,
  'curl/8.5.0': true,
  'python-requests/2.32': true,
  'UptimeRobot/2.0': true,
  'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0': false,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1': false,
  '': false,
};

for (const [agent, expected] of Object.entries(AGENTS)) {
  test(`${JSON.stringify(agent)} is ${expected ? 'a bot' : 'no declared bot'}`, async () => {
    assert.equal((await loadBotTest())(agent), expected);
  });
}

test('a visitor has an address, and an agent where there is one', () => {
  assert.deepEqual(visitorOf('192.0.2.1', 'Mozilla/5.0'), { address: '192.0.2.1', agent: 'Mozilla/5.0' });
  assert.deepEqual(visitorOf('2001:db8::1', ''), { address: '2001:db8::1' });
});

test('what is no address makes no visitor', () => {
  for (const host of ['pc7.example.net', '-', 'fe80::1%eth0', '192.0.2.300', '']) {
    assert.equal(visitorOf(host, 'Mozilla/5.0'), undefined, host);
  }
});

test('an agent is text, at most 1024 bytes of it', () => {
  assert.equal(agentOf('caf\xc3\xa9 \xe9'), 'café \ufffd');
  assert.equal(agentOf(`${'a'.repeat(1_023)}\xc3\xa9`), `${'a'.repeat(1_023)}\ufffd`);
});
