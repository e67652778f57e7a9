/**
 * Schemathesis, which tries an API out by its description: SCHEMATHESIS, or the version of PyPI that schemathesis.txt pins.
 */
import { locate } from '../../packages/edgeboard/setup/programs.mjs';
import { ofPypi } from './pypi.mjs';

const { find, install } = ofPypi({ name: 'schemathesis', says: 'Schemathesis' });
const LOCATED = { variable: 'SCHEMATHESIS', find };

/** Its path, if it is there. */
export const locateSchemathesis = () => locate(LOCATED);

/** @returns {Promise<string>} its path */
export const ensureSchemathesis = async () => locateSchemathesis() ?? (await install());
