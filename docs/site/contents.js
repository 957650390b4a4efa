// What the handbook consists of, in reading order. Paths are relative to docs/; each page's title is its first heading.
export const contents = [
  { part: 'Tutorial', pages: ['tutorial/first-alert.md'] },
  {
    part: 'Guides',
    pages: [
      'guides/checks.md',
      'guides/handlers.md',
      'guides/filters.md',
      'guides/silences.md',
      'guides/keepalives.md',
      'guides/proxy-entities.md',
      'guides/secrets.md',
      'guides/assets.md',
      'guides/access.md',
      'guides/directories.md',
      'guides/tls.md',
      'mon-ctl.md',
      'agent.md',
      'earlier-generation.md',
    ],
  },
  {
    part: 'Running it',
    pages: ['packages.md', 'operations.md', 'cluster.md', 'security.md', 'limits.md', 'metrics.md'],
  },
  {
    part: 'Reference',
    pages: [
      'reference/settings.md',
      'reference/resources.md',
      'reference/handler-input.md',
      'reference/errors.md',
      'reference/mon-ctl.md',
      'reference/machines.md',
      'api.md',
      'glossary.md',
    ],
  },
  {
    part: 'How it works',
    pages: ['architecture.md', 'actors.md', 'machines.md', 'inspection.md'],
  },
];
