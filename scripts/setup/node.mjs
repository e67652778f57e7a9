/**
 * The system's Node: it runs these scripts before any package is installed. wrangler and the tests run on the newer
 * one that the packages bring.
 */
import { Problem } from '../../packages/edgeboard/report.mjs';

const OLDEST = { major: 20, minor: 12 };

export function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return;
  const oldest = `${OLDEST.major}.${OLDEST.minor}`;
  throw new Problem(`edgeboard needs Node ${oldest} or newer, this is ${process.versions.node}: https://nodejs.org/`);
}
