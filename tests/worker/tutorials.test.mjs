/**
 * The tutorials tell the truth: their commands are run from an empty folder, and their answers are what comes back.
 */
import { tutorial } from '../support/tutorial.mjs';

for (const name of ['customers', 'levels', 'members', 'newsroom', 'season']) tutorial(`docs/tutorials/${name}.md`);
