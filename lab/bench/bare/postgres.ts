import { randomBytes, randomUUID } from 'node:crypto';
import pg from 'pg';
import { randomText } from '../../../src/adapters/system/random-ids.js';
import { auditEventId } from '../../../src/domain/index.js';
import {
  changedAccess,
  grantDocument,
  newRun,
  newToken,
  newVersion,
  newVersionDocument,
  noResults,
  readable,
  runDocument,
  runOptions,
  runTimes,
  tokenDocument,
  uploadUrlOf,
  type VersionRow,
  versionColumns,
  versionDocument,
} from './documents.js';
import { type Answered, type BareRequest, lastPart, serve, unauthenticated } from './frame.js';

/* Some of the requests on Postgres, each in one round trip by a statement that is planned once on each connection. */

const { DATABASE_URL = '', PUBLIC_URL = 'http://127.0.0.1:8080' } = process.env;

const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10, options: '-c plan_cache_mode=force_generic_plan' });

/** The user `u` behind the token `k` whose digest is the first value. */
const caller = `api_tokens k join users u on u.id = k.user_id
  where k.secret_digest = $1 and u.deleted_at is null and not u.suspended`;

/** Through one of the teams of `user`: a grant on the workspace `w`, or what the team may in the organization `o`. */
const through = (user: string, grant: string, ...permissions: string[]) => `exists (
  select 1 from team_members m join teams t on t.id = m.team_id
  left join team_workspaces g on g.team_id = t.id and g.workspace_id = w.id
  where m.user_id = ${user} and m.organization_id = o.id and t.deleted_at is null and (
    ${[grant, 't.is_owners', ...permissions.map((name) => `t.organization_access like '%"${name}"%'`)].join(' or ')}))`;

const readers = ['manage-workspaces', 'read-workspaces', 'manage-policies', 'manage-policy-overrides'];
const living = 'w.deleted_at is null and o.deleted_at is null';

const show = {
  name: 'show',
  rowMode: 'array',
  text: `
    select k.id, u.id, k.expires_at, seen.*
    from api_tokens k join users u on u.id = k.user_id
    left join lateral (
      select ${versionColumns}
      from configuration_versions v join workspaces w on w.id = v.workspace_id
      join organizations o on o.id = w.organization_id
      where v.id = $2 and ${living} and ${through('u.id', 'g.id is not null', ...readers)}) seen on true
    where k.secret_digest = $1 and u.deleted_at is null and not u.suspended`,
} as const;

const create = {
  name: 'create',
  rowMode: 'array',
  text: `
    with caller as (select k.id as token_id, u.id as user_id, k.expires_at from ${caller}),
    taken as (
      update workspaces as w set last_sequence = last_sequence + 1,
        current_configuration_version_id = case when $7 then $3 else current_configuration_version_id end
      from organizations o, caller c
      where o.id = w.organization_id and w.id = $2 and ${living}
        and (c.expires_at is null or c.expires_at > $8)
        and ${through(
          'c.user_id',
          `g.access in ('plan', 'write', 'admin') or (g.access = 'custom' and g.runs in ('plan', 'apply'))`,
          'manage-workspaces',
        )}
      returning last_sequence, w.organization_id, c.user_id, c.token_id),
    made as (
      insert into configuration_versions (id, workspace_id, sequence, status, origin, source, auto_queue_runs,
        speculative, provisional, status_timestamps, created_by_kind, created_by_id, created_at, revision)
      select $3, $2, last_sequence, 'pending', 'api', 'tfe-api', $4, $5, $6, '{}', 'user', user_id, $8, 0 from taken
      returning id),
    recorded as (
      insert into audit_events (id, organization_id, at, actor_kind, actor_id, token_id, action, subject, outcome, count,
        request_id, address, route)
      select $9, organization_id, $8, 'user', user_id, token_id, 'configuration-versions/create', $3, 'done', 1,
        $10, '127.0.0.1', 'POST /workspaces/:workspaceId/configuration-versions' from taken)
    select caller.token_id, caller.user_id, caller.expires_at, made.id from caller left join made on true`,
} as const;

const issue = {
  name: 'issue',
  rowMode: 'array',
  text: `
    with caller as (select k.id as token_id, u.id as user_id, k.expires_at from ${caller}),
    owned as (
      select t.id, o.id as organization_id, c.user_id, c.token_id
      from teams t join organizations o on o.id = t.organization_id, caller c
      where t.id = $2 and t.deleted_at is null and o.deleted_at is null and (c.expires_at is null or c.expires_at > $5)
        and exists (select 1 from team_members m join teams own on own.id = m.team_id
          where m.user_id = c.user_id and own.organization_id = o.id and own.is_owners and own.deleted_at is null)),
    kept as (
      insert into api_tokens (id, team_id, audits, secret_digest, created_by_kind, created_by_id, created_at)
      select $3, id, false, $4, 'user', user_id, $5 from owned
      on conflict (team_id) where team_id is not null do update set id = excluded.id,
        secret_digest = excluded.secret_digest, created_by_kind = 'user', created_by_id = excluded.created_by_id,
        created_at = excluded.created_at, description = null, expires_at = null, last_used_at = null
      returning id),
    recorded as (
      insert into audit_events (id, organization_id, at, actor_kind, actor_id, token_id, action, subject, outcome, count,
        request_id, address, route)
      select $6, organization_id, $5, 'user', user_id, token_id, 'team-tokens/manage', $3, 'done', 1,
        $7, '127.0.0.1', 'POST /teams/:teamId/authentication-token' from owned)
    select caller.token_id, caller.user_id, caller.expires_at, kept.id from caller left join kept on true`,
} as const;

