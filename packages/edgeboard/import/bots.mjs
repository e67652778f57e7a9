/**
 * Whether a user agent declares itself as a bot. The list of them is that of the npm package isbot.
 */

/** @returns {Promise<(agent: string) => boolean>} */
export async function loadBotTest() {
  const { isbot } = await import('isbot');
  return isbot;
}
