import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Cruise, cruise, reports, root } from './cruise.js';

const rules: readonly string[] = createRequire(import.meta.url)('../../.dependency-cruiser.cjs').forbidden.map(
  ({ name }: { name: string }) => name,
);

/** Files that break each rule: one or more per rule. */
const planted: Readonly<Record<string, string>> = {
  'src/domain/supporting/teams/team.ts': `
    import 'inversify';
    import { createHash } from 'node:crypto';
    import type { Knex } from 'knex';
    import { workspace } from '../workspaces/workspace.js';
    import { policy } from '../../authorization/policy.js';
    export const team = [createHash, workspace, policy] as unknown as Knex;`,
  'src/domain/supporting/workspaces/workspace.ts': 'export const workspace = 1;',
  'src/domain/supporting/workspaces/lock.ts': `export { name } from '../teams/team-name.js';`,
  'src/domain/supporting/teams/team-name.ts': 'export const name = 1;',
  'src/domain/shared/id.ts': 'export const id = 1;',
  'src/domain/team-access/access-level.ts': 'export const impliedBy = 1;',
  'src/domain/authorization/policy.ts': `
    import { impliedBy } from '../team-access/access-level.js';
    import { workspace } from '../supporting/workspaces/workspace.js';
    export const policy = [impliedBy, workspace];`,
  'src/application/supporting/teams/show-team.ts': `
    import { id } from '../../../domain/shared/id.js';
    import type { App } from '../../../adapters/http/server/app.js';
    import { readFile } from 'node:fs/promises';
    export const show = (app: App) => [app, readFile, id];`,
  'src/application/supporting/teams/list-teams.ts': `import './remove-team.js'; export const list = 1;`,
  'src/application/supporting/teams/remove-team.ts': `import './list-teams.js'; export const remove = 1;`,
  'src/application/supporting/runs/show-run.ts': `
    import { list } from '../teams/list-teams.js';
    export const run = list;`,
  'src/application/supporting/runs/list-runs.ts': 'export const runs = 1;',
  'src/application/supporting/teams/teams-of-runs.ts': `export { runs } from '../runs/list-runs.js';`,
  'src/adapters/http/server/app.ts': `
    import express from 'express';
    import { tables } from '../../persistence/knex/tables.js';
    import { main } from '../../../infrastructure/main.js';
    export type App = typeof express | typeof tables | typeof main;`,
  'src/adapters/http/routing/route.ts': `export { team } from '../supporting/teams/team-resource.js';`,
  'src/adapters/http/openapi/openapi.ts': `
    import { users } from '../supporting/users/user-routes.js';
    import type { App } from '../server/app.js';
    export const openapi = users as unknown as App;`,
  'src/adapters/http/supporting/teams/team-resource.ts': 'export const team = 1;',
  'src/adapters/http/supporting/teams/team-routes.ts': `
    import { user } from '../users/user-resource.js';
    import { openapi } from '../../openapi/openapi.js';
    import type { App } from '../../server/app.js';
    export const teams = [user, openapi] as unknown as App;`,
  'src/adapters/http/supporting/users/user-resource.ts': 'export const user = 1;',
  'src/adapters/http/supporting/users/user-routes.ts': `
    import { team } from '../teams/team-resource.js';
    export const users = team;`,
  'src/adapters/persistence/knex/tables.ts': `
    import type { Request } from 'express';
    import type { Knex } from 'knex';
    export const tables = (knex: Knex, request: Request) => [knex, request];`,
  'src/adapters/persistence/knex/engine/rows.ts': `export { teams } from '../repositories/knex-teams.js';`,
  'src/adapters/persistence/knex/engine/sql.ts': 'export const sql = 1;',
  'src/adapters/persistence/knex/repositories/knex-teams.ts': `
    import { sql } from '../engine/sql.js';
    export const teams = sql;`,
  'web/console/api/reading.ts': `export { field as reading } from '../parts/field.tsx';`,
  'web/console/parts/field.tsx': `export { words as field } from '../access/words.ts';`,
  'web/console/access/words.ts': `export { outputs as words } from '../state/outputs.tsx';`,
  'web/console/state/outputs.tsx': `export { lock as outputs } from '../workspace/lock.tsx';`,
  'web/console/workspace/lock.tsx': `export { contact as lock } from '../agents/contact.ts';`,
  'web/console/agents/contact.ts': `export { decision as contact } from '../run/decision.tsx';`,
  'web/console/run/decision.tsx': `export { routes as decision } from '../routes.ts';`,
  'web/console/routes.ts': 'export const routes = 1;',
  'web/console/shell/page.tsx': `export { run } from '../pages/run.tsx';`,
  'web/console/shell/header.tsx': 'export const header = 1;',
  'web/console/pages/run.tsx': `export { routes as run } from '../routes.ts';`,
  'web/console/pages/runs.tsx': `export { header } from '../shell/header.tsx';`,
  'web/console/pages/home/failures.tsx': `export { run as failures } from '../run.tsx';`,
  'src/adapters/files/s3-bundle-store.ts': `
    import { S3Client } from '@aws-sdk/client-s3';
    export const store = new S3Client();`,
  'src/adapters/tracing/otlp-tracing.ts': `
    import { trace } from '@opentelemetry/api';
    export const tracing = trace;`,
  'src/infrastructure/service.ts': `
    import { store } from '../adapters/files/s3-bundle-store.js';
    import type { tracing } from '../adapters/tracing/otlp-tracing.js';
    import { Registry } from 'prom-client';
    export const stores = [store, Registry, import('../adapters/files/s3-bundle-store.js')] as unknown as typeof tracing;`,
  'src/infrastructure/main.ts': `
    import { Container } from 'inversify';
    import knex from 'knex';
    export const main = [Container, knex];`,
  'src/agent/main.ts': `
    import { id } from '../domain/shared/id.js';
    import { extract } from 'tar-stream';
    import { z } from 'zod';
    import type { Knex } from 'knex';
    export const agent = [id, extract, z] as unknown as Knex;`,
  'src/infrastructure/cli/command.ts': 'export const command = 1;',
  'src/infrastructure/cli/help.ts': `export { serve } from './commands/serve.js';`,
  'src/infrastructure/cli/commands/serve.ts': `export { command as serve } from '../command.js';`,
  'lab/bench/load.ts': `export { random } from '../torture/random.js';`,
  'lab/bench/sample.ts': 'export const sample = 1;',
  'lab/torture/random.ts': 'export const random = 1;',
  'lab/torture/load.ts': `export { sample } from '../bench/sample.js';`,
  'src/infrastructure/backup.ts': `export { agent } from '../agent/main.js';`,
  'src/infrastructure/container/index.ts': `export { Container } from 'inversify';`,
};

