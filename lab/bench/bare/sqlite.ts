import { randomBytes, randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { randomText } from '../../../src/adapters/system/random-ids.js';
import { auditEventId } from '../../../src/domain/index.js';
import {
  changedAccess,
  firstPage,
  type GrantRow,
  grantDocument,
  newRun,
  newToken,
  newVersion,
  newVersionDocument,
  noResults,
  pageSize,
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

/*
 * The requests of the bench, with statements prepared once on one connection. A parameter follows a unary plus because
 * SQLite otherwise replans joins whenever it is bound.
 */

const { DATABASE_FILE = '', PUBLIC_URL = 'http://127.0.0.1:8080' } = process.env;
const writable = process.env.WRITABLE === 'true';

const db = new Database(DATABASE_FILE, { readonly: !writable });
if (writable) {
  for (const setting of ['journal_mode = WAL', 'synchronous = FULL', 'fullfsync = ON', 'foreign_keys = ON'])
    db.pragma(setting);
}

/** Rows come as arrays: naming their values costs as much as reading them. */
const statement = (sql: string): Database.Statement => {
  const prepared = db.prepare(sql);
  return prepared.reader ? prepared.raw(true) : prepared;
};

const credential = statement(`
  select k.id, u.id, k.expires_at
  from api_tokens k join users u on u.id = k.user_id
  where k.secret_digest = +? and u.deleted_at is null and u.suspended = 0`);

type Credential = readonly [tokenId: string, userId: string, expiresAt: string | null];

/** Through one of the user's teams: a grant on the workspace `w`, or what the team may in the organization `o`. */
const through = (grant: string, ...permissions: string[]) => `exists (
  select 1 from team_members m join teams t on t.id = m.team_id
  left join team_workspaces g on g.team_id = t.id and g.workspace_id = w.id
  where m.user_id = +? and m.organization_id = o.id and t.deleted_at is null and (
    ${[grant, 't.is_owners', ...permissions.map((name) => `t.organization_access like '%"${name}"%'`)].join(' or ')}))`;

const mayRead = through(
  'g.id is not null',
  'manage-workspaces',
  'read-workspaces',
  'manage-policies',
  'manage-policy-overrides',
);
const mayPlan = through(
  `g.access in ('plan', 'write', 'admin') or (g.access = 'custom' and g.runs in ('plan', 'apply'))`,
  'manage-workspaces',
);
const living = 'w.deleted_at is null and o.deleted_at is null';

const version = statement(`
  select ${versionColumns}
  from configuration_versions v join workspaces w on w.id = v.workspace_id
  join organizations o on o.id = w.organization_id
  where v.id = +? and ${living} and ${mayRead}`);

const workspace = statement(`
  select w.last_sequence
  from workspaces w join organizations o on o.id = w.organization_id
  where w.id = +? and ${living} and ${mayRead}`);

const versions = statement(`
  select ${versionColumns} from configuration_versions v
  where v.workspace_id = +? and v.sequence > +? order by v.sequence desc`);

const evaluation = statement(`
  select (select max(n.position) + 1 from policy_set_outcomes n where n.policy_evaluation_id = e.id)
  from policy_evaluations e join task_stages s on s.id = e.task_stage_id join runs r on r.id = s.run_id
  join workspaces w on w.id = r.workspace_id join organizations o on o.id = w.organization_id
  where e.id = +? and ${living} and ${mayRead}`);

const outcomes = statement(`
  select id, overridable, policy_tool_version, error, warnings, policy_set_name, policy_set_description
  from policy_set_outcomes where policy_evaluation_id = +? and position < +? order by position`);

type OutcomeRow = readonly [string, number, string, string | null, string, string, string | null];

const policies = statement(`
  select p.policy_set_outcome_id, p.enforcement_level, p.query, p.status, p.policy_name, p.description, p.output
  from policy_set_outcomes q join policy_outcomes p on p.policy_set_outcome_id = q.id
  where q.policy_evaluation_id = +? and q.position < +? order by q.position, p.position`);

type PolicyRow = readonly [string, string | null, string | null, string, string, string, string | null];

const membersWorkspace = statement(`
  select o.name, w.name, ${through(`g.access = 'admin'`, 'manage-workspaces', 'access-secret-teams')}
  from workspaces w join organizations o on o.id = w.organization_id
  where w.id = +? and ${living}
    and exists (select 1 from organization_memberships s where s.user_id = +? and s.organization_id = o.id)`);

const grants = statement(`
  select g.id, g.team_id, g.access, g.runs, g.variables, g.state_versions, g.policy_mocks, g.workspace_locking, g.run_tasks
  from team_workspaces g
  where g.workspace_id = +? and g.listed_name is not null and (g.listed_visibility = 'organization' or +?
    or exists (select 1 from team_members m where m.team_id = g.team_id and m.user_id = +?))
  order by g.listed_name, g.team_id`);

const takeSequence = statement(`
  update workspaces as w set last_sequence = last_sequence + 1,
    current_configuration_version_id = case when +? then +? else current_configuration_version_id end
  from organizations o
  where o.id = w.organization_id and w.id = +? and ${living} and ${mayPlan} returning last_sequence, organization_id`);

const insert = statement(`
  insert into configuration_versions (id, workspace_id, sequence, status, origin, source, auto_queue_runs, speculative,
    provisional, status_timestamps, created_by_kind, created_by_id, created_at, revision)
  values (?, ?, ?, 'pending', 'api', 'tfe-api', ?, ?, ?, '{}', 'user', ?, ?, 0)`);

const record = statement(`
  insert into audit_events (id, organization_id, at, actor_kind, actor_id, token_id, action, subject, outcome, count,
    request_id, address, route)
  values (?, ?, ?, 'user', ?, ?, ?, ?, 'done', 1, ?, '127.0.0.1', ?)`);

/** `all` are the policies of all sets, in their order, and the first of this one is the one at `from`. */
function outcomeDocument(evaluationId: string, row: OutcomeRow, all: readonly PolicyRow[], from: number) {
  const [id, overridable, toolVersion, error, warnings, name, description] = row;
  let advisory = 0;
  let mandatory = 0;
  let passed = 0;
  let errored = 0;
  let mandatoryPassed = false;
  const said: object[] = [];
  for (let next = all[from]; next?.[0] === id; next = all[from + said.length]) {
    const [, level, query, status, policyName, about, output] = next;
    if (status === 'passed') {
      passed += 1;
      mandatoryPassed ||= level === 'mandatory';
    } else if (status === 'errored') errored += 1;
    else if (level === 'mandatory') mandatory += 1;
    else advisory += 1;
    said.push({
      enforcement_level: level,
      query,
      status,
      policy_name: policyName,
      description: about,
      output: output && JSON.parse(output),
    });
  }
  let status = 'passed';
  let level: string | null = mandatoryPassed ? 'mandatory' : passed > 0 ? 'advisory' : null;
  if (error !== null || errored > 0) {
    status = 'errored';
    level = null;
  } else if (mandatory + advisory > 0) {
    status = 'failed';
    level = mandatory > 0 ? 'mandatory' : 'advisory';
  }
  const counts = { 'advisory-failed': advisory, 'mandatory-failed': mandatory, passed, errored };
  return {
    id,
    type: 'policy-set-outcomes',
    attributes: {
      status,
      'enforcement-level': level,
      outcomes: said,
      error: error ?? '',
      warnings: JSON.parse(warnings),
      overridable: overridable === 1,
      'policy-set-name': name,
      'policy-set-description': description,
      'result-count': counts,
      result_count: counts,
      'policy-tool-version': toolVersion,
    },
    relationships: { 'policy-evaluation': { data: { id: evaluationId, type: 'policy-evaluations' } } },
    links: { self: `/policy-set-outcomes/${id}` },
  };
}

const created = 'POST /workspaces/:workspaceId/configuration-versions';

type Write = (userId: string, tokenId: string, subject: string, body: unknown) => object | undefined;

const create: Write = (userId, tokenId, workspaceId, body) => {
  const id = `cv-${randomText(16)}`;
  const given = newVersion(body);
  const now = new Date();
  const current = Number(!given.speculative && !given.provisional);
  const [sequence, organizationId] =
    (takeSequence.get(current, id, workspaceId, userId) as [number, string] | undefined) ?? [];
  if (sequence === undefined) return undefined;
  const { autoQueueRuns, speculative, provisional } = given;
  const flags = [Number(autoQueueRuns), Number(speculative), Number(provisional)] as const;
  const at = now.toISOString();
  insert.run(id, workspaceId, sequence, ...flags, userId, at);
  const event = auditEventId(at, randomBytes(8).toString('hex'));
  record.run(event, organizationId, at, userId, tokenId, 'configuration-versions/create', id, randomUUID(), created);
  return newVersionDocument(id, given, uploadUrlOf(PUBLIC_URL, id, now.getTime()));
};

const ownedTeam = statement(`
  select o.id from teams t join organizations o on o.id = t.organization_id
  where t.id = +? and t.deleted_at is null and o.deleted_at is null and exists (
    select 1 from team_members m join teams own on own.id = m.team_id
    where m.user_id = +? and own.organization_id = o.id and own.is_owners and own.deleted_at is null)`);

const upsert = statement(`
  insert into api_tokens (id, team_id, audits, secret_digest, created_by_kind, created_by_id, created_at)
  values (?, ?, 0, ?, 'user', ?, ?) on conflict (team_id) where team_id is not null do update set id = excluded.id,
    secret_digest = excluded.secret_digest, created_by_kind = 'user', created_by_id = excluded.created_by_id,
    created_at = excluded.created_at, description = null, expires_at = null, last_used_at = null`);

const issued = 'POST /teams/:teamId/authentication-token';

const issue: Write = (userId, tokenId, teamId) => {
  const [organizationId] = (ownedTeam.get(teamId, userId) as [string] | undefined) ?? [];
  if (organizationId === undefined) return undefined;
  const { id, secret, digest, at } = newToken();
  upsert.run(id, teamId, digest, userId, at);
  const event = auditEventId(at, randomBytes(8).toString('hex'));
  record.run(event, organizationId, at, userId, tokenId, 'team-tokens/manage', id, randomUUID(), issued);
  return tokenDocument(id, secret, userId, teamId, at);
};

const administered = statement(`
  select a.team_id, w.id, w.organization_id, '/organizations/' || o.name || '/workspaces/' || w.name
  from team_workspaces a join workspaces w on w.id = a.workspace_id join organizations o on o.id = w.organization_id
  where a.id = +? and ${living} and ${through(`g.access = 'admin'`, 'manage-workspaces')}`);

const regrant = statement(`
  update team_workspaces set access = ?, runs = null, variables = null, state_versions = null, policy_mocks = null,
    workspace_locking = null, run_tasks = null, revision = revision + 1
  where id = +?`);

const updated = 'PATCH /team-workspaces/:id';

const change: Write = (userId, tokenId, id, body) => {
  const seen = administered.get(id, userId) as [string, string, string, string] | undefined;
  if (seen === undefined) return undefined;
  const [teamId, workspaceId, organizationId, path] = seen;
  const access = changedAccess(body);
  regrant.run(access, id);
  const at = new Date().toISOString();
  const event = auditEventId(at, randomBytes(8).toString('hex'));
  record.run(event, organizationId, at, userId, tokenId, 'team-access/manage', id, randomUUID(), updated);
  return grantDocument(workspaceId, path, [id, teamId, access]);
};

const plannable = statement(`
  select w.organization_id
  from configuration_versions v join workspaces w on w.id = v.workspace_id
  join organizations o on o.id = w.organization_id
  where v.id = +? and w.id = +? and v.status = 'uploaded' and ${living} and ${mayPlan}`);

const takeRunSequence = statement(`
  update workspaces set last_run_sequence = last_run_sequence + 1 where id = +? returning last_run_sequence`);

const insertRun = statement(`
  insert into runs (id, workspace_id, configuration_version_id, sequence, status, source, options, plan_only, save_plan,
    auto_apply, created_by_kind, created_by, has_changes, cancel_requested, decisions, status_timestamps, created_at, revision)
  values (?, ?, ?, ?, 'plan_queued', 'tfe-api', ?, 1, 0, 0, 'user', ?, 0, 0, '[]', ?, ?, 0)`);

const insertStage = statement(`
  insert into task_stages (id, run_id, stage, status, status_timestamps, created_at, updated_at, revision)
  values (?, ?, 'post_plan', 'pending', ?, ?, ?, 0)`);

/** With the policy sets as they are: those of the whole organization, and those of the workspace. */
const insertEvaluation = statement(`
  insert into policy_evaluations (id, task_stage_id, kind, status, policy_tool_version, policy_sets, result_count,
    overridable, status_timestamps, created_at, updated_at)
  select ?, ?, 'opa', 'pending', '', coalesce((
    select json_group_array(json_object('id', p.id, 'name', p.name, 'description', p.description, 'policies', json(p.policies)))
    from policy_sets p
    where p.organization_id = +? and p.kind = 'opa'
      and (p.global = 1 or exists (
        select 1 from policy_set_workspaces a where a.policy_set_id = p.id and a.workspace_id = +?))
      and not exists (
        select 1 from policy_set_exclusions x where x.policy_set_id = p.id and x.workspace_id = +?)), '[]'), ?, 1, ?, ?, ?`);

const queued = 'POST /runs';

const queue: Write = (userId, tokenId, _, body) => {
  const [workspaceId, versionId] = newRun(body);
  const [organizationId] = (plannable.get(versionId, workspaceId, userId) as [string] | undefined) ?? [];
  if (organizationId === undefined) return undefined;
  const [runId, stageId] = [`run-${randomText(16)}`, `ts-${randomText(16)}`];
  const at = new Date().toISOString();
  const times = runTimes(at);
  const [sequence] = takeRunSequence.get(workspaceId) as [number];
  insertRun.run(runId, workspaceId, versionId, sequence, runOptions, userId, times.run, at);
  insertStage.run(stageId, runId, times.stage, at, at);
  const sets = [organizationId, workspaceId, workspaceId];
  insertEvaluation.run(`poleval-${randomText(16)}`, stageId, ...sets, noResults, times.stage, at, at);
  const event = auditEventId(at, randomBytes(8).toString('hex'));
  record.run(event, organizationId, at, userId, tokenId, 'runs/queue', runId, randomUUID(), queued);
  return runDocument(runId, workspaceId, versionId, stageId, at);
};

const byItself = db.transaction((write: Write, ...given: Parameters<Write>) => write(...given));

let waiting: (() => void)[] = [];

/** Commits all writes that are ready in one turn of the event loop with one flush. A refused one has written nothing. */
const commitTogether = (): void => {
  const together = waiting;
  waiting = [];
  const answers: (() => void)[] = [];
  told = answers;
  db.exec('begin immediate');
  for (const write of together) write();
  db.exec('commit');
  for (const tell of answers) tell();
};
let told: (() => void)[] = [];

const written = (write: Write, ...given: Parameters<Write>): object | undefined | Promise<object | undefined> => {
  if (process.env.MANNER !== 'together') return byItself.immediate(write, ...given);
  return new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(commitTogether);
    waiting.push(() => {
      const document = write(...given);
      told.push(() => resolve(document));
    });
  });
};

