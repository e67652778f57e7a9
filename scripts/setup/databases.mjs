/**
 * MariaDB and PostgreSQL, which two of the tutorials end in. Debian's packages start a server of their own, which the tests leave alone.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { findProgram, isExecutable } from '../../packages/edgeboard/processes.mjs';

/** Where Debian keeps versions of PostgreSQL. */
const VERSIONS = '/usr/lib/postgresql';

/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const MARIADB = {
  name: 'MariaDB',
  packages: { 'apt-get': ['mariadb-server'], dnf: ['mariadb-server'], apk: ['mariadb', 'mariadb-client'], brew: ['mariadb'] },
  find: () => findProgram('mariadbd', 'mysqld') ?? ['/usr/sbin/mariadbd'].find(isExecutable),
  missing: 'a tutorial needs MariaDB: `apt-get install mariadb-server`',
};

/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const POSTGRES = {
  name: 'PostgreSQL',
  packages: { 'apt-get': ['postgresql'], dnf: ['postgresql-server'], apk: ['postgresql', 'postgresql-client'], brew: ['postgresql'] },
  find: () =>
    findProgram('postgres') ??
    versions()
      .map((version) => join(VERSIONS, version, 'bin/postgres'))
      .find(isExecutable),
  missing: 'a tutorial needs PostgreSQL: `apt-get install postgresql`',
};

function versions() {
  try {
    return readdirSync(VERSIONS);
  } catch {
    return [];
  }
}
