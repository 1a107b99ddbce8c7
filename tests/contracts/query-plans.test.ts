import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { type KnexDatabase, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { Authenticate, TokenUses, type Transaction } from '../../src/application/index.js';
import type { Actor } from '../../src/domain/index.js';
import {
  aConfigurationVersion,
  anOrganization,
  asOrganization,
  asTeam,
  asUser,
  aTeam,
  aUser,
  aWorkspace,
} from '../support/builders.js';
import { FixedClock } from '../support/fixed-clock.js';

type Work = (tx: Transaction) => Promise<unknown>;

describe('statements on SQLite', () => {
  const organization = anOrganization();
  const workspace = aWorkspace(organization);
  let directory: string;
  let database: KnexDatabase;
  let planner: Database.Database;
  let statements: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    const file = join(directory, 'test.sqlite');
    database = openSqlite(file, { onStatement: (sql) => statements.push(sql) });
    await database.migrate();
    await database.unitOfWork.run(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.configurationVersions.add(aConfigurationVersion(workspace));
    });
    planner = new Database(file, { readonly: true });
  });

  afterAll(async () => {
    planner.close();
    await database.close();
    await rm(directory, { recursive: true });
  });

  async function statementsOf(work: Work, transactionally = false): Promise<readonly string[]> {
    statements = [];
    const { unitOfWork } = database;
    await (transactionally ? unitOfWork.run(work) : unitOfWork.read(work)).catch(() => undefined);
    return statements;
  }

  const planOf = (sql: string): readonly string[] => {
    const unbound = Array.from(sql.matchAll(/\?/g), () => null);
    const steps = planner.prepare(`explain query plan ${sql}`).all(...unbound) as { detail: string }[];
    return steps.map(({ detail }) => detail);
  };

  const callers: readonly Actor[] = [asUser(aUser()), asTeam(aTeam(organization)), asOrganization(organization)];
  const page = (number: number) => ({ number, size: 20 });
  const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;

  const inOne: readonly (readonly [string, Work])[] = [
    ['a credential', (tx) => tx.tokens.findCredential('digest')],
    ['the token of a team', (tx) => tx.tokens.findOf({ kind: 'team', id: 'team-1' })],
    ['a version', (tx) => tx.configurationVersions.find('cv-1')],
    ['the first page of versions', (tx) => tx.configurationVersions.page('ws-1', page(1))],
    ['a deep page of versions', (tx) => tx.configurationVersions.page('ws-1', page(5_000))],
    ['whether a bundle is referred to', (tx) => tx.configurationVersions.refersTo('bundle-1')],
    ['what runs say of a version', (tx) => tx.runs.aboutVersion('cv-1')],
    ['whether a workspace has a run in progress', (tx) => tx.runs.anyInProgress({ workspaceId: 'ws-1' })],
    ...callers.flatMap((actor): (readonly [string, Work])[] => [
      [`a version with the standing of a ${actor.kind}`, (tx) => tx.configurationVersions.findFor(actor, 'cv-1')],
      [`a workspace with the standing of a ${actor.kind}`, (tx) => tx.workspaces.findFor(actor, 'ws-1')],
      [`a named workspace with the standing of a ${actor.kind}`, (tx) => tx.workspaces.findByNameFor(actor, 'o', 'w')],
      [`an organization with the standing of a ${actor.kind}`, (tx) => tx.organizations.findFor(actor, 'o')],
      [`a team with the standing of a ${actor.kind}`, (tx) => tx.teams.findFor(actor, 'team-1')],
    ]),
  ];

  it.each(inOne)('find %s in one statement, through indexes alone', async (_, work) => {
    const sql = await statementsOf(work);
    expect(sql).toHaveLength(1);
    const plan = sql.flatMap(planOf);
    expect(plan.filter((step) => step.startsWith('SCAN') && step !== 'SCAN CONSTANT ROW')).toEqual([]);
    expect(plan.filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(0);
  });

  const inMore: readonly (readonly [string, Work])[] = [
    ['list workspaces', (tx) => tx.workspaces.page('org-1', nobody, 'all', page(1))],
    ['list teams', (tx) => tx.teams.page('org-1', 'all', page(1))],
    ['list members', (tx) => tx.memberships.page('org-1', page(1))],
    ['list the organizations of a user', (tx) => tx.organizations.page(asUser(aUser()), page(1))],
    ['list the tokens of a user', (tx) => tx.tokens.pageOfUser('user-1', page(1))],
    ['take a sequence number', (tx) => tx.workspaces.takeSequence('ws-1', 'cv-1', true)],
    ['take a workspace away', (tx) => tx.removals.removeBatch({ kind: 'workspace', id: workspace.id }, 200)],
    ['take an organization away', (tx) => tx.removals.removeBatch({ kind: 'organization', id: 'org-1' }, 200)],
    ['take a user away', (tx) => tx.removals.removeBatch({ kind: 'user', id: 'user-1' }, 200)],
    ['take a team away', (tx) => tx.removals.removeBatch({ kind: 'team', id: 'team-1' }, 200)],
  ];

  it.each(inMore)('%s without reading through a table', async (_, work) => {
    const sql = await statementsOf(work, true);
    expect(sql.length).toBeGreaterThan(0);
    expect(sql.flatMap(planOf).filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });

  it('reach a page of versions by a range of sequence numbers, however deep, and sort nothing', async () => {
    const [shallow] = await statementsOf((tx) => tx.configurationVersions.page('ws-1', page(1)));
    const [deep] = await statementsOf((tx) => tx.configurationVersions.page('ws-1', page(5_000)));
    expect(deep).toBe(shallow);
    expect(deep).not.toMatch(/offset|count\(/i);
    const plan = planOf(deep ?? '');
    expect(plan).toContainEqual(
      expect.stringMatching(
        /SEARCH v USING INDEX configuration_versions_sequence \(workspace_id=\? AND sequence>\? AND sequence<\?\)/,
      ),
    );
    expect(plan.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
  });

  it('reach a credential by its digest', async () => {
    const [sql] = await statementsOf((tx) => tx.tokens.findCredential('digest'));
    expect(planOf(sql ?? '')).toContain('SEARCH k USING INDEX api_tokens_secret_digest (secret_digest=?)');
  });

  it('authenticate and find a version with its standing are two in all', async () => {
    const authenticate = new Authenticate(
      database.unitOfWork,
      new FixedClock(),
      { generate: () => ({ secret: 's', digest: 'd' }), digestOf: () => 'd' },
      new TokenUses(database.unitOfWork),
    );
    statements = [];
    await expect(authenticate.execute('secret')).rejects.toThrow();
    expect(statements).toHaveLength(1);
    await database.unitOfWork.read((tx) => tx.configurationVersions.findFor(asUser(aUser()), 'cv-1'));
    expect(statements).toHaveLength(2);
  });
});