const writes: Readonly<Record<string, readonly [write: Write, status: number, route: string]>> = {
  teams: [issue, 201, '/teams/:teamId/authentication-token'],
  'team-workspaces': [change, 200, '/team-workspaces/:id'],
  runs: [queue, 201, '/runs'],
  workspaces: [create, 201, '/workspaces/:workspaceId/configuration-versions'],
};

async function answerWrite(userId: string, tokenId: string, path: string, body: unknown): Promise<Answered> {
  const [, kind = '', subject = ''] = path.split('/');
  const [write, status, route] = writes[kind] ?? [];
  const data = write && (await written(write, userId, tokenId, subject, body));
  if (data === undefined || status === undefined) return { status: 404, route: route ?? 'unmatched', tokenId, userId };
  return { status, route: route ?? 'unmatched', tokenId, userId, document: { data } };
}

function answer({ method, url, digest, body }: BareRequest): Answered | Promise<Answered> {
  const known = credential.get(digest) as Credential | undefined;
  if (known === undefined) return unauthenticated('unmatched');
  const [tokenId, userId, expiresAt] = known;
  if (expiresAt !== null && expiresAt <= new Date().toISOString()) return unauthenticated('unmatched');
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);

  if (method !== 'GET') return answerWrite(userId, tokenId, path, body);
  if (path.startsWith('/configuration-versions/')) {
    const route = '/configuration-versions/:id';
    const row = version.get(lastPart(path), userId) as VersionRow | undefined;
    if (row === undefined || !readable(row)) return { status: 404, route, tokenId, userId };
    return { status: 200, route, tokenId, userId, document: { data: versionDocument(row) } };
  }
  if (path.startsWith('/workspaces/')) {
    const route = '/workspaces/:workspaceId/configuration-versions';
    const workspaceId = path.slice('/workspaces/'.length, path.indexOf('/', '/workspaces/'.length));
    const [total] = (workspace.get(workspaceId, userId) as [number] | undefined) ?? [];
    if (total === undefined) return { status: 404, route, tokenId, userId };
    const rows = versions.all(workspaceId, total - pageSize) as VersionRow[];
    const data = rows.map((row) => versionDocument(row));
    return { status: 200, route, tokenId, userId, document: firstPage(path, total, data) };
  }
  if (path.startsWith('/policy-evaluations/')) {
    const route = '/policy-evaluations/:policyEvaluationId/policy-set-outcomes';
    const id = path.slice('/policy-evaluations/'.length, path.indexOf('/', '/policy-evaluations/'.length));
    const found = evaluation.get(id, userId) as [number | null] | undefined;
    if (found === undefined) return { status: 404, route, tokenId, userId };
    const all = policies.all(id, pageSize) as PolicyRow[];
    const data: object[] = [];
    let from = 0;
    for (const row of outcomes.all(id, pageSize) as OutcomeRow[]) {
      const one = outcomeDocument(id, row, all, from);
      data.push(one);
      from += one.attributes.outcomes.length;
    }
    return { status: 200, route, tokenId, userId, document: firstPage(path, found[0] ?? 0, data) };
  }
  const route = '/team-workspaces';
  const workspaceId = new URLSearchParams(url.slice(mark + 1)).get('filter[workspace][id]');
  const found = membersWorkspace.get(userId, workspaceId, userId) as [string, string, number] | undefined;
  if (path !== '/team-workspaces' || found === undefined) return { status: 404, route, tokenId, userId };
  const workspacePath = `/organizations/${found[0]}/workspaces/${found[1]}`;
  const rows = grants.all(workspaceId, found[2], userId) as GrantRow[];
  const data = rows.map((row) => grantDocument(workspaceId as string, workspacePath, row));
  return { status: 200, route, tokenId, userId, document: { data } };
}

serve(answer);
