/** All the other benchmarks. */
import { PARTS } from '../../bench/options.mjs';
import { NEEDS_CHROMIUM, NEEDS_WRK, smoke } from './smoke.mjs';

/** @type {readonly string[]} */
const ELSEWHERE = [...NEEDS_WRK, ...NEEDS_CHROMIUM];

smoke(PARTS.filter((part) => !ELSEWHERE.includes(part)));
