/** Which item id a request target stands for, and which targets stand for none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { itemOf } from '../../packages/edgeboard/import/item.mjs';

/** @type {[target: string, expected: { path: string, fault?: string }][]} */
const CASES = [
  ['/posts/1', { path: '/posts/1' }],
  ['/posts/1?page=2', { path: '/posts/1' }],
  ['/posts/1?', { path: '/posts/1' }],
  ['/posts/1#top?', { path: '/posts/1' }],
  ['/a%2Fb%3Fc', { path: '/a%2Fb%3Fc' }],
  ['//double//slash/', { path: '//double//slash/' }],
  ['http://example.net/a?b', { path: '/a' }],
  ['http://example.net?b', { path: '/' }],
  ['HTTPS://[::1]:8443', { path: '/' }],
  ['*', { path: '', fault: 'no-path' }],
  ['example.net:443', { path: '', fault: 'no-path' }],
  ['/caf\xc3\xa9', { path: '/café' }],
  ['/\xef\xbb\xbfbom', { path: '/\ufeffbom' }],
  ['/caf\xe9', { path: '/caf\xe9', fault: 'item-not-utf-8' }],
  ['/\xed\xa0\x80', { path: '/\xed\xa0\x80', fault: 'item-not-utf-8' }],
  ['/tab\t', { path: '/tab\t', fault: 'item-control-character' }],
  ['/del\x7f', { path: '/del\x7f', fault: 'item-control-character' }],
  ['/next line\xc2\x85', { path: '/next line\x85', fault: 'item-control-character' }],
  [`/${'a'.repeat(255)}`, { path: `/${'a'.repeat(255)}` }],
  [`/${'a'.repeat(256)}`, { path: `/${'a'.repeat(256)}`, fault: 'item-too-long' }],
  [`/a${'\xc3\xa9'.repeat(127)}`, { path: `/a${'é'.repeat(127)}` }],
  [`/ab${'\xc3\xa9'.repeat(127)}`, { path: `/ab${'é'.repeat(127)}`, fault: 'item-too-long' }],
];

for (const [target, expected] of CASES) {
  test(`${JSON.stringify(target.slice(0, 40))} is ${expected.fault ?? 'an item'}`, () => {
    assert.deepEqual(itemOf(target), expected);
  });
}
