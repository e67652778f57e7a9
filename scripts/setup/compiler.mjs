/**
 * What the cargo tools are built with: a C compiler, whose linker rustc uses, and, because worker-build speaks TLS
 * through the system's library, OpenSSL's headers on Linux.
 */
import { ask, findProgram } from '../processes.mjs';
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
  if (process.platform === 'linux' && ask('pkg-config', ['--exists', 'openssl']) === undefined) {
    const installed = await installFromSystem("OpenSSL's headers", {
      'apt-get': ['pkg-config', 'libssl-dev'],
      dnf: ['pkgconf-pkg-config', 'openssl-devel'],
      apk: ['pkgconf', 'openssl-dev'],
    });
    if (!installed) {
      throw new Problem("edgeboard needs pkg-config and OpenSSL's headers: install them (Debian: pkg-config libssl-dev)");
    }
  }
}
