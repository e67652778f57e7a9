/** All the other benchmarks. */
import { PARTS } from '../../bench/options.mjs';
import { NEEDS_CHROMIUM, NEEDS_VALGRIND, NEEDS_WRK, smoke } from './smoke.mjs';

/** @type {readonly string[]} */
const ELSEWHERE = [...NEEDS_WRK, ...NEEDS_CHROMIUM, ...NEEDS_VALGRIND];

smoke(PARTS.filter((part) => !ELSEWHERE.includes(part)));
