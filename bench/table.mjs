/**
 * Figures as text: aligned columns, the first to the left and the others to the right.
 */

/**
 * @param {string} title
 * @param {string[]} head
 * @param {string[][]} rows
 */
export function table(title, head, rows) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
  const line = (/** @type {string[]} */ row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join('  ');
  return [title, ...[head, ...rows].map((row) => `  ${line(row)}`)].join('\n');
}

/** 12,345 */
export const whole = (/** @type {number} */ number) => Math.round(number).toLocaleString('en-US');

/** 1.234 → 1.23 */
export const decimals = (/** @type {number} */ number) => number.toFixed(2);

/** @param {number} bytes */
export const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`;
