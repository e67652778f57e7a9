/**
 * What rustc links with: a C compiler.
 */
import { findProgram } from '../../packages/edgeboard/processes.mjs';
import { Problem } from '../../packages/edgeboard/report.mjs';
import { installFromSystem } from '../../packages/edgeboard/setup/system-packages.mjs';

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
