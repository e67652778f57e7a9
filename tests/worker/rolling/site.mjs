/**
 * The sites of the tests of rolling windows.
 */

export const WINDOWS = ['last-2-hours', 'last-2-days', 'last-7-days', 'last-366-days', 'last-3-weeks', 'last-12-months'];
const SITE = {
  origins: ['*'],
  actions: { view: { public: true }, down: {}, short: {}, long: {}, plain: {}, old: {} },
  boards: {
    articles: { weights: { view: 1, down: -3 }, windows: ['day', ...WINDOWS], limit: 1000 },
    short: { weights: { short: 1 }, windows: ['last-2-days'] },
    long: { weights: { long: 1 }, windows: ['last-366-days'] },
    plain: { weights: { plain: 1 }, windows: ['day'] },
    old: { weights: { old: 1 }, windows: ['last-3-hours', 'last-7-days'] },
  },
};
export const SITES = {
  demo: SITE,
  'new-york': { ...SITE, timezone: 'America/New_York', day_starts_at: '01:30', week_starts_on: 'sunday' },
  kathmandu: { ...SITE, timezone: 'Asia/Kathmandu' },
  london: { ...SITE, timezone: 'Europe/London' },
};
export const NOW = '2026-11-20T12:34:56Z';
/** 2026-11-20 */
export const TODAY = 20_777;
