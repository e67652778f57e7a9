/**
 * What the runtime knows about who asks.
 */

/** Requests without a verdict, after which this isolate looks no more: reading `cf` is a twentieth of a beacon's time. */
const MAX_LOOKS = 100;
/** Scores below it are of "likely automated" traffic: https://developers.cloudflare.com/bots/concepts/bot-score/ */
const MIN_HUMAN_SCORE = 30;

let looks = 0;

/**
 * Whether Cloudflare takes the client for a bot, where it says so at all: zones with bot management say it of every request.
 *
 * @param {Request & { cf?: { verifiedBotCategory?: string, botManagement?: { verifiedBot?: boolean, score?: number } } }} request
 * @returns {boolean}
 */
export function isAutomated(request) {
  if (looks >= MAX_LOOKS) return false;
  const { verifiedBotCategory, botManagement } = request.cf ?? {};
  if (verifiedBotCategory || botManagement?.verifiedBot) return true;
  if (!botManagement) {
    looks += 1;
    return false;
  }
  looks = 0;
  const { score = 0 } = botManagement;
  return score > 0 && score < MIN_HUMAN_SCORE;
}

/**
 * Whether one more of a key is within the limit of a binding.
 *
 * @param {{ limit(options: { key: string }): Promise<{ success: boolean }> }} binding
 * @param {string} key
 * @returns {Promise<boolean>}
 */
export async function isWithin(binding, key) {
  const { success } = await binding.limit({ key });
  return success;
}