const change = {
  name: 'change',
  rowMode: 'array',
  text: `
    with caller as (select k.id as token_id, u.id as user_id, k.expires_at from ${caller}),
    changed as (
      update team_workspaces as a set access = $3, runs = null, variables = null, state_versions = null,
        policy_mocks = null, workspace_locking = null, run_tasks = null, revision = a.revision + 1
      from workspaces w, organizations o, caller c
      where a.id = $2 and w.id = a.workspace_id and o.id = w.organization_id and ${living}
        and (c.expires_at is null or c.expires_at > $4)
        and ${through('c.user_id', `g.access = 'admin'`, 'manage-workspaces')}
      returning a.team_id, w.id as workspace_id, '/organizations/' || o.name || '/workspaces/' || w.name as path,
        w.organization_id, c.user_id, c.token_id),
    recorded as (
      insert into audit_events (id, organization_id, at, actor_kind, actor_id, token_id, action, subject, outcome, count,
        request_id, address, route)
      select $5, organization_id, $4, 'user', user_id, token_id, 'team-access/manage', $2, 'done', 1,
        $6, '127.0.0.1', 'PATCH /team-workspaces/:id' from changed)
    select caller.token_id, caller.user_id, caller.expires_at, changed.team_id, changed.workspace_id, changed.path
    from caller left join changed on true`,
} as const;

const queue = {
  name: 'queue',
  rowMode: 'array',
  text: `
    with caller as (select k.id as token_id, u.id as user_id, k.expires_at from ${caller}),
    taken as (
      update workspaces as w set last_run_sequence = last_run_sequence + 1
      from configuration_versions v, organizations o, caller c
      where o.id = w.organization_id and v.workspace_id = w.id and w.id = $2 and v.id = $3 and v.status = 'uploaded'
        and ${living} and (c.expires_at is null or c.expires_at > $7)
        and ${through(
          'c.user_id',
          `g.access in ('plan', 'write', 'admin') or (g.access = 'custom' and g.runs in ('plan', 'apply'))`,
          'manage-workspaces',
        )}
      returning last_run_sequence, w.organization_id, c.user_id, c.token_id),
    made as (
      insert into runs (id, workspace_id, configuration_version_id, sequence, status, source, options, plan_only,
        save_plan, auto_apply, created_by_kind, created_by, has_changes, cancel_requested, decisions, status_timestamps,
        created_at, revision)
      select $4, $2, $3, last_run_sequence, 'plan_queued', 'tfe-api', $8, true, false, false, 'user', user_id, false,
        false, '[]', $9, $7, 0 from taken
      returning id),
    staged as (
      insert into task_stages (id, run_id, stage, status, status_timestamps, created_at, updated_at, revision)
      select $5, id, 'post_plan', 'pending', $10, $7, $7, 0 from made
      returning id),
    judged as (
      insert into policy_evaluations (id, task_stage_id, kind, status, policy_tool_version, policy_sets, result_count,
        overridable, status_timestamps, created_at, updated_at)
      select $6, s.id, 'opa', 'pending', '', coalesce((
        select json_agg(json_build_object(
          'id', p.id, 'name', p.name, 'description', p.description, 'policies', p.policies::json) order by lower(p.name))
        from policy_sets p join taken t on t.organization_id = p.organization_id
        where p.kind = 'opa'
          and (p.global or exists (
            select 1 from policy_set_workspaces a where a.policy_set_id = p.id and a.workspace_id = $2))
          and not exists (
            select 1 from policy_set_exclusions x where x.policy_set_id = p.id and x.workspace_id = $2))::text, '[]'),
        $11, true, $10, $7, $7 from staged s),
    recorded as (
      insert into audit_events (id, organization_id, at, actor_kind, actor_id, token_id, action, subject, outcome, count,
        request_id, address, route)
      select $12, organization_id, $7, 'user', user_id, token_id, 'runs/queue', $4, 'done', 1, $13, '127.0.0.1',
        'POST /runs' from taken)
    select caller.token_id, caller.user_id, caller.expires_at, made.id from caller left join made on true`,
} as const;

type Statement = typeof show | typeof create | typeof issue | typeof change | typeof queue;

const tables = {
  create: 'workspaces',
  issue: 'teams',
  change: 'team_workspaces',
  queue: 'workspaces',
  show: 'configuration_versions',
} as const;

type Row = readonly [tokenId: string, userId: string, expiresAt: string | null, ...rest: unknown[]];

