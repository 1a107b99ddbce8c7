/** What each folder of the console may import of it, besides itself. `main.tsx`, `console.tsx` and `routes.ts` import the rest. */
const consoleFolders = {
  api: ['addresses.ts'],
  parts: ['addresses.ts', 'api'],
  shell: ['addresses.ts', 'sections.ts', 'api', 'parts'],
  access: ['addresses.ts', 'api', 'parts'],
  state: ['addresses.ts', 'api', 'parts'],
  workspace: ['addresses.ts', 'sections.ts', 'api', 'parts', 'shell'],
  agents: ['addresses.ts', 'api', 'parts', 'workspace'],
  run: ['addresses.ts', 'api', 'parts', 'workspace'],
  pages: ['addresses.ts', 'sections.ts', 'api', 'parts', 'shell', 'access', 'state', 'workspace', 'agents', 'run'],
};

const consoleRules = Object.entries(consoleFolders).map(([folder, others]) => ({
  name: `console-${folder}-imports-what-its-row-names`,
  severity: 'error',
  from: { path: `^web/console/${folder}/` },
  to: { path: '^web/console/', pathNot: `^web/console/(${[folder, ...others].join('|')})(/|$)` },
}));

/** Who may import whom. The layers are folders, so every rule is a path. */
module.exports = {
  forbidden: [
    {
      name: 'domain-depends-on-nothing',
      severity: 'error',
      from: { path: '^src/domain' },
      to: { pathNot: '^src/domain' },
    },
    {
      name: 'application-depends-on-domain-only',
      severity: 'error',
      from: { path: '^src/application' },
      to: { pathNot: '^src/(domain|application)' },
    },
    {
      name: 'adapters-do-not-know-infrastructure',
      severity: 'error',
      from: { path: '^src/adapters' },
      to: { path: '^src/infrastructure' },
    },
    {
      name: 'adapters-are-strangers',
      severity: 'error',
      from: { path: '^src/adapters/([^/]+)/' },
      to: { path: '^src/adapters/', pathNot: '^src/adapters/$1/' },
    },
    {
      name: 'http-areas-know-routing-and-each-other',
      severity: 'error',
      from: { path: '^src/adapters/http/[^/]+/', pathNot: '^src/adapters/http/(server|openapi)/' },
      to: { path: '^src/adapters/http/(server|openapi)/' },
    },
    {
      name: 'http-routing-knows-no-area',
      severity: 'error',
      from: { path: '^src/adapters/http/routing/' },
      to: { path: '^src/adapters/http/', pathNot: '^src/adapters/http/routing/' },
    },
    {
      name: 'openapi-describes-without-the-server',
      severity: 'error',
      from: { path: '^src/adapters/http/openapi/' },
      to: { path: '^src/adapters/http/server/' },
    },
    {
      name: 'container-library-only-in-the-container',
      severity: 'error',
      from: { pathNot: '^src/infrastructure/container' },
      to: { path: 'node_modules/(inversify|@inversifyjs|reflect-metadata)/' },
    },
    {
      name: 'express-only-in-http',
      severity: 'error',
      from: { pathNot: '^src/adapters/http' },
      to: { path: 'node_modules/(express|@types/express)/' },
    },
    {
      name: 'knex-only-in-persistence',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/adapters/persistence/knex' },
      to: { path: 'node_modules/(knex|better-sqlite3|pg|@types/better-sqlite3|@types/pg)/' },
    },
    {
      name: 'object-store-is-loaded-only-where-it-is-used',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/adapters/files/s3-' },
      to: { path: '^src/adapters/files/s3-|node_modules/@aws-sdk/', dynamic: false },
    },
    {
      name: 'metrics-library-only-in-metrics',
      severity: 'error',
      from: { pathNot: '^src/adapters/metrics' },
      to: { path: 'node_modules/prom-client/' },
    },
    {
      name: 'tracing-is-loaded-only-where-it-is-used',
      severity: 'error',
      from: { path: '^src', pathNot: '^src/adapters/tracing/otlp-tracing\\.ts' },
      to: { path: '^src/adapters/tracing/otlp-tracing|node_modules/@opentelemetry/', dynamic: false },
    },
    {
      name: 'authorization-knows-access-levels-only',
      severity: 'error',
      from: { path: '^src/domain/authorization/' },
      to: {
        path: '^src/domain/[^/]+/',
        pathNot:
          '^src/domain/(authorization|shared)/|^src/domain/team-access/((project-)?access-level|workspace-permissions|timed-grant)\\.ts',
      },
    },
    {
      name: 'agent-is-a-program-of-its-own',
      severity: 'error',
      from: { path: '^src/agent' },
      to: { path: '^src/|node_modules/', pathNot: '^src/agent|node_modules/(zod|tar-stream|@types/node)/' },
    },
    {
      name: 'nobody-imports-the-agent',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/agent' },
      to: { path: '^src/agent' },
    },
    ...consoleRules,
    {
      // `pages/run.tsx` and the files of `pages/run` are one page.
      name: 'console-pages-do-not-know-each-other',
      severity: 'error',
      from: { path: '^web/console/pages/([^/.]+)' },
      to: { path: '^web/console/pages/', pathNot: '^web/console/pages/$1(/|\\.)' },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules|^tests/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default'] },
  },
};
