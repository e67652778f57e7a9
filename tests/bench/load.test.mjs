/** The benchmarks that load a worker with wrk. */
import assert from 'node:assert/strict';

import { WRK } from '../../scripts/setup/wrk.mjs';
import { NEEDS_WRK, smoke } from './smoke.mjs';

assert.ok(WRK.find(), WRK.missing);
smoke(NEEDS_WRK);
