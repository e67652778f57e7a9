/** The program where there are arguments: in Node, and in Deno, which has Node's `process`. */
import process from 'node:process';

import { run } from './program.mjs';

console.log(JSON.stringify(await run(JSON.parse(process.argv[2]))));
