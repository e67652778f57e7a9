/**
 * Grouped ingest beside direct ingest: as a table, and what must hold.
 */
import { decimals, table, whole } from '../table.mjs';

/** @typedef {Awaited<ReturnType<typeof import('./ingest.mjs').benchIngest>>} Ingest */

/** @param {Ingest} ingest @returns {import('../report.mjs').Requirement[]} */
export function requirementsOfIngest({ near, far, plain, plainAlone, alone }) {
  const most = Math.max(...[near, far, plain].map(({ grouped }) => grouped.connections));
  const byTrips = 1 / plainAlone.ratios.p50Ms;
  return [
    { what: 'connections of grouped ingest in a round', value: most, max: 2 },
    { what: '10 ms away: commands per click', value: far.grouped.commands, max: 2 },
    { what: '10 ms away: clicks a second, grouped ÷ direct', value: far.ratios.clicksPerS, min: 2 },
    { what: '10 ms away: p50, grouped ÷ direct', value: far.ratios.p50Ms, max: 1 },
    { what: '10 ms away without TLS: commands per click', value: plain.grouped.commands, max: 2 },
    {
      what: '10 ms away without TLS: clicks a second, grouped ÷ direct, of what trips allow',
      value: plain.ratios.clicksPerS / byTrips,
      min: 0.8,
    },
    { what: '10 ms away without TLS: p50, grouped ÷ direct', value: plain.ratios.p50Ms, max: 1 },
    { what: 'on loopback: commands, grouped ÷ direct', value: near.ratios.commands, max: 0.6 },
    { what: 'on loopback: clicks a second, grouped ÷ direct', value: near.ratios.clicksPerS, min: 0.8 },
    { what: 'one sender: p50, grouped ÷ direct', value: alone.ratios.p50Ms, max: 1.5 },
  ];
}

/** @param {Ingest} ingest */
export function renderIngest({ near, far, plain, plainAlone, alone }) {
  const places = {
    'loopback, 64 senders': near,
    '10 ms away over TLS, 64 senders': far,
    '10 ms away, 64 senders': plain,
    '10 ms away, one sender': plainAlone,
    'loopback, one sender': alone,
  };
  const rows = Object.entries(places).flatMap(([name, { direct, grouped, ratios }]) => [
    [`${name}: direct`, whole(direct.clicksPerS), decimals(direct.p50Ms), decimals(direct.commands), whole(direct.connections), ''],
    [
      `${name}: grouped`,
      whole(grouped.clicksPerS),
      decimals(grouped.p50Ms),
      decimals(grouped.commands),
      whole(grouped.connections),
      decimals(ratios.clicksPerS),
    ],
  ]);
  return table('Grouped ingest', ['', 'clicks/s', 'p50 ms', 'commands', 'connections', '÷ direct'], rows);
}
