/**
 * The TypeScript types of the API, made of its description. A script of ours, since openapi-typescript needs the compiler's API of
 * TypeScript 5, and the description uses few keywords: one that is not known here is an error.
 *
 * They are in no commit: `npm run check` and whatever packs the client make them, in a second where nothing changed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

import { command } from '../../packages/edgeboard/command.mjs';
import { ask } from '../../packages/edgeboard/processes.mjs';
import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../project.mjs';

/** The file that is made. */
export const TYPES = 'packages/client/src/api.ts';
/** What prints the description: the crate of the interface alone, which needs no build of the worker. */
const DESCRIPTION = ['run', '--quiet', '--locked', '--package', 'edgeboard-interface', '--features', 'openapi', '--example', 'openapi'];
/** What only narrows a value, which types cannot say. */
const NARROWS = /^(min|max)(imum|Length|Items)$|^(pattern|format|not|uniqueItems|description|default|example)$/;

/** Writes them, where they are not those of the description as it is. */
export function makeTypes() {
  const description = ask('cargo', DESCRIPTION);
  if (description === undefined) throw new Problem(`the description of the API could not be made: cargo ${DESCRIPTION.join(' ')}`);
  const [file, types] = [inProject(TYPES), typesOf(JSON.parse(description))];
  if (!existsSync(file) || readFileSync(file, 'utf8') !== types) writeFileSync(file, types);
}

/**
 * @typedef {any} Schema
 *
 * @param {any} description of the API
 * @returns {string}
 */
export function typesOf({ components, paths }) {
  const schemas = Object.entries(components.schemas).map(([name, schema]) => `${comment(schema)}export type ${name} = ${typeOf(schema)};`);
  const routes = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => routeOf(`${method.toUpperCase()} ${path}`, operation)),
  );
  const head = "/** The API's bodies and routes, made of its description by scripts/client/types.mjs. */";
  const text = `${head}\n\n${schemas.join('\n\n')}\n\nexport interface Routes {\n${routes.join('\n')}\n}\n`;
  // Its own configuration leaves out .ts, of which there is no other file.
  const args = ['format', '--config-path', inProject('biome.jsonc'), '--stdin-file-path', inProject('types/api.d.ts')];
  return execFileSync(inProject('node_modules/.bin/biome'), args, { input: text, encoding: 'utf8' });
}

/** @param {string} route @param {any} operation */
function routeOf(route, { summary, parameters, requestBody, responses }) {
  const named = (/** @type {string} */ place) => {
    const fields = parameters.filter((/** @type {any} */ { in: at, name }) => at === place && name !== 'site');
    if (fields.length === 0) return undefined;
    const isRequired = fields.some((/** @type {any} */ { required }) => required);
    const lines = fields.map((/** @type {any} */ field) => {
      const { name, required, schema, description } = field;
      const about =
        place === 'query'
          ? description?.replace(/^`?([01])`?: /, (/** @type {string} */ _, /** @type {string} */ bit) => `${bit === '1'}: `)
          : description;
      return `${comment({ description: about })}${name}${required ? '' : '?'}: ${place === 'query' ? parameterOf(schema) : 'string'};`;
    });
    return `${place}${isRequired ? '' : '?'}: {\n${lines.join('\n')}\n};`;
  };
  const body = requestBody && `body${requestBody.required ? '' : '?'}: ${typeOf(Object.values(requestBody.content)[0].schema)};`;
  const asked = [named('path'), named('query') ?? 'query?: Record<string, never>;', body].filter(Boolean);
  const answers = Object.entries(responses).flatMap(([status, { content }]) => {
    if (!status.startsWith('2')) return [];
    return Object.entries(content ?? { '': {} }).map(([type, { schema }]) => (/json$/.test(type) && schema ? typeOf(schema) : 'string'));
  });
  return `${comment({ description: summary })}'${route}': { asked: { ${asked.join('\n')} }; answer: ${[...new Set(answers)].join(' | ') || 'string'} };`;
}

/** The type of a query parameter: what is 0 or 1 is a boolean. @param {Schema} schema */
function parameterOf(schema) {
  return JSON.stringify(schema.enum) === '["0","1"]' || schema.maximum === 1 ? 'boolean' : typeOf(schema);
}

/** @param {Schema} schema @returns {string} */
function typeOf(schema) {
  const { $ref, anyOf, oneOf, enum: values, type, properties, required = [], additionalProperties, items, ...rest } = schema;
  const unknown = Object.keys(rest).filter((key) => key !== 'const' && !NARROWS.test(key));
  if (unknown.length > 0) throw new Error(`no type for ${unknown} in ${JSON.stringify(schema)}`);
  if ($ref) return $ref.split('/').at(-1);
  if (anyOf ?? oneOf) return (anyOf ?? oneOf).map(typeOf).join(' | ');
  if ('const' in schema) return JSON.stringify(schema.const);
  if (values) return values.map((/** @type {unknown} */ value) => JSON.stringify(value)).join(' | ');
  const types = [type].flat().map((/** @type {string | undefined} */ each) => {
    if (each === undefined) return properties ? objectOf(properties, required, additionalProperties) : 'unknown';
    if (each === 'object') return objectOf(properties, required, additionalProperties);
    if (each === 'array') return `(${typeOf(items)})[]`;
    return each === 'integer' ? 'number' : each;
  });
  return types.join(' | ');
}

/** @param {Record<string, Schema> | undefined} properties @param {string[]} required @param {Schema} additional */
function objectOf(properties, required, additional) {
  if (!properties) return `Record<string, ${typeof additional === 'object' ? typeOf(additional) : 'unknown'}>`;
  const fields = Object.entries(properties).map(([name, schema]) => {
    return `${comment(schema)}${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)};`;
  });
  if (additional === true) fields.push('[field: string]: unknown;');
  return `{\n${fields.join('\n')}\n}`;
}

/** @param {{ description?: string }} schema */
const comment = ({ description }) => (description ? `/** ${description} */\n` : '');

command(import.meta, { usage: `Usage: node scripts/client/types.mjs\n\nWrites ${TYPES}.`, main: async () => makeTypes() });
