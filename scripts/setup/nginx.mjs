/**
 * An nginx, which a test puts before the worker as a shared cache: NGINX, on PATH, or from the system's package manager.
 */
import { findProgram, isExecutable } from '../../packages/edgeboard/processes.mjs';
import { ensureProgram } from '../../packages/edgeboard/setup/programs.mjs';

/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const NGINX = {
  name: 'nginx',
  variable: 'NGINX',
  packages: { 'apt-get': ['nginx-light'], dnf: ['nginx-core'], apk: ['nginx'], brew: ['nginx'] },
  // Debian keeps it where PATH is not for all users.
  find: () => findProgram('nginx') ?? ['/usr/sbin/nginx'].find(isExecutable),
  missing: 'the tests need nginx: install it (Debian: nginx-light) or set NGINX to its path',
};

export const ensureNginx = () => ensureProgram(NGINX);
