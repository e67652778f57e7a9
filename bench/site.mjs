/**
 * The site that is measured: one board with all six calendar windows.
 */
export const WINDOWS = ['hour', 'day', 'week', 'month', 'year', 'all'];

export const TOP_PATH = '/v1/bench/boards/articles/day';
export const BEACON_PATH = '/v1/bench/beacon';

export const SITES = {
  bench: {
    origins: ['*'],
    timezone: 'UTC',
    limits: { beacons: 0, misses: 0 }, // all of the load has one address
    max_beacon_events: 100,
    actions: { view: { public: true } },
    boards: { articles: { members: 'items', weights: { view: 1 }, windows: WINDOWS } },
  },
};
