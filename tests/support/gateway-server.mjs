/**
 * The gateway of gateway.mjs as a program, for the tests that are written in Rust: `node gateway-server.mjs PORT` stands in front of the Redis on
 * that port, prints its own port and its token, and ends with its standard input. With EDGEBOARD_FORGETS=1 nothing is kept between calls of functions.
 */
import { startGateway } from './gateway.mjs';

const gateway = await startGateway({ redis: { port: Number(process.argv[2]) }, forgets: process.env.EDGEBOARD_FORGETS === '1' });
console.log(`${new URL(gateway.url).port} ${gateway.token}`);
process.stdin.on('end', () => process.exit()).resume();
