/**
 * What is measured: a site of one board with all six calendar windows, and the zone that its requests come through.
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

/**
 * What the runtime says of each client, `request.cf`: a zone without bot management, as it is sold to enterprises only. Miniflare's made-up
 * place has a verdict on every client.
 */
export const ZONE = {
  asn: 64500,
  asOrganization: 'Example',
  city: 'Lisbon',
  clientAcceptEncoding: 'gzip, deflate, br',
  clientTcpRtt: 12,
  colo: 'LIS',
  continent: 'EU',
  country: 'PT',
  edgeRequestKeepAliveStatus: 1,
  httpProtocol: 'HTTP/2',
  latitude: '38.72',
  longitude: '-9.14',
  postalCode: '1000',
  region: 'Lisbon',
  regionCode: '11',
  requestPriority: 'weight=256;exclusive=1',
  timezone: 'Europe/Lisbon',
  tlsCipher: 'AEAD-AES128-GCM-SHA256',
  tlsVersion: 'TLSv1.3',
};
