/**
 * An nginx, which a test puts before the worker as a shared cache: NGINX, on PATH, or from the system's package manager.
 */
import { findProgram, isExecutable } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { installFromSystem } from './system-packages.mjs';

const PACKAGES = { 'apt-get': ['nginx-light'], dnf: ['nginx-core'], apk: ['nginx'], brew: ['nginx'] };

/** @returns {Promise<string>} its path */
export async function ensureNginx() {
  const named = process.env.NGINX;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Problem(`NGINX is ${named}, which is not a program`);
  }
  const found = find();
  if (found) return found;
  await installFromSystem('nginx', PACKAGES);
  const installed = find();
  if (installed) return installed;
  throw new Problem('the tests need nginx: install it (Debian: nginx-light) or set NGINX to its path');
}

/** Debian keeps it where PATH is not for all users. */
function find() {
  return findProgram('nginx') ?? ['/usr/sbin/nginx'].find(isExecutable);
}
