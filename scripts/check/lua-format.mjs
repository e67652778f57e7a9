/**
 * StyLua, from the npm package that holds it as WebAssembly: its program would be downloaded from GitHub, which closed
 * networks refuse.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

import * as stylua from '@johnnymorganz/stylua';

import { Problem } from '../../packages/edgeboard/report.mjs';
import { inProject } from '../project.mjs';

/**
 * The enumerations of the options that are not plain numbers, each by the option's name in stylua.toml.
 *
 * @type {Record<string, Record<string, string | number>>}
 */
const ENUMERATIONS = {
  syntax: stylua.LuaVersion,
  indent_type: stylua.IndentType,
  quote_style: stylua.QuoteStyle,
  collapse_simple_statement: stylua.CollapseSimpleStatement,
};

/**
 * The Lua files that are not laid out as stylua.toml says.
 *
 * @param {object} options
 * @param {boolean} options.write whether to lay them out
 * @returns {string[]} their paths below the project's folder
 */
export function formatLua({ write }) {
  const names = readdirSync(inProject('lua'), { recursive: true, encoding: 'utf8' }).sort();
  const paths = names.filter((name) => name.endsWith('.lua')).map((name) => `lua/${name}`);
  return paths.filter((path) => {
    const text = readFileSync(inProject(path), 'utf8');
    // The formatter takes its configuration away from the caller, so each file needs its own.
    const formatted = stylua.formatCode(text, readConfig(), undefined, stylua.OutputVerification.Full);
    if (write && formatted !== text) writeFileSync(inProject(path), formatted);
    return formatted !== text;
  });
}

/** The lines `name = value` of stylua.toml. */
function readConfig() {
  const config = stylua.Config.new();
  /** @type {Record<string, unknown>} */
  const options = {};
  for (const [, name, value] of readFileSync(inProject('stylua.toml'), 'utf8').matchAll(/^(\w+) = (\S+)/gm)) {
    const read = value.startsWith('"') ? ENUMERATIONS[name]?.[JSON.parse(value)] : Number(value);
    if (!(name in config) || read === undefined) throw new Problem(`stylua.toml: ${name} = ${value} is not known`);
    options[name] = read;
  }
  return Object.assign(config, options);
}
