/**
 * Reads the dataset that `counts.js` writes: https://developers.cloudflare.com/analytics/analytics-engine/sql-api/
 */

/** What is shown of a refusal, in characters. */
const SHOWN = 200;

/**
 * @param {string} address
 * @param {string} token
 * @param {string} sql
 * @param {number} ms for the whole answer
 * @returns {Promise<string>}
 */
export async function askDataset(address, token, sql, ms) {
  const headers = { authorization: `Bearer ${token}` };
  const response = await fetch(address, { method: 'POST', headers, body: sql, redirect: 'manual', signal: AbortSignal.timeout(ms) });
  const text = await response.text();
  if (!response.ok) throw new Error(`the dataset answered ${response.status}: ${text.slice(0, SHOWN)}`);
  return text;
}
