import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Modules that open connections, look up names or start programs that may. */
const opening =
  /^(?:node:(?:net|tls|https?|http2|dgram|dns|dns\/promises|child_process)|pg|knex|openid-client|undici|@aws-sdk\/client-s3|@opentelemetry\/exporter-[\w-]+)$/;

/** The imports of the file that remain when types are erased. */
const importsOf = (text: string): readonly string[] => [
  ...[...text.matchAll(/^import (?!type )([^;]+?) from '([^']+)';/gms)]
    .filter(([, names = '']) => !/^\{(?:\s*type [^,}]+,?)+\s*\}$/.test(names))
    .map(([, , module = '']) => module),
  ...[...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, module = '']) => module),
];

const opens = (text: string): boolean =>
  importsOf(text).some((module) => opening.test(module)) ||
  /(?<![\w.#])(?:fetch|new WebSocket|new EventSource)\(/.test(text.replaceAll(/\/\*\*.*?\*\//gs, ''));

/** The pages with tables of connections. */
const operations = 'docs/operations.md';
const agents = 'docs/agents.md';

/** Each such file, with the page and the rows of its connections, or why it opens none. */
const known: Readonly<Record<string, readonly [page: string, ...rows: string[]] | string>> = {
  'src/adapters/calls/guarded-calls.ts': [operations, 'Run tasks', 'Notifications', 'Names'],
  'src/adapters/files/s3-bucket.ts': [operations, 'Bucket'],
  'src/adapters/files/s3-bundle-store.ts': [operations, 'Bucket', 'Cloud credentials'],
  'src/adapters/http/server/exchange.ts': 'listens',
  'src/adapters/http/server/fast.ts': 'listens',
  'src/adapters/http/server/http-server.ts': 'listens',
  'src/adapters/http/server/memory/request-memory.ts': 'compares addresses',
  'src/adapters/identity/openid-provider.ts': [operations, 'Identity provider'],
  'src/adapters/persistence/knex/database-health.ts': [operations, 'Postgres'],
  'src/adapters/persistence/knex/engine/postgres-sessions.ts': [operations, 'Postgres', 'News from Postgres'],
  'src/adapters/persistence/knex/engine/postgres-snapshot.ts': [operations, 'Postgres'],
  'src/adapters/persistence/knex/knex-database.ts': [operations, 'Postgres'],
  'src/adapters/persistence/knex/migrate-while-serving.ts': [operations, 'Postgres'],
  'src/adapters/persistence/knex/migrate.ts': 'uses connections of the pool',
  'src/adapters/persistence/knex/moving/postgres-side.ts': [operations, 'Target of a move'],
  'src/adapters/persistence/knex/postgres-news.ts': [operations, 'News from Postgres'],
  'src/adapters/persistence/knex/schema.ts': 'uses connections of the pool',
  'src/adapters/tracing/otlp-tracing.ts': [operations, 'Trace collector'],
  'src/adapters/version-control/git-checkout.ts': 'has a method of this name',
  'src/adapters/version-control/git-processes.ts': [operations, 'Git servers'],
  'src/adapters/version-control/host-addresses.ts': [operations, 'Names'],
  'src/adapters/version-control/public-addresses.ts': 'compares addresses',
  'src/adapters/version-control/reachable.ts': [operations, 'Git servers'],
  'src/adapters/version-control/repository-url.ts': 'separates addresses from names',
  'src/agent/first-try/local-service.ts': [agents, 'A first try'],
  'src/agent/first-try/provision.ts': [agents, 'A first try'],
  'src/agent/programs/child-process.ts': 'starts terraform and opa, whose connections have a table of their own',
  'src/agent/programs/find-programs.ts': 'asks programs for their version',
  'src/agent/programs/process-group.ts': 'looks at the processes of this machine',
  'src/agent/run-user.ts': 'looks at the users of this machine',
  'src/agent/service/service-client.ts': [agents, 'Gatehouse'],
  'src/application/background/begun.ts': 'has a parameter of this name',
  'src/application/supporting/version-control/commit-files.ts': 'has a method of this name',
  'src/infrastructure/cli/commands/policy.ts': [operations, 'Policy trials'],
  'src/infrastructure/cli/commands/doctor.ts': 'asks git for its version',
  'src/infrastructure/cli/doctor/address-checks.ts': [operations, 'The service itself'],
  'src/infrastructure/cli/doctor/store-check.ts': [operations, 'Bucket'],
  'src/infrastructure/cli/import/family-client.ts': [operations, 'Servers of an import'],
  'src/infrastructure/cli/import/send-stream.ts': [operations, 'Servers of an import'],
};

/** The first column of a page's table of connections, without its head. */
const rowsOf = (page: string): readonly string[] => {
  const [, section = ''] = read(page).split(/^#+ What it connects to$/m);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section) ?? [];
  return [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, row = '']) => row).slice(1);
};

describe('the tables of connections', () => {
  it('are judged for every file that could open one', () => {
    const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' });
    const sources = files.filter((name) => name.endsWith('.ts')).map((name) => `src/${name}`);
    expect(sources.filter((name) => opens(read(name))).sort()).toEqual(Object.keys(known).sort());
  });

  it.each([operations, agents])('in %s have a row for each connection, and no other', (page) => {
    const named = Object.values(known).flatMap((place) =>
      typeof place !== 'string' && place[0] === page ? place.slice(1) : [],
    );
    expect(new Set(rowsOf(page))).toEqual(new Set(named));
  });
});
