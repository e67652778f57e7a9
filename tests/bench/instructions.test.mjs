/** The benchmark that counts instructions with Valgrind. */
import assert from 'node:assert/strict';

import { VALGRIND } from '../../scripts/setup/valgrind.mjs';
import { NEEDS_VALGRIND, smoke } from './smoke.mjs';

assert.ok(VALGRIND.find(), VALGRIND.missing);
smoke(NEEDS_VALGRIND);
