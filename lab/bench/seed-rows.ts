import { createHash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { performance } from 'node:perf_hooks';
import Database from 'better-sqlite3';
import pg from 'pg';
import { type KnexDatabase, openPostgres, openSqlite } from '../../src/adapters/persistence/knex/knex-database.js';
import { ownMigrations } from '../../src/adapters/persistence/knex/migration-source.js';
import { randomText } from '../../src/adapters/system/random-ids.js';
import {
  aConfigurationVersion,
  aMembership,
  anOrganization,
  aProject,
  aRun,
  aStateOutput,
  aStateVersion,
  aTagBinding,
  aTeam,
  aTeamWorkspace,
  aToken,
  aUser,
  aVariableSet,
  aWorkspace,
  ownedBy,
  someIngressAttributes,
} from '../../tests/support/builders.js';
import {
  aManagedPolicy,
  anAgentPool,
  anAgentToken,
  anEvaluation,
  aPolicyOutcome,
  aPolicySet,
  aPolicySetOutcome,
  aRunTask,
  aTaskStage,
} from '../../tests/support/policy-builders.js';

/** How many rows of each kind there are. */
export interface Size {
  /** In the large workspace. */
  readonly versions: number;
  readonly runs: number;
  readonly accesses: number;
  /** In addition to the large one. */
  readonly workspaces: number;
  readonly versionsInEach: number;
  /** Two in three workspaces have a run of each of their first versions. */
  readonly runsInEach?: number;
  /** In one organization, each with a token, a member, and access to a workspace. */
  readonly teams: number;
  readonly users: number;
  /** Further accesses to each workspace, of teams that have others. */
  readonly accessesInEach?: number;
  /** The outcomes of one evaluation, those of a smaller one, and the number of evaluations with ten each. */
  readonly outcomes: number;
  readonly someOutcomes: number;
  readonly evaluations: number;
  /** Each of: organizations; projects, policy sets and agent pools in one; tokens of one pool, and of one user. */
  readonly others: number;
}

/** Scale 1 has ten million versions, one million of them in one workspace, and a million outcomes. */
export const sizeOf = (scale: number): Size => ({
  versions: Math.round(1_000_000 * scale),
  runs: Math.round(100_000 * scale),
  accesses: Math.round(10_000 * scale),
  workspaces: Math.round(100_000 * scale),
  versionsInEach: 90,
  teams: Math.round(100_000 * scale),
  users: Math.max(Math.round(20_000 * scale), 1),
  outcomes: Math.round(800_000 * scale),
  someOutcomes: Math.round(100_000 * scale),
  evaluations: Math.round(10_000 * scale),
  others: Math.round(10_000 * scale),
});

/**
 * Scale 1 has one organization with 100,000 workspaces, 150,000 runs, a million versions, 20,000 teams and 230,000 accesses,
 * among a thousand.
 */
export const organizationOf = (scale: number): Size => ({
  ...sizeOf(scale),
  versions: Math.round(100_000 * scale),
  versionsInEach: 9,
  runs: Math.round(16_700 * scale),
  runsInEach: 2,
  teams: Math.round(20_000 * scale),
  accessesInEach: 2,
  outcomes: Math.round(1_000 * scale),
  someOutcomes: Math.round(1_000 * scale),
  evaluations: Math.round(100 * scale),
  others: Math.round(1_000 * scale),
});

const outcomesInEach = 10;

const listedRows = ({ teams }: Size): readonly number[] => [1_000, 100].map((rows) => Math.min(rows, teams));

/** The seeded objects that requests refer to. */
export interface Seeded {
  readonly workspaceId: string;
  readonly evaluationId: string;
  readonly someEvaluationId: string;
  readonly poolId: string;
  /** The user id of the owner. */
  readonly ownerId: string;
  /** Workspaces to which more than one team has access, without the large one. */
  readonly listed: readonly { readonly id: string; readonly rows: number }[];
  /** Secrets of an owner, and of a member of a few teams who is not an owner. */
  readonly owner: string;
  readonly member: string;
  /** The secret of a site administrator without an organization. */
  readonly admin: string;
  readonly seconds: number;
}

/** The SQL that differs between the engines. */
interface Dialect {
  run(sql: string): Promise<void>;
  /** The first value. */
  text(sql: string): Promise<string>;
  columns(table: string): Promise<readonly string[]>;
  /** The rows 1 to `count`, as `n(i)`. */
  series(count: number): string;
  /** Random digits and letters. */
  readonly text16: string;
  readonly text64: string;
  instant(seconds: string): string;
  /** In six digits. */
  padded(value: string): string;
  /** Drops the indexes of these tables during the work and recreates them at the end. */
  withoutIndexes(tables: readonly string[], work: () => Promise<void>): Promise<void>;
  /** Gives the planner the statistics of a table that a service in use has. */
  analyze(table: string): Promise<void>;
  close(): Promise<void>;
}

function onSqlite(file: string): Dialect {
  const database = new Database(file);
  for (const setting of [
    'synchronous = OFF',
    'foreign_keys = OFF',
    'cache_size = -3000000',
    'wal_autocheckpoint = 100000',
    'journal_size_limit = 0',
  ]) {
    database.pragma(setting);
  }
  const run = async (sql: string) => {
    database.exec(sql);
  };
  return {
    run,
    text: async (sql) => database.prepare(sql).pluck().get() as string,
    columns: async (table) =>
      database.prepare('select name from pragma_table_info(?)').pluck().all(table) as readonly string[],
    series: (count) => `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`,
    text16: 'hex(randomblob(8))',
    text64: 'lower(hex(randomblob(32)))',
    instant: (seconds) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${seconds}, 'unixepoch')`,
    padded: (value) => `printf('%06d', ${value})`,
    withoutIndexes: async (tables, work) => {
      const names = tables.map((table) => `'${table}'`).join(', ');
      const made = `from sqlite_schema where sql is not null and tbl_name in (${names})`;
      const objects = database
        .prepare(`select type, name, sql ${made} and type in ('index', 'trigger')`)
        .all() as readonly { type: string; name: string; sql: string }[];
      for (const { type, name } of objects) await run(`drop ${type} ${name}`);
      await run('begin');
      await work();
      await run('commit');
      for (const { sql } of objects) await run(sql);
    },
    // The service keeps no statistics on SQLite.
    analyze: async () => {},
    close: async () => {
      database.pragma('wal_checkpoint(TRUNCATE)');
      database.close();
    },
  };
}

async function onPostgres(url: string): Promise<Dialect> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const run = async (sql: string) => {
    await client.query(sql);
  };
  // Disables foreign keys and triggers.
  await run("set session_replication_role = replica; set maintenance_work_mem = '512MB'; set work_mem = '128MB'");
  return {
    run,
    text: async (sql) => Object.values((await client.query(sql)).rows[0])[0] as string,
    columns: async (table) => {
      const columns = 'select column_name from information_schema.columns where table_schema = current_schema()';
      const { rows } = await client.query(`${columns} and table_name = $1 order by ordinal_position`, [table]);
      return rows.map(({ column_name }) => column_name as string);
    },
    series: (count) => `with n(i) as (select i::integer from generate_series(1, ${count}) as s(i))`,
    text16: `upper(left(replace(gen_random_uuid()::text, '-', ''), 16))`,
    text64: `replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')`,
    instant: (seconds) => `to_char(to_timestamp(${seconds}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
    padded: (value) => `lpad((${value})::text, 6, '0')`,
    withoutIndexes: async (tables, work) => {
      const { rows } = await client.query(
        `select indexname as name, indexdef as sql from pg_indexes where schemaname = current_schema()
         and tablename = any($1) and indexname not in (select conname from pg_constraint)`,
        [tables],
      );
      for (const { name } of rows) await run(`drop index ${name}`);
      await work();
      for (const { sql } of rows) await run(sql);
    },
    analyze: (table) => run(`analyze ${table}`),
    close: async () => {
      await run('vacuum analyze');
      await client.end();
    },
  };
}

/** The work of the triggers that a seed disables. */
const listing = [
  `update team_workspaces set listed_name = t.name_key, listed_visibility = t.visibility
     from teams as t where t.id = team_workspaces.team_id and t.deleted_at is null`,
  `update api_tokens set listed_in = t.organization_id, listed_name = t.name_key
     from teams as t where t.id = api_tokens.team_id and t.deleted_at is null`,
  `update organization_memberships set listed_name = lower(coalesce(invited_email, u.username))
     from users as u where u.id = organization_memberships.user_id and u.deleted_at is null`,
];

const secretOf = (name: string): string => `gatehouse.v1.${name.padEnd(48, '0')}`;
const digestOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
const id = (prefix: string): string => `${prefix}-${randomText(16)}`;

const epoch = Date.parse('2026-01-01T00:00:00.000Z') / 1000;

/** One row of each kind, written by the repositories; all others are copies of it. */
async function seedOne({ migrate, unitOfWork }: KnexDatabase) {
  const createdAt = new Date(epoch * 1000).toISOString();
  const organization = anOrganization({ id: id('org'), name: 'acme', createdAt });
  const owner = aUser({ id: id('user'), username: 'ann', createdAt });
  const member = aUser({ id: id('user'), username: 'bob', createdAt });
  const admin = aUser({ id: id('user'), username: 'eve', siteAdministrator: true, createdAt });
  const owners = aTeam(organization, { id: id('team'), name: 'owners', owners: true, createdAt });
  const team = aTeam(organization, { id: id('team'), name: 'platform', visibility: 'organization', createdAt });
  const workspace = aWorkspace(organization, { id: id('ws'), name: 'network', createdAt, updatedAt: createdAt });
  const createdBy = ownedBy('user', owner);
  const version = aConfigurationVersion(workspace, {
    id: id('cv'),
    status: 'uploaded',
    bundle: { key: id('bundle'), bytes: 10_240, sha256: digestOf('a bundle') },
    statusTimestamps: { 'uploaded-at': createdAt },
    createdBy,
    createdAt,
    revision: 1,
  });
  const run = aRun(workspace, version.state, {
    id: id('run'),
    status: 'applied',
    statusTimestamps: { 'plan-queued-at': createdAt, 'applied-at': createdAt },
    hasChanges: true,
    createdBy,
    createdAt,
    revision: 9,
  });
  const state = aStateVersion(run.state, { id: id('sv'), createdBy, createdAt });
  const output = aStateOutput(state, { id: id('wsout'), name: 'region' });
  const evaluation = anEvaluation({ id: id('poleval'), status: 'passed', createdAt, updatedAt: createdAt });
  const stage = aTaskStage(run, { id: id('ts'), status: 'passed', evaluations: [evaluation], createdAt });
  const outcome = aPolicySetOutcome(evaluation, {
    id: id('psout'),
    outcomes: [
      aPolicyOutcome({ policyName: 'cost', description: 'Keeps the cost in bounds', query: 'data.cost.deny' }),
      aPolicyOutcome({ policyName: 'tags', description: 'Everything has an owner', query: 'data.tags.deny' }),
    ],
  });
  const project = aProject(organization, { id: id('prj'), name: 'networks', createdAt, updatedAt: createdAt });
  const pool = anAgentPool(organization, { id: id('apool'), name: 'basement', createdAt });
  await migrate();
  await unitOfWork.run(async (tx) => {
    await tx.organizations.add(organization);
    for (const user of [owner, member]) {
      await tx.users.add(user);
      await tx.memberships.add(aMembership(organization, user, { id: id('ou'), createdAt }));
      const secretDigest = digestOf(secretOf(user.username));
      await tx.tokens.add(aToken(ownedBy('user', user), { id: id('at'), secretDigest, createdAt }));
    }
    await tx.users.add(admin);
    await tx.tokens.add(
      aToken(ownedBy('user', admin), { id: id('at'), secretDigest: digestOf(secretOf(admin.username)), createdAt }),
    );
    await tx.projects.add(project);
    await tx.policySets.add(aPolicySet(organization, { id: id('polset'), createdAt, updatedAt: createdAt }));
    await tx.variableSets.add(aVariableSet(organization, { id: id('varset'), createdAt, updatedAt: createdAt }));
    await tx.policies.add(aManagedPolicy(organization, { id: id('pol'), createdAt, updatedAt: createdAt }));
    await tx.runTasks.add(aRunTask(organization, { id: id('task'), createdAt }));
    await tx.agentPools.add(pool);
    await tx.agentTokens.add(anAgentToken(pool, { id: id('agt'), secretDigest: digestOf('an agent'), createdAt }));
    await tx.teams.add(owners);
    await tx.teams.add(team);
    await tx.teams.addMembers(owners, [owner.id]);
    await tx.teams.addMembers(team, [owner.id, member.id]);
    await tx.tokens.add(aToken(ownedBy('team', team), { id: id('at'), secretDigest: digestOf('a team'), createdBy }));
    await tx.workspaces.add(workspace);
    await tx.tags.give(organization.id, [workspace.id], [{ id: id('tag'), name: 'network' }], createdAt);
    const binding = aTagBinding(workspace, { id: id('tb'), createdAt });
    await tx.tagBindings.bind(binding.owner, [binding]);
    await tx.teamAccess.add(aTeamWorkspace(team.id, workspace.id, { id: id('tws'), grant: { access: 'write' } }));
    await tx.configurationVersions.add(version, true);
    await tx.configurationVersions.addIngressAttributes(version.state.id, someIngressAttributes({ id: id('ia') }));
    (await tx.runs.takeSequence(workspace.id)).sequence;
    await tx.runs.add(run);
    await tx.stateVersions.add(state, [output]);
    await tx.stateVersions.finalize(state, { key: id('bundle'), bytes: 10_240, sha256: digestOf('a state') });
    await tx.taskStages.add(stage);
    await tx.taskStages.addOutcomes([outcome]);
  });
  return { organization, owner, member, admin, team, project, workspace, evaluation, pool };
}

/**
 * Fills an empty database. Rows are what the repositories write, with other ids, names, numbers and times. The versions
 * of one workspace are not adjacent on disk, as with concurrent workspaces.
 */
async function seed(opened: KnexDatabase, use: () => Dialect | Promise<Dialect>, size: Size): Promise<Seeded> {
  const began = performance.now();
  const { organization, owner, member, admin, team, project, workspace, evaluation, pool } = await seedOne(opened);
  await opened.close();
  const on = await use();
  const at = (row: string): string => on.instant(`${epoch} + ${row}`);

  /** `i` runs from 1. */
  const numbered = async (table: string, prefix: string, count: number): Promise<void> => {
    await on.run(`create temporary table new_${table} (i integer primary key, id text)`);
    await on.run(`insert into new_${table} ${on.series(count)} select i, '${prefix}-' || ${on.text16} from n`);
  };
  /** Copies a row of the table once for each row `from` makes, with some of its columns changed. */
  const copies = async (
    table: string,
    model: string,
    changed: Readonly<Record<string, string>>,
    from: string,
    series = '',
  ): Promise<void> => {
    const columns = await on.columns(table);
    await on.run(`create temporary table if not exists one_${table} as select * from ${table} where ${model}`);
    const values = columns.map((column) => changed[column] ?? `one.${column}`);
    await on.run(`insert into ${table} (${columns.join(', ')})
      ${series} select ${values.join(', ')} from ${from} cross join one_${table} as one`);
  };

  await numbered('users', 'user', size.users);
  await numbered('teams', 'team', size.teams);
  await numbered('workspaces', 'ws', size.workspaces);
  await numbered('evaluations', 'poleval', size.evaluations + 1);
  await numbered('stages', 'ts', size.evaluations + 1);

  await on.withoutIndexes(['users', 'organization_memberships', 'teams', 'team_members', 'api_tokens'], async () => {
    const name = `'user-' || ${on.padded('n.i')}`;
    const named = { id: 'n.id', username: name, email: `${name} || '@example.com'`, created_at: at('n.i') };
    await copies('users', `id = '${member.id}'`, named, 'new_users as n');
    const membership = { id: `'ou-' || ${on.text16}`, user_id: 'n.id', created_at: at('n.i') };
    const ofUser = `user_id = '${member.id}'`;
    await copies('organization_memberships', ofUser, membership, 'new_users as n');
    // Not in insertion order.
    const scattered = on.padded(`(n.i * 7919) % ${Math.max(size.teams, 1)}`);
    const newTeam = {
      id: 'n.id',
      name: `'Team ' || ${scattered}`,
      name_key: `'team ' || ${scattered}`,
      visibility: `case when n.i % 4 = 0 then 'secret' else 'organization' end`,
      created_at: at('n.i'),
    };
    await copies('teams', `id = '${team.id}'`, newTeam, 'new_teams as n');
    const ofTeam = { team_id: 'n.id', user_id: 'u.id' };
    const users = `new_teams as n join new_users as u on u.i = n.i % ${size.users} + 1`;
    await copies('team_members', ofUser, ofTeam, users);
    const few = (user: string, which: string) =>
      on.run(`insert into team_members (team_id, user_id, organization_id)
        select id, '${user}', '${organization.id}' from new_teams where i in ${which}`);
    await few(owner.id, '(1, 2, 3)');
    await few(member.id, '(4, 5, 6)');
    const token = {
      id: `'at-' || ${on.text16}`,
      team_id: 'n.id',
      secret_digest: on.text64,
      created_at: at('n.i'),
      expires_at: `case when n.i % 2 = 0 then ${on.instant(`${epoch} + 315360000 + (n.i * 7919) % 10000000`)} end`,
      last_used_at: `case when n.i % 3 = 0 then ${at('(n.i * 7919) % 10000000')} end`,
    };
    await copies('api_tokens', `team_id = '${team.id}'`, token, 'new_teams as n');
  });

  await on.withoutIndexes(['configuration_versions', 'workspaces', 'team_workspaces'], async () => {
    const scattered = on.padded(`(n.i * 7919) % ${Math.max(size.workspaces, 1)}`);
    const changed = {
      id: 'n.id',
      name: `'workspace-' || ${scattered}`,
      created_at: at('n.i'),
      updated_at: at('n.i'),
      last_sequence: String(size.versionsInEach),
      last_run_sequence: '0',
      last_state_sequence: '0',
    };
    await copies('workspaces', `id = '${workspace.id}'`, changed, 'new_workspaces as n');

    const access = { id: `'tws-' || ${on.text16}`, team_id: 'n.id' };
    const model = `workspace_id = '${workspace.id}'`;
    await copies('team_workspaces', model, access, `(select * from new_teams where i < ${size.accesses}) as n`);
    const elsewhere = { ...access, workspace_id: 'w.id' };
    const listed = listedRows(size).map((rows, index) => `(w.i = ${index + 1} and n.i <= ${rows})`);
    const other = `(w.i = n.i and n.i > ${listed.length})`;
    const pairs = `new_workspaces as w join new_teams as n on ${[...listed, other].join(' or ')}`;
    await copies('team_workspaces', model, elsewhere, pairs);
    for (let more = 1; more <= (size.accessesInEach ?? 0); more += 1) {
      const others = `new_workspaces as w join new_teams as n on n.i = (w.i + ${more} * 7) % ${size.teams} + 1`;
      await copies('team_workspaces', model, elsewhere, `${others} and w.i > ${listed.length}`);
    }

    const first = `workspace_id = '${workspace.id}' and sequence = 1`;
    const rounds = size.versionsInEach;
    const perRound = Math.ceil(size.versions / rounds);
    for (let round = 1; round <= rounds; round += 1) {
      const second = at(`${round} * 100000 + n.i`);
      const version = {
        id: `'cv-' || ${on.text16}`,
        bundle_key: `'bundle-' || ${on.text16}`,
        bundle_sha256: on.text64,
        created_at: second,
        status_timestamps: `'{"uploaded-at":"' || ${second} || '"}'`,
      };
      const of = { ...version, workspace_id: 'n.id', sequence: String(round) };
      await copies('configuration_versions', first, of, 'new_workspaces as n');
      // The first one exists already.
      const before = 1 + (round - 1) * perRound;
      const more = Math.min(perRound, size.versions - before);
      if (more <= 0) continue;
      const large = { ...version, sequence: `n.i + ${before}` };
      await copies('configuration_versions', first, large, 'n', on.series(more));
    }
    await on.run(`update workspaces set last_sequence = ${size.versions} where id = '${workspace.id}'`);
  });
  const newest = 'select id from configuration_versions as v where v.workspace_id = workspaces.id';
  await on.run(`update workspaces set last_run_sequence = ${size.runs} where id = '${workspace.id}'`);
  await on.run(
    `update workspaces set current_configuration_version_id = (${newest} and v.sequence = workspaces.last_sequence)`,
  );

  await on.withoutIndexes(['runs', 'task_stages', 'policy_evaluations'], async () => {
    const run = {
      id: `'run-' || ${on.text16}`,
      sequence: 'n.i + 1',
      configuration_version_id: 'v.id',
      created_at: at('n.i'),
    };
    const ofVersions = `n join configuration_versions as v on v.workspace_id = '${workspace.id}' and v.sequence = n.i + 1`;
    await copies('runs', 'sequence = 1', run, ofVersions, on.series(size.runs - 1));
    if (size.runsInEach === undefined) return;
    const elsewhere = {
      id: `'run-' || ${on.text16}`,
      workspace_id: 'v.workspace_id',
      configuration_version_id: 'v.id',
      sequence: 'v.sequence',
      status: `case w.i % 10 when 0 then 'errored' when 1 then 'discarded' else 'applied' end`,
      created_at: 'v.created_at',
    };
    const firstVersions = `configuration_versions as v join new_workspaces as w on w.id = v.workspace_id
      and w.i % 3 > 0 and v.sequence <= ${size.runsInEach}`;
    await copies('runs', 'sequence = 1', elsewhere, firstVersions);
    const ofThese = `id in (select id from new_workspaces where i % 3 > 0)`;
    await on.run(`update workspaces set last_run_sequence = ${size.runsInEach} where ${ofThese}`);
  });
  await on.withoutIndexes(['state_versions', 'state_version_outputs'], async () => {
    const state = {
      id: `'sv-' || ${on.text16}`,
      run_id: 'r.id',
      sequence: 'n.i + 1',
      serial: 'n.i + 1',
      bundle_key: `'bundle-' || ${on.text16}`,
      created_at: at('n.i'),
    };
    const ofRun = `n join runs as r on r.workspace_id = '${workspace.id}' and r.sequence = n.i + 1`;
    await copies('state_versions', 'sequence = 1', state, ofRun, on.series(size.runs - 1));
    const output = { id: `'wsout-' || ${on.text16}`, state_version_id: 'v.id' };
    await copies(
      'state_version_outputs',
      'id is not null',
      output,
      '(select id from state_versions where sequence > 1) as v',
    );
    await on.run(`update workspaces set last_state_sequence = ${size.runs} where id = '${workspace.id}'`);
  });
  await on.withoutIndexes(['task_stages', 'policy_evaluations'], async () => {
    const ofRun = `new_stages as n join runs as r on r.workspace_id = '${workspace.id}' and r.sequence = n.i + 1`;
    await copies('task_stages', 'id is not null', { id: 'n.id', run_id: 'r.id' }, ofRun);
    const evaluations = `new_evaluations as n join new_stages as s on s.i = n.i`;
    await copies('policy_evaluations', 'id is not null', { id: 'n.id', task_stage_id: 's.id' }, evaluations);
  });
  await on.withoutIndexes(['policy_set_outcomes', 'policy_outcomes'], async () => {
    const statusAt = (position: string) => `case when (${position}) % 10 = 1 then 'failed' else 'passed' end`;
    const at = (position: string) => ({ id: `'psout-' || ${on.text16}`, position, status: statusAt(position) });
    const table = 'policy_set_outcomes';
    await copies(table, 'position = 0', at('n.i'), 'n', on.series(size.outcomes - 1));
    const ofSmaller = `(select id from new_evaluations where i = ${size.evaluations + 1})`;
    const smaller = { ...at('n.i - 1'), policy_evaluation_id: ofSmaller };
    await copies(table, 'position = 0', smaller, 'n', on.series(size.someOutcomes));
    const each = { ...at('n.i - 1'), policy_evaluation_id: 'e.id' };
    const rest = `n cross join (select * from new_evaluations where i <= ${size.evaluations}) as e`;
    await copies(table, 'position = 0', each, rest, on.series(outcomesInEach));
    const verdict = {
      policy_set_outcome_id: 'q.id',
      status: `case when one.position = 0 then q.status else 'passed' end`,
    };
    const sets = `(select * from ${table} where id not in (select id from one_${table})) as q`;
    await copies('policy_outcomes', 'position >= 0', verdict, sets);
  });
  const fewer = [
    'organizations',
    'policy_sets',
    'variable_sets',
    'policies',
    'run_tasks',
    'agent_pools',
    'agent_tokens',
    'ingress_attributes',
    'api_tokens',
    'tags',
    'workspace_tags',
    'workspace_tag_bindings',
  ];
  await on.withoutIndexes(fewer, async () => {
    const numbers = on.series(size.others);
    const named = (prefix: string) => ({
      id: `'${prefix}-' || ${on.text16}`,
      name: `'${prefix} ' || ${on.padded('n.i')}`,
      created_at: at('n.i'),
    });
    await copies('organizations', 'id is not null', named('org'), 'n', numbers);
    await copies('projects', `id = '${project.id}'`, named('prj'), 'n', numbers);
    await copies('policy_sets', 'id is not null', named('polset'), 'n', numbers);
    await copies('variable_sets', 'id is not null', named('varset'), 'n', numbers);
    await copies('policies', 'id is not null', named('pol'), 'n', numbers);
    await copies('run_tasks', 'id is not null', named('task'), 'n', numbers);
    await copies('agent_pools', 'id is not null', named('apool'), 'n', numbers);
    const ofNumber = `new_workspaces as n on n.i = k.i % ${size.workspaces} + 1`;
    const tagged = {
      id: `'tag-' || ${on.padded('n.i')}`,
      name: `'tag-' || ${on.padded('n.i')}`,
      created_at: at('n.i'),
    };
    await copies('tags', 'id is not null', tagged, 'n', numbers);
    await on.run(`insert into workspace_tags (workspace_id, tag_id)
      ${on.series(size.others).replaceAll(/\bn\b/g, 'k')} select n.id, 'tag-' || ${on.padded('k.i')} from k join ${ofNumber}`);
    const everyThird = `new_workspaces as n join tags as t on t.name = 'network' and n.i % 3 = 0`;
    await on.run(`insert into workspace_tags (workspace_id, tag_id) select n.id, t.id from ${everyThird}`);
    const bound = { id: `'tb-' || ${on.text16}`, workspace_id: 'n.id', value: on.padded('n.i'), created_at: at('n.i') };
    await copies('workspace_tag_bindings', 'id is not null', bound, 'new_workspaces as n');
    const token = { secret_digest: on.text64, created_at: at('n.i') };
    await copies('agent_tokens', 'id is not null', { ...token, id: `'agt-' || ${on.text16}` }, 'n', numbers);
    await on.run(`insert into api_tokens (id, user_id, secret_digest, created_at)
      ${numbers} select 'at-' || ${on.text16}, '${owner.id}', ${on.text64}, ${at('n.i')} from n`);
    const attributes = { id: `'ia-' || ${on.text16}`, configuration_version_id: 'v.id' };
    const ofVersions = `new_workspaces as n join configuration_versions as v on v.workspace_id = n.id and v.sequence = 1`;
    await copies('ingress_attributes', 'id is not null', attributes, ofVersions);
  });
  // A long queue in another organization, with ids that sort before random ones.
  const away = "'away'";
  const changed = { id: away, organization_id: away, workspace_id: away, configuration_version_id: away };
  await copies('organizations', 'id is not null', { id: away, name: away }, '(select 1) as n');
  await copies('workspaces', 'id is not null', { ...changed, name: away }, '(select 1) as n');
  await copies('configuration_versions', 'id is not null', changed, '(select 1) as n');
  await on.withoutIndexes(['runs'], async () => {
    const waiting = {
      id: `'away-' || ${on.padded('n.i')}`,
      sequence: 'n.i',
      status: "'pending'",
      created_at: at('n.i'),
    };
    await copies('runs', 'sequence = 1', { ...changed, ...waiting }, 'n', on.series(size.runs));
  });
  const kept = ['team_workspaces', 'api_tokens', 'organization_memberships', 'policy_set_outcomes'];
  await on.withoutIndexes(kept, async () => {
    for (const statement of listing) await on.run(statement);
  });
  // Written by triggers, too, and as the worker fills it.
  await on.run('delete from current_runs');
  // Postgres else takes them for few, and may read all of them for each workspace.
  await on.analyze('runs');
  for (const { statement } of ownMigrations.fills) await on.run(statement('1 = 1'));
  const listed = await Promise.all(
    listedRows(size).map(async (rows, index) => ({
      id: await on.text(`select id from new_workspaces where i = ${index + 1}`),
      rows,
    })),
  );
  const someEvaluationId = await on.text(`select id from new_evaluations where i = ${size.evaluations + 1}`);
  await on.close();
  return {
    workspaceId: workspace.id,
    evaluationId: evaluation.id,
    someEvaluationId,
    poolId: pool.id,
    ownerId: owner.id,
    listed,
    owner: secretOf(owner.username),
    member: secretOf(member.username),
    admin: secretOf(admin.username),
    seconds: (performance.now() - began) / 1000,
  };
}

/** Creates the file and its directory. */
export async function seedSqlite(file: string, size: Size): Promise<Seeded> {
  await mkdir(dirname(file), { recursive: true });
  const seeded = await seed(openSqlite(file), () => onSqlite(file), size);
  // Otherwise the first checkpoint of the service waits until all of it has reached the disk.
  const written = await open(file, 'r+');
  await written.sync();
  await written.close();
  return seeded;
}

/** The database must exist and be empty. */
export const seedPostgres = (url: string, size: Size): Promise<Seeded> =>
  seed(openPostgres(url), () => onPostgres(url), size);
