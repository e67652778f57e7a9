/**
 * A Chromium for the browser tests: CHROMIUM, on PATH, or from the system's package manager.
 */
import { findProgram } from '../../packages/edgeboard/processes.mjs';
import { ensureProgram } from '../../packages/edgeboard/setup/programs.mjs';

/** @type {import('../../packages/edgeboard/setup/programs.mjs').SystemProgram} */
export const CHROMIUM = {
  name: 'Chromium',
  variable: 'CHROMIUM',
  packages: { 'apt-get': ['chromium'], dnf: ['chromium'], apk: ['chromium'], brew: ['chromium'] },
  find: () => findProgram('chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'),
  missing: 'the browser tests need Chromium: install it (Debian: chromium) or set CHROMIUM to its path',
};

export const ensureChromium = () => ensureProgram(CHROMIUM);
