/**
 * PHP and Ruby, in which two of the recipes of docs/actors/recipes.md and of docs/recipes/ are: where nobody needs to be asked, as in CI.
 * Elsewhere the test of the recipes leaves out what is not installed. Go takes half a gigabyte and Java as much, so they are never
 * installed.
 */
import { findProgram } from '../../packages/edgeboard/processes.mjs';
import { installFromSystem, mayInstallUnasked } from '../../packages/edgeboard/setup/system-packages.mjs';

/** @type {{ program: string, packages: Record<string, string[]> }[]} */
const LANGUAGES = [
  { program: 'php', packages: { 'apt-get': ['php-cli'], dnf: ['php-cli'], brew: ['php'] } },
  { program: 'ruby', packages: { 'apt-get': ['ruby'], dnf: ['ruby'], apk: ['ruby'], brew: ['ruby'] } },
];

export async function ensureLanguages() {
  if (!mayInstallUnasked(process.env)) return;
  for (const { program, packages } of LANGUAGES) if (!findProgram(program)) await installFromSystem(program, packages);
}
