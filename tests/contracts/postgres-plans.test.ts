import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import type { Transaction } from '../../src/application/index.js';
import {
  aConfigurationVersion,
  anOrganization,
  aRun,
  asUser,
  aTeam,
  aTeamWorkspace,
  aUser,
  aWorkspace,
} from '../support/builders.js';
import { aClaim } from '../support/claims.js';
import { freshDatabase, skipPostgres } from '../support/databases.js';

(skipPostgres ? describe.skip : describe)('statements on Postgres, planned while their tables were empty,', () => {
  let drop: () => Promise<void>;
  let database: KnexDatabase;
  let planner: pg.Client;
  let statements: string[] = [];

  beforeAll(async () => {
    const fresh = await freshDatabase();
    drop = fresh.drop;
    database = openPostgres(fresh.url, { onStatement: (sql) => statements.push(sql) });
    planner = new pg.Client({ connectionString: fresh.url });
    await planner.connect();
    // Reading a whole empty table costs nothing.
    await planner.query('vacuum analyze');
    await planner.query('set plan_cache_mode = force_generic_plan');
  });

  afterAll(async () => {
    await planner.end();
    await database.close();
    await drop();
  });

  /** The steps of the plans of all statements on a table, each planned behind those before it in the transaction. */
  async function stepsOf(table: string, work: (tx: Transaction) => Promise<unknown>): Promise<readonly string[]> {
    statements = [];
    await database.unitOfWork.run(work);
    const steps: string[] = [];
    await planner.query('begin');
    for (const [index, sql] of statements.entries()) {
      if (sql.startsWith('select set_config')) await planner.query(sql);
      if (!sql.includes(table)) continue;
      await planner.query(`prepare of_${index} as ${sql}`);
      const values = new Set(sql.match(/\$\d+/g)).size;
      const given = values === 0 ? '' : `(${Array.from({ length: values }, () => 'null').join(', ')})`;
      const { rows } = await planner.query(`explain execute of_${index}${given}`);
      steps.push(...rows.map((row) => row['QUERY PLAN']));
      await planner.query(`deallocate of_${index}`);
    }
    await planner.query('rollback');
    expect(steps.length).toBeGreaterThan(0);
    return steps;
  }

  it.each([
    ['claim effects', 'effects', (tx: Transaction) => tx.effects.claim(aClaim('discards', { limit: 5 }))],
    ['find the lanes with effects', 'effects', (tx: Transaction) => tx.effects.lanesDue('2030-01-01T00:00:00.000Z')],
    [
      'remove the versions of a workspace',
      'configuration_versions',
      (tx: Transaction) => tx.removals.removeBatch({ kind: 'workspace', id: 'ws-1' }, 20),
    ],
  ] as const)('%s along indexes', async (_does, table, work) => {
    const steps = await stepsOf(table, work);
    expect(steps.filter((step) => /Seq Scan|Bitmap/.test(step))).toEqual([]);
  });

  /** Copies a row `count` times, each with other values, in which `n` is its number. */
  async function copies(table: string, id: string, count: number, others: Readonly<Record<string, string>>) {
    const { rows } = await planner.query(
      `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
       where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
      [table],
    );
    const changed = Object.entries(others).map(([name, value]) => `'${name}', ${value}`);
    await planner.query(
      `insert into ${table} (${rows[0].names}) select ${rows[0].names} from (
         select (jsonb_populate_record(t, jsonb_build_object(${changed.join(', ')}))).*
         from ${table} as t, generate_series(1, ${count}) as n where t.id = $1) as copied`,
      [id],
    );
  }

  it('find the access of a team to a workspace by both, where most workspaces have one and some have many', async () => {
    const organization = anOrganization();
    const [workspace, team] = [aWorkspace(organization), aTeam(organization)];
    const version = aConfigurationVersion(workspace);
    const run = aRun(workspace, version.state);
    const access = aTeamWorkspace(team.id, workspace.id);
    await database.unitOfWork.run(async (tx) => {
      await tx.organizations.add(organization);
      await tx.workspaces.add(workspace);
      await tx.teams.add(team);
      await tx.teamAccess.add(access);
      await tx.configurationVersions.add(version);
      await tx.runs.add(run);
    });
    await copies('teams', team.id, 100, { id: "'many-team-' || n", name_key: "'many-team-' || n" });
    await copies('workspaces', workspace.id, 1_000, { id: "'many-ws-' || n", name: "'many-ws-' || n" });
    const { id } = access.state;
    await copies('team_workspaces', id, 100, { id: "'many-' || n", team_id: "'many-team-' || n" });
    await copies('team_workspaces', id, 1_000, { id: "'each-' || n", workspace_id: "'many-ws-' || n" });
    await planner.query('analyze');
    const steps = await stepsOf('runs', (tx) => tx.runs.findFor(asUser(aUser()), run.state.id));
    const ofAccess = steps.findIndex((step) => step.includes('team_workspaces'));
    for (const key of ['team_id = ', 'workspace_id = ']) expect(steps[ofAccess + 1]).toContain(key);
  });

  it('count the teams of an organization in an index alone', async () => {
    const organization = anOrganization();
    const team = aTeam(organization);
    await database.unitOfWork.run(async (tx) => {
      await tx.organizations.add(organization);
      await tx.teams.add(team);
    });
    await copies('teams', team.id, 1_000, { id: "'counted-' || n", name_key: "'counted-' || n" });
    await planner.query('vacuum analyze teams');
    const steps = await stepsOf('teams', (tx) => tx.teams.page(organization.id, 'all', { number: 1, size: 20 }));
    expect(steps.join()).toContain('Index Only Scan using teams_counted');
  });
});