const naive = process.env.MANNER === 'naive';

/** In a transaction, with one round trip for each statement, as in a typical application. */
async function inTurn(statement: Statement, values: readonly unknown[]): Promise<pg.QueryArrayResult> {
  const client = await pool.connect();
  try {
    const known = { name: 'known', text: `select k.id from ${caller}`, values: [values[0]] };
    await client.query(known);
    await client.query('begin');
    const table = tables[statement.name];
    const subject = { name: table, text: `select id from ${table} where id = $1`, values: [values[1]] };
    for (let asked = 0; asked < 3; asked += 1) await client.query(subject);
    const result = await client.query<unknown[]>({ ...statement, values: [...values] });
    await client.query('commit');
    return result as unknown as pg.QueryArrayResult;
  } finally {
    client.release();
  }
}

async function ask(statement: Statement, values: readonly unknown[]): Promise<Row | undefined> {
  const { rows } = await (naive && statement !== show
    ? inTurn(statement, values)
    : pool.query({ ...statement, values: [...values] }));
  const row = rows[0] as Row | undefined;
  if (row === undefined || row[2] === null || row[2] > new Date().toISOString()) return row;
  return undefined;
}

async function answer({ method, url, digest, body }: BareRequest): Promise<Answered> {
  if (method === 'POST' && url.startsWith('/teams/')) {
    const route = '/teams/:teamId/authentication-token';
    const [, , teamId = ''] = url.split('/');
    const { id, secret, digest: kept, at } = newToken();
    const event = [auditEventId(at, randomBytes(8).toString('hex')), randomUUID()];
    const row = await ask(issue, [digest, teamId, id, kept, at, ...event]);
    if (row === undefined) return unauthenticated(route);
    const [tokenId, userId, , known] = row;
    if (known === null) return { status: 404, route, tokenId, userId };
    return { status: 201, route, tokenId, userId, document: { data: tokenDocument(id, secret, userId, teamId, at) } };
  }
  if (method === 'POST' && url === '/runs') {
    const route = '/runs';
    const [workspaceId, versionId] = newRun(body);
    const [runId, stageId] = [`run-${randomText(16)}`, `ts-${randomText(16)}`];
    const at = new Date().toISOString();
    const times = runTimes(at);
    const made = [workspaceId, versionId, runId, stageId, `poleval-${randomText(16)}`, at];
    const event = [auditEventId(at, randomBytes(8).toString('hex')), randomUUID()];
    const row = await ask(queue, [digest, ...made, runOptions, times.run, times.stage, noResults, ...event]);
    if (row === undefined) return unauthenticated(route);
    const [tokenId, userId, , known] = row;
    if (known === null) return { status: 404, route, tokenId, userId };
    const document = { data: runDocument(runId, workspaceId, versionId, stageId, at) };
    return { status: 201, route, tokenId, userId, document };
  }
  if (method === 'PATCH') {
    const route = '/team-workspaces/:id';
    const id = lastPart(url);
    const access = changedAccess(body);
    const at = new Date().toISOString();
    const event = [auditEventId(at, randomBytes(8).toString('hex')), randomUUID()];
    const row = await ask(change, [digest, id, access, at, ...event]);
    if (row === undefined) return unauthenticated(route);
    const [tokenId, userId, , ...rest] = row;
    const [teamId, workspaceId, path] = rest as string[];
    if (!teamId || !workspaceId || !path) return { status: 404, route, tokenId, userId };
    return {
      status: 200,
      route,
      tokenId,
      userId,
      document: { data: grantDocument(workspaceId, path, [id, teamId, access]) },
    };
  }
  if (method === 'POST') {
    const route = '/workspaces/:workspaceId/configuration-versions';
    const id = `cv-${randomText(16)}`;
    const workspaceId = url.slice('/workspaces/'.length, url.indexOf('/', '/workspaces/'.length));
    const given = newVersion(body);
    const { autoQueueRuns, speculative, provisional } = given;
    const now = new Date();
    const current = !speculative && !provisional;
    const at = now.toISOString();
    const event = [auditEventId(at, randomBytes(8).toString('hex')), randomUUID()];
    const made = [workspaceId, id, autoQueueRuns, speculative, provisional, current, at, ...event];
    const row = await ask(create, [digest, ...made]);
    if (row === undefined) return unauthenticated(route);
    const [tokenId, userId, , known] = row;
    if (known === null) return { status: 404, route, tokenId, userId };
    const data = newVersionDocument(id, given, uploadUrlOf(PUBLIC_URL, id, now.getTime()));
    return { status: 201, route, tokenId, userId, document: { data } };
  }
  const route = '/configuration-versions/:id';
  const row = await ask(show, [digest, lastPart(url)]);
  if (row === undefined) return unauthenticated(route);
  const [tokenId, userId, , ...rest] = row;
  const version = rest as unknown as VersionRow;
  if (version[0] === null || !readable(version)) return { status: 404, route, tokenId, userId };
  return { status: 200, route, tokenId, userId, document: { data: versionDocument(version) } };
}

serve(answer);
