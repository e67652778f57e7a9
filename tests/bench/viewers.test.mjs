/** The benchmark whose viewers are pages. */
import assert from 'node:assert/strict';

import { locate } from '../../packages/edgeboard/setup/programs.mjs';
import { CHROMIUM } from '../../scripts/setup/chromium.mjs';
import { NEEDS_CHROMIUM, smoke } from './smoke.mjs';

assert.ok(locate(CHROMIUM), CHROMIUM.missing);
smoke(NEEDS_CHROMIUM);
