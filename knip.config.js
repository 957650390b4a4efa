// What knip calls unused in `npm run lint`: first in the whole project, where an export must have a user in another file;
// then (`--production`) without the tests, where code must have a user at all.
const isProduction = process.argv.includes('--production');

/** Used by tests only, and by nothing of the programs. */
const onlyForTests = [
  'src/store/memory-store.ts',
  'src/http/log.ts',
  'src/main/backend-metrics.ts',
  'src/model/template/token-substitution.ts',
];

/** Several backends that all serve: built and tested, and not yet part of a program (see docs/cluster.md). */
const aheadOfUse = ['src/cluster/**', 'src/main/cluster/**'];

/** @type {import('knip').KnipConfig} */
const config = {
  entry: [
    'src/main/{agent,backend,client,ctl,quickstart}.ts!',
    // So that the dependency it has counts as used; of `aheadOfUse` as well.
    'src/cluster/nats-bus.ts!',
    'web/{src/main.tsx,src/hub/worker.ts,build/layout.ts}!',
    'scripts/*.js!',
    'packaging/*.js!',
    'test/**/*.test.ts',
    'test/bench/**/*.ts',
    'test/maintenance/make-store-fixture.ts',
  ],
  project: [
    'src/**/*.ts!',
    'web/{src,build}/**/*.{ts,tsx}!',
    'scripts/*.js!',
    'packaging/*.js!',
    'test/**/*.ts',
  ],
  ignoreExportsUsedInFile: isProduction,
  ignoreIssues: isProduction
    ? Object.fromEntries(
        [...onlyForTests, ...aheadOfUse].map((path) => [path, ['files', 'exports', 'types']]),
      )
    : {},
  // Programs of the system, such as openssl and mount.
  exclude: ['binaries'],
  // Read by its path.
  ignoreDependencies: ['axe-core'],
};

// biome-ignore lint/style/noDefaultExport: knip reads the default export.
export default config;
