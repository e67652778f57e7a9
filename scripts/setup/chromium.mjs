/**
 * A Chromium for the browser tests: CHROMIUM, on PATH, or from the system's package manager.
 */
import { findProgram, isExecutable } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { installFromSystem } from './system-packages.mjs';

const PACKAGES = { 'apt-get': ['chromium'], dnf: ['chromium'], apk: ['chromium'], brew: ['chromium'] };

/** @returns {Promise<string>} its path */
export async function ensureChromium() {
  const named = process.env.CHROMIUM;
  if (named) {
    if (isExecutable(named)) return named;
    throw new Problem(`CHROMIUM is ${named}, which is not a program`);
  }
  const found = find();
  if (found) return found;
  await installFromSystem('Chromium', PACKAGES);
  const installed = find();
  if (installed) return installed;
  throw new Problem('the browser tests need Chromium: install it (Debian: chromium) or set CHROMIUM to its path');
}

function find() {
  return findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable');
}
