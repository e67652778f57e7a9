/**
 * What rustc links with: a C compiler.
 */
import { findProgram } from '../processes.mjs';
import { Problem } from '../report.mjs';
import { installFromSystem } from './system-packages.mjs';

export async function ensureCompiler() {
  if (!findProgram('cc')) {
    const installed = await installFromSystem('a C compiler', {
      'apt-get': ['build-essential'],
      dnf: ['gcc', 'make'],
      apk: ['build-base'],
    });
    if (!installed) throw new Problem('edgeboard needs a C compiler: install gcc or clang (Debian: build-essential)');
  }
}
