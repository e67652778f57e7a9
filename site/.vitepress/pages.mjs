/**
 * The navigation. A line adds a page: its name is its heading, and a name of its own goes before it.
 *
 * @typedef {string | [name: string, path: string]} Entry a path below docs/, or from the project's folder with a leading slash
 *
 * @type {{ group: string, pages: Entry[] }[]}
 */
export const PAGES = [
  {
    group: 'Overview',
    pages: [['What it is', '/README.md']],
  },
  {
    group: 'Tutorials',
    pages: [
      'tutorials/start.md',
      'tutorials/blog.md',
      'tutorials/members.md',
      'tutorials/season.md',
      'tutorials/newsroom.md',
      'tutorials/wp-popular-posts.md',
      'tutorials/totals.md',
    ],
  },
  {
    group: 'Guides',
    pages: [
      'package.md',
      'embedding.md',
      'embedding/showing.md',
      'recipes/lists.md',
      'embedding/delivery.md',
      'actors.md',
      ['Recipes for actors', 'actors/recipes.md'],
      'games.md',
      'import.md',
      'import/events.md',
      'import/again.md',
    ],
  },
  {
    group: 'Clients',
    pages: ['client.md', 'client/server.md', 'recipes/python.md', 'recipes/php.md', 'recipes/ruby.md', 'recipes/go.md', 'recipes/java.md'],
  },
  {
    group: 'When something is wrong',
    pages: [
      ['Symptoms', 'operations.md'],
      'runbook/nothing-counts.md',
      'runbook/rank.md',
      'runbook/late.md',
      'runbook/redis-full.md',
      'runbook/restore.md',
    ],
  },
  {
    group: 'Operations',
    pages: [
      'operations/deploy.md',
      'operations/versions.md',
      'operations/admin-page.md',
      'operations/redis.md',
      'operations/cluster.md',
      'operations/archive.md',
      'operations/loss.md',
      'operations/upkeep.md',
      'operations/alerts.md',
      'operations/dataset.md',
      'operations/costs.md',
      'operations/scaling.md',
      'operations/memory.md',
      'operations/limits.md',
    ],
  },
  {
    group: 'Configuration',
    pages: [
      'configuration.md',
      'configuration/deployment.md',
      'configuration/sites.md',
      'configuration/limits.md',
      'configuration/boards.md',
      'configuration/scores.md',
      'configuration/counting.md',
      'configuration/details.md',
      'configuration/windows.md',
      'configuration/history.md',
      'configuration/copies.md',
    ],
  },
  {
    group: 'HTTP',
    pages: [
      'http.md',
      'http/routes.md',
      'http/problems.md',
      'http/sending.md',
      'http/beacons.md',
      'http/events.md',
      'http/reading.md',
      'http/rankings.md',
      'http/members.md',
      'http/actors.md',
      'http/items.md',
      'http/details.md',
      'http/curation.md',
      'http/reset.md',
      'http/restore.md',
      'http/upkeep.md',
      'http/refused.md',
    ],
  },
  {
    group: 'How it works',
    pages: [
      'exact.md',
      'ingest.md',
      'ingest/queue.md',
      'ingest/forwarding.md',
      'caching.md',
      'privacy.md',
      'privacy/erasure.md',
      'faults.md',
      'faults/killed.md',
      'faults/each.md',
      'faults/attack.md',
      'keys.md',
    ],
  },
  {
    group: 'The project',
    pages: ['/ARCHITECTURE.md', '/CONTRIBUTING.md', '/SECURITY.md', '/CHANGELOG.md'],
  },
];