async function plant(): Promise<Cruise> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-boundaries-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const file of ['.dependency-cruiser.cjs', 'tsconfig.json', 'package.json']) {
      await cp(join(root, file), join(folder, file));
    }
    for (const [path, text] of Object.entries(planted)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return await cruise(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describe('the layers', () => {
  let broken: Cruise;

  beforeAll(async () => {
    broken = await plant();
  });

  it('are guarded by rules of which every one bites', () => {
    expect(new Set(broken.summary.violations.map(({ rule }) => rule.name))).toEqual(new Set(rules));
  });

  it('would not get away with any import planted against the rules, type-only ones included', () => {
    expect(reports(broken)).toEqual(
      [
        'domain-depends-on-nothing: src/domain/supporting/teams/team.ts > inversify',
        'domain-depends-on-nothing: src/domain/supporting/teams/team.ts > crypto',
        'domain-depends-on-nothing: src/domain/supporting/teams/team.ts > knex',
        'container-library-only-in-the-container: src/domain/supporting/teams/team.ts > inversify',
        'knex-only-in-persistence: src/domain/supporting/teams/team.ts > knex',
        'authorization-knows-access-levels-only: src/domain/authorization/policy.ts > src/domain/supporting/workspaces/workspace.ts',
        'application-depends-on-domain-only: src/application/supporting/teams/show-team.ts > src/adapters/http/server/app.ts',
        'application-depends-on-domain-only: src/application/supporting/teams/show-team.ts > fs/promises',
        'no-cycles: src/application/supporting/teams/list-teams.ts > src/application/supporting/teams/remove-team.ts',
        'adapters-do-not-know-infrastructure: src/adapters/http/server/app.ts > src/infrastructure/main.ts',
        'adapters-are-strangers: src/adapters/http/server/app.ts > src/adapters/persistence/knex/tables.ts',
        'http-areas-know-routing-and-each-other: src/adapters/http/supporting/teams/team-routes.ts > src/adapters/http/openapi/openapi.ts',
        'http-areas-know-routing-and-each-other: src/adapters/http/supporting/teams/team-routes.ts > src/adapters/http/server/app.ts',
        'http-routing-knows-no-area: src/adapters/http/routing/route.ts > src/adapters/http/supporting/teams/team-resource.ts',
        'openapi-describes-without-the-server: src/adapters/http/openapi/openapi.ts > src/adapters/http/server/app.ts',
        'no-cycles-of-folders: src/adapters/http/openapi > src/adapters/http/supporting/users',
        'no-cycles-of-folders: src/adapters/http/supporting/teams > src/adapters/http/openapi',
        'no-cycles-of-folders: src/adapters/http/supporting/teams > src/adapters/http/supporting/users',
        'no-cycles-of-folders: src/adapters/http/supporting/users > src/adapters/http/supporting/teams',
        'no-cycles-of-folders: src/domain/authorization > src/domain/supporting/workspaces',
        'no-cycles-of-folders: src/domain/supporting/teams > src/domain/authorization',
        'no-cycles-of-folders: src/domain/supporting/teams > src/domain/supporting/workspaces',
        'no-cycles-of-folders: src/domain/supporting/workspaces > src/domain/supporting/teams',
        'no-cycles-of-folders: src/application/supporting/runs > src/application/supporting/teams',
        'no-cycles-of-folders: src/application/supporting/teams > src/application/supporting/runs',
        'no-cycles-of-folders: src/adapters/persistence/knex/engine > src/adapters/persistence/knex/repositories',
        'no-cycles-of-folders: src/adapters/persistence/knex/repositories > src/adapters/persistence/knex/engine',
        'no-cycles-of-folders: src/infrastructure/cli > src/infrastructure/cli/commands',
        'no-cycles-of-folders: src/infrastructure/cli/commands > src/infrastructure/cli',
        'no-cycles-of-folders: lab/bench > lab/torture',
        'no-cycles-of-folders: lab/torture > lab/bench',
        'no-cycles-of-folders: web/console/pages > web/console/shell',
        'no-cycles-of-folders: web/console/shell > web/console/pages',
        'console-api-imports-what-its-row-names: web/console/api/reading.ts > web/console/parts/field.tsx',
        'console-parts-imports-what-its-row-names: web/console/parts/field.tsx > web/console/access/words.ts',
        'console-access-imports-what-its-row-names: web/console/access/words.ts > web/console/state/outputs.tsx',
        'console-state-imports-what-its-row-names: web/console/state/outputs.tsx > web/console/workspace/lock.tsx',
        'console-workspace-imports-what-its-row-names: web/console/workspace/lock.tsx > web/console/agents/contact.ts',
        'console-agents-imports-what-its-row-names: web/console/agents/contact.ts > web/console/run/decision.tsx',
        'console-run-imports-what-its-row-names: web/console/run/decision.tsx > web/console/routes.ts',
        'console-shell-imports-what-its-row-names: web/console/shell/page.tsx > web/console/pages/run.tsx',
        'console-pages-imports-what-its-row-names: web/console/pages/run.tsx > web/console/routes.ts',
        'console-pages-do-not-know-each-other: web/console/pages/home/failures.tsx > web/console/pages/run.tsx',
        'express-only-in-http: src/adapters/persistence/knex/tables.ts > express',
        'container-library-only-in-the-container: src/infrastructure/main.ts > inversify',
        'knex-only-in-persistence: src/infrastructure/main.ts > knex',
        'object-store-is-loaded-only-where-it-is-used: src/infrastructure/service.ts > src/adapters/files/s3-bundle-store.ts',
        'metrics-library-only-in-metrics: src/infrastructure/service.ts > prom-client',
        'agent-is-a-program-of-its-own: src/agent/main.ts > knex',
        'agent-is-a-program-of-its-own: src/agent/main.ts > src/domain/shared/id.ts',
        'knex-only-in-persistence: src/agent/main.ts > knex',
        'nobody-imports-the-agent: src/infrastructure/backup.ts > src/agent/main.ts',
        'tracing-is-loaded-only-where-it-is-used: src/infrastructure/service.ts > src/adapters/tracing/otlp-tracing.ts',
      ].sort(),
    );
  });
});
