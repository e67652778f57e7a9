/** What the package says of itself. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { PACKAGE } from './place.mjs';

/** @type {{ version: string }} */
export const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
