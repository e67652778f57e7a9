/**
 * What the packages are called. Their package.json, the template and the documents say the same, which a test compares.
 */
export const COMMAND = 'edgeboard';
export const CREATE = `create-${COMMAND}`;
export const CLIENT = `@${COMMAND}/client`;
