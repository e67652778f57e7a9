/**
 * The tutorial of totals in a database of one's own: its receiver writes them into a real PostgreSQL.
 */
import { freePort } from '../support/port.mjs';
import { startPostgres } from '../support/postgres.mjs';
import { tutorial } from '../support/tutorial.mjs';

const port = String(await freePort());

tutorial('docs/tutorials/totals.md', { start: startPostgres, adapt: (text) => text.replaceAll('9000', port) });
