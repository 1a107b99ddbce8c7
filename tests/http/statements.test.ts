import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { KnexDatabase } from '../../src/adapters/persistence/knex/knex-database.js';
import type { UnitOfWork } from '../../src/application/index.js';
import type { Standing } from '../../src/domain/index.js';
import { startApi, type TestApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { openMigrated } from '../support/databases.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { bodiesWith } from '../support/route-bodies.js';
import { makeSmallWorld, type Scene, type SmallWorld, sceneOf } from '../support/small-world.js';
import { isForEveryUser, keyOf, pathAbout, routesOnce } from '../support/walk-routes.js';

/**
 * Statements of a whole request, including its credential's, on one of everything. A rise needs a reason. The last
 * statement of each change records it.
 */
const promised: Readonly<Record<string, number>> = {
  'get /workspaces/:workspaceId/configuration-versions': 3,
  'post /workspaces/:workspaceId/configuration-versions': 5,
  'get /configuration-versions/:id': 2,
  'get /configuration-versions/:id/ingress-attributes': 3,
  'get /configuration-versions/:id/download': 2,
  // Anything that runs use changes under the workspace's lock, so that no run starts with it meanwhile.
  'post /configuration-versions/:id/actions/archive': 6,
  'post /configuration-versions/:id/actions/soft_delete_backing_data': 6,
  'post /configuration-versions/:id/actions/restore_backing_data': 5,
  'post /configuration-versions/:id/actions/permanently_delete_backing_data': 6,
  'get /team-workspaces': 3,
  'post /team-workspaces': 6,
  'get /team-workspaces/:id': 2,
  'patch /team-workspaces/:id': 4,
  'delete /team-workspaces/:id': 4,
  'get /workspaces/:id/changes': 2,
  'get /workspaces/:id/effective-access': 3,
  'get /workspaces/:id/effective-access/teams': 5,
  'get /organizations/:organization/who-can': 7,
  // It records itself, and reads two teams.
  'get /organizations/:organization/access-report': 11,
  // Two more while it waits for a decision.
  'get /runs/:id/deciding-teams': 2,
  'get /organizations/:organization/attention': 8,
  'get /attention': 10,
  'get /teams/:teamId/authentication-token': 3,
  'post /teams/:teamId/authentication-token': 4,
  'delete /teams/:teamId/authentication-token': 4,
  'get /organizations/:organization/team-tokens': 4,
  'get /organizations/:organization/policy-outcome-counts': 3,
  'get /runs/:runId/task-stages': 4,
  'get /task-stages/:id': 3,
  // The run, its dependencies and its stage are read again under the workspace's lock, and all of them change.
  // The audit event names the policies that failed.
  'post /task-stages/:id/actions/override': 22,
  'get /task-stages/:taskStageId/policy-evaluations': 3,
  'get /policy-evaluations/:id': 2,
  'get /policy-evaluations/:policyEvaluationId/policy-set-outcomes': 4,
  'get /policy-set-outcomes/:id': 3,
  'get /organizations/:organization/workspaces': 5,
  // The default project is read for the execution mode.
  'post /organizations/:organization/workspaces': 5,
  'get /organizations/:organization/workspaces/:name': 3,
  'patch /organizations/:organization/workspaces/:name': 5,
  'delete /organizations/:organization/workspaces/:name': 6,
  'get /workspaces/:id': 3,
  'patch /workspaces/:id': 5,
  'delete /workspaces/:id': 6,
  'get /workspaces/:workspaceId/vars': 3,
  // Totals are computed under the workspace's lock.
  'post /workspaces/:workspaceId/vars': 5,
  'get /workspaces/:workspaceId/vars/:variableId': 2,
  'patch /workspaces/:workspaceId/vars/:variableId': 4,
  'delete /workspaces/:workspaceId/vars/:variableId': 4,
  'get /workspaces/:workspaceId/all-vars': 3,
  'get /organizations/:organization/varsets': 4,
  'post /organizations/:organization/varsets': 4,
  'get /workspaces/:id/varsets': 3,
  'get /projects/:id/varsets': 3,
  'get /varsets/:id': 2,
  'patch /varsets/:id': 6,
  'delete /varsets/:id': 7,
  'post /varsets/:id/relationships/workspaces': 9,
  'delete /varsets/:id/relationships/workspaces': 6,
  'post /varsets/:id/relationships/projects': 6,
  'delete /varsets/:id/relationships/projects': 6,
  'get /varsets/:id/relationships/vars': 3,
  'post /varsets/:id/relationships/vars': 6,
  'get /varsets/:id/relationships/vars/:setVariableId': 3,
  'patch /varsets/:id/relationships/vars/:setVariableId': 5,
  'delete /varsets/:id/relationships/vars/:setVariableId': 5,
  'post /workspaces/:id/actions/safe-delete': 5,
  'post /organizations/:organization/workspaces/:name/actions/safe-delete': 5,
  'get /organizations/:organization/relationships/data-retention-policy': 2,
  'post /organizations/:organization/relationships/data-retention-policy': 4,
  'delete /organizations/:organization/relationships/data-retention-policy': 4,
  'get /workspaces/:id/relationships/data-retention-policy': 2,
  'post /workspaces/:id/relationships/data-retention-policy': 4,
  'delete /workspaces/:id/relationships/data-retention-policy': 4,
  'get /workspaces/:id/relationships/remote-state-consumers': 4,
  'post /workspaces/:id/relationships/remote-state-consumers': 6,
  'patch /workspaces/:id/relationships/remote-state-consumers': 7,
  'delete /workspaces/:id/relationships/remote-state-consumers': 4,
  'post /workspaces/:id/actions/lock': 6,
  'post /workspaces/:id/actions/unlock': 3,
  'post /workspaces/:id/actions/force-unlock': 3,
  'get /organizations/:organization/tags': 4,
  'delete /organizations/:organization/tags': 5,
  // The tag and whether the caller may know it; then the workspaces, locked and with the caller's rights on each.
  'post /tags/:id/relationships/workspaces': 7,
  'get /workspaces/:id/relationships/tags': 5,
  // Counted under the workspace's lock, as bindings are.
  'post /workspaces/:id/relationships/tags': 5,
  'delete /workspaces/:id/relationships/tags': 4,
  'get /workspaces/:id/tag-bindings': 3,
  'patch /workspaces/:id/tag-bindings': 5,
  'get /workspaces/:id/effective-tag-bindings': 3,
  'get /projects/:id/tag-bindings': 3,
  'patch /projects/:id/tag-bindings': 6,
  'get /projects/:id/effective-tag-bindings': 3,
  // Its place in the queue is read from the workspace's other runs, its policies from the policy sets.
  'post /runs': 13,
  // Runs name their comments.
  'get /workspaces/:workspaceId/runs': 5,
  'get /runs/:id': 4,
  'get /runs/:id/run-events': 3,
  'get /run-events/:id': 3,
  'get /runs/:id/comments': 3,
  'get /comments/:id': 4,
  // Comments are counted under the workspace's lock.
  'post /runs/:id/comments': 7,
  'get /organizations/:organization/runs': 5,
  'get /organizations/:organization/runs/queue': 3,
  'get /organizations/:organization/changes': 2,
  'get /organizations/:organization/capacity': 3,
  // The run is read to authorize, to find the lock, and under the lock; a run that ends lets others proceed.
  'post /runs/:id/actions/apply': 10,
  'post /runs/:id/actions/discard': 15,
  'post /runs/:id/actions/cancel': 15,
  // The agent's states and reports go with the run.
  'post /runs/:id/actions/force-cancel': 17,
  // One more run ends.
  'post /runs/:id/actions/force-execute': 28,
  'get /runs/:id/configuration-version': 3,
  'get /runs/:id/configuration-version/download': 3,
  'get /plans/:id': 2,
  'get /applies/:id': 2,
  'get /plans/:id/json-output': 3,
  'get /plans/:id/json-output-redacted': 3,
  // The right and the lock are asked before the bytes, and with the workspace's row locked; then whether a run is being applied.
  'post /workspaces/:workspaceId/state-versions': 11,
  'patch /workspaces/:workspaceId/state-versions': 13,
  'get /state-versions': 4,
  'get /state-versions/:id': 4,
  // Its names are read, and the lengths of values before the values.
  'get /state-versions/:id/outputs': 5,
  'get /state-version-outputs/:id': 2,
  'get /workspaces/:workspaceId/current-state-version': 5,
  // Their lengths are read before they are.
  'get /workspaces/:workspaceId/current-state-version-outputs': 5,
  'post /workspaces/:id/actions/fetch': 6,
  'get /organizations/:organization/policy-sets': 4,
  'post /organizations/:organization/policy-sets': 4,
  'get /policy-sets/:id': 2,
  // A set is written with its workspaces, projects, exclusions of both, tag selectors and policies: one statement for removed
  // rows of each, one for added rows.
  'patch /policy-sets/:id': 10,
  // Its parameters go with it.
  'delete /policy-sets/:id': 11,
  'post /policy-sets/:id/relationships/workspaces': 12,
  'delete /policy-sets/:id/relationships/workspaces': 10,
  'post /policy-sets/:id/relationships/workspace-exclusions': 12,
  'delete /policy-sets/:id/relationships/workspace-exclusions': 10,
  'post /policy-sets/:id/relationships/projects': 12,
  'delete /policy-sets/:id/relationships/projects': 10,
  'post /policy-sets/:id/relationships/project-exclusions': 12,
  'delete /policy-sets/:id/relationships/project-exclusions': 10,
  'post /policy-sets/:id/tag-selectors': 11,
  'delete /policy-sets/:id/tag-selectors': 10,
  'post /policy-sets/:id/relationships/policies': 12,
  'delete /policy-sets/:id/relationships/policies': 10,
  // The set is written with all that it names: it keeps the number of its newest version.
  'post /policy-sets/:id/versions': 11,
  'get /organizations/:organization/policy-trials': 4,
  'post /organizations/:organization/policy-trials': 10,
  'get /policy-trials/:id': 3,
  'get /policy-trials/:id/results': 4,
  'post /policy-trials/:id/actions/cancel': 7,
  'get /policy-set-versions/:id': 2,
  'get /policy-sets/:policySetId/parameters': 3,
  // The set is written, so that of two that create parameters the second counts the first's.
  'post /policy-sets/:policySetId/parameters': 12,
  'get /policy-sets/:policySetId/parameters/:parameterId': 2,
  'patch /policy-sets/:policySetId/parameters/:parameterId': 5,
  'delete /policy-sets/:policySetId/parameters/:parameterId': 5,
  'get /team-projects': 4,
  'post /team-projects': 6,
  'get /team-projects/:id': 2,
  'patch /team-projects/:id': 4,
  'delete /team-projects/:id': 4,
  'get /organizations/:organization/projects': 4,
  'post /organizations/:organization/projects': 4,
  'get /projects/:id': 2,
  'patch /projects/:id': 4,
  // Its tag bindings go with it.
  'delete /projects/:id': 13,
  'post /projects/:id/relationships/workspaces': 7,
  'get /organizations/:organization/policies': 4,
  'post /organizations/:organization/policies': 4,
  'get /policies/:id': 2,
  'patch /policies/:id': 4,
  'delete /policies/:id': 5,
  'put /policies/:id/upload': 5,
  'get /policies/:id/download': 3,
  'get /task-results/:id': 2,
  'get /task-results/:taskResultId/outcomes': 3,
  'get /organizations/:organization/tasks': 4,
  'post /organizations/:organization/tasks': 4,
  'get /tasks/:id': 2,
  'patch /tasks/:id': 4,
  // The tokens of results that wait for the task are ended, and the stages they belong to are changed.
  'delete /tasks/:id': 8,
  'get /workspaces/:workspaceId/tasks': 3,
  // The attachments are counted under the workspace's lock.
  'post /workspaces/:workspaceId/tasks': 6,
  'get /workspaces/:workspaceId/tasks/:workspaceTaskId': 2,
  'patch /workspaces/:workspaceId/tasks/:workspaceTaskId': 4,
  'delete /workspaces/:workspaceId/tasks/:workspaceTaskId': 7,
  'get /workspaces/:workspaceId/run-triggers': 4,
  // Both workspaces are read, and the sources counted under the lock of the one.
  'post /workspaces/:workspaceId/run-triggers': 6,
  'get /run-triggers/:id': 2,
  'delete /run-triggers/:id': 4,
  'get /workspaces/:workspaceId/notification-configurations': 4,
  // There are none.
  'get /projects/:id/notification-configurations': 3,
  'get /teams/:id/notification-configurations': 3,
  // They are counted under the lock of the workspace, project or team.
  'post /workspaces/:workspaceId/notification-configurations': 5,
  'post /projects/:id/notification-configurations': 6,
  'post /teams/:id/notification-configurations': 6,
  // And the one that it belongs to.
  'get /notification-configurations/:id': 3,
  // Read before the receiver is called, and again after it.
  'patch /notification-configurations/:id': 7,
  'delete /notification-configurations/:id': 5,
  'post /notification-configurations/:id/actions/verify': 6,
  'get /organizations/:organization/agent-pools': 4,
  'post /organizations/:organization/agent-pools': 4,
  // The pool's users and its allowed workspaces are one statement more; a change locks the pool first.
  'get /agent-pools/:id': 3,
  'patch /agent-pools/:id': 8,
  'delete /agent-pools/:id': 9,
  'get /agent-pools/:poolId/authentication-tokens': 5,
  'post /agent-pools/:poolId/authentication-tokens': 6,
  'get /admin/agent-pools': 3,
  'post /admin/agent-pools': 3,
  'get /admin/agent-pools/:id': 2,
  'patch /admin/agent-pools/:id': 7,
  'delete /admin/agent-pools/:id': 8,
  'get /admin/agent-pools/:sitePoolId/authentication-tokens': 3,
  'post /admin/agent-pools/:sitePoolId/authentication-tokens': 5,
  // One for the caller's rights in all of them.
  'get /organizations': 4,
  // The first organization of a service is given every group.
  'post /organizations': 8,
  'get /organizations/:organization': 2,
  'patch /organizations/:organization': 4,
  'delete /organizations/:organization': 7,
  'get /organizations/:organization/entitlement-set': 2,
  'get /organizations/:organization/token-ttl-policies': 2,
  'patch /organizations/:organization/token-ttl-policies': 4,
  'get /organizations/:organization/authentication-token': 3,
  'post /organizations/:organization/authentication-token': 4,
  'delete /organizations/:organization/authentication-token': 5,
  'get /organizations/:organization/organization-memberships': 5,
  'post /organizations/:organization/organization-memberships': 6,
  'get /organization-memberships/:id': 3,
  // The team tokens that the member issued are found, and named by the audit event.
  'delete /organization-memberships/:id': 11,
  'get /organizations/:organization/teams': 4,
  'post /organizations/:organization/teams': 4,
  // The team, its members, and their memberships.
  'get /teams/:id': 4,
  'patch /teams/:id': 4,
  'delete /teams/:id': 6,
  'post /teams/:id/relationships/users': 7,
  'delete /teams/:id/relationships/users': 7,
  'post /teams/:id/relationships/organization-memberships': 7,
  'delete /teams/:id/relationships/organization-memberships': 7,
  'get /account/details': 2,
  'get /users/:userId/authentication-tokens': 3,
  // The user's row is locked before the tokens are counted. Each organization that the user belongs to limits them.
  'post /users/:userId/authentication-tokens': 6,
  'get /authentication-tokens/:id': 2,
  'delete /authentication-tokens/:id': 5,
  'get /admin/failing-effects': 3,
  // And the rows, unless nothing is being removed.
  'get /admin/removals': 2,
  'post /admin/failing-effects/:id/actions/retry': 4,
  'get /admin/users': 3,
  'post /admin/users': 6,
  'get /admin/users/:id/identities': 3,
  'post /admin/users/:id/identities': 4,
  // The memberships that it made are read, and those of organizations without a team.
  'delete /admin/users/:id/identities/:identityId': 7,
  'get /account/sessions': 3,
  'delete /account/sessions': 4,
  'delete /account/sessions/:id': 3,
  'get /account/identities': 3,
  'delete /account/identities/:id': 8,
  'get /admin/organizations/:organization': 4,
  'patch /admin/organizations/:organization': 9,
  'post /admin/users/:id/actions/suspend': 6,
  'post /admin/users/:id/actions/unsuspend': 6,
  'delete /admin/users/:id': 7,
  // Events are read if there are any.
  'get /organization/audit-trails': 3,
  'get /organization/audit-trail': 3,
  'get /organizations/:organization/audit-events': 3,
  'get /organizations/:organization/audit-events/export': 3,
  'get /admin/audit-events': 2,
  'get /admin/audit-events/export': 2,
};

/** The same with everything that may be included: one statement per kind, whatever there is to show. */
const promisedWithAll: Readonly<Record<string, { readonly include: string; readonly statements: number }>> = {
  'get /runs/:id': {
    include: 'workspace,plan,apply,task_stages,configuration_version,configuration_version.ingress_attributes',
    statements: 9,
  },
  'get /organizations/:organization/runs': {
    include: 'plan,apply,workspace,created_by,configuration_version,task_stages',
    statements: 11,
  },
  'get /organizations/:organization/workspaces': { include: 'project,current_state_version', statements: 7 },
  'get /organizations/:organization/projects': { include: 'effective_tag_bindings', statements: 5 },
  'get /organizations/:organization/teams': { include: 'users,organization_memberships', statements: 7 },
  'get /organizations/:organization/tasks': { include: 'workspace_tasks.workspace', statements: 8 },
  'get /run-triggers/:id': { include: 'workspace,sourceable', statements: 5 },
  'get /admin/users': { include: 'organizations', statements: 4 },
  'get /task-stages/:id': { include: 'run,run.workspace,policy_evaluations', statements: 8 },
  'get /configuration-versions/:id': { include: 'run,ingress_attributes', statements: 6 },
  'get /workspaces/:workspaceId/configuration-versions': { include: 'run,ingress_attributes', statements: 7 },
};

/** Statements before a refusal: the caller's, and the resource's. A route that needs more has a reason. */
const refusedAfter = 2;
const refusedLater: Readonly<Record<string, number>> = {
  // The token may be a caller's or an agents', and a team's rights must be read.
  'get /authentication-tokens/:id': 3,
  // The right is checked in the membership's organization, which must be found first.
  'get /organization-memberships/:id': 3,
  // The workspace, project or team must be found first.
  'get /notification-configurations/:id': 3,
  // The run of the comment must be found first.
  'get /comments/:id': 3,
  // These have several rows, and are authorized as a whole.
  'get /task-stages/:id': 3,
  'get /task-stages/:taskStageId/policy-evaluations': 3,
  'get /policy-set-outcomes/:id': 3,
};

/** A caller's own things are removed by one statement, which finds none of another user. */
const ownOnly =
  /^delete from (`identities` where `id` = \? and `user_id` = \?|sessions where user_id = \? and id = \? returning id, token_id)$/;

/** The statements that may change something before a refusal. */
const triedBeforeRefusal: Readonly<Record<string, readonly RegExp[]>> = {
  'delete /account/sessions/:id': [ownOnly],
  'delete /account/identities/:id': [ownOnly],
};

const owner: Standing = {
  actor: 'user',
  siteAdministrator: true,
  member: true,
  own: true,
  teams: [{ teamId: 'team-own', owners: true, access: new Set() }],
};

const isTransactional = (sql: string): boolean => /^(begin|commit|rollback)/i.test(sql);

describe('a request on SQLite', () => {
  const worlds = new PassingWorlds();
  const open: KnexDatabase[] = [];
  let api: TestApi;
  let directory: string;
  let statements: string[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gatehouse-'));
    api = await startApi({ unitOfWork: worlds });
  });

  afterAll(async () => {
    for (const database of open) await database.close();
    await rm(directory, { recursive: true });
  });

  async function newWorld(scene: Scene): Promise<SmallWorld> {
    const database = await openMigrated(join(directory, `${open.length}.sqlite`), {
      onStatement: (sql) => statements.push(sql),
    });
    open.push(database);
    await worlds.begin(database.unitOfWork);
    return makeSmallWorld(worlds, owner, scene, api.bundleStore);
  }

  /** Reading leaves a world unchanged. */
  const toRead = new Map<string, { readonly unitOfWork: UnitOfWork | undefined; readonly world: SmallWorld }>();

  async function worldToRead(scene: Scene): Promise<SmallWorld> {
    const key = JSON.stringify(scene);
    const made = toRead.get(key) ?? { world: await newWorld(scene), unitOfWork: open.at(-1)?.unitOfWork };
    toRead.set(key, made);
    await worlds.begin(made.unitOfWork);
    return made.world;
  }

  it('is counted for every route', () => {
    expect(Object.keys(promised).sort()).toEqual(routesOnce.map(({ route }) => keyOf(route)).sort());
  });

  it.each(routesOnce.map((served) => ({ ...served, name: keyOf(served.route) })))(
    '$name',
    async ({ name, prefix, route }) => {
      const world = await (route.method === 'get' ? worldToRead(sceneOf(name)) : newWorld(sceneOf(name)));
      const { outsidersSecret, existing, referred } = world;
      const secret = route.action === 'audit-trails/read' ? world.auditorsSecret : world.secret;
      const body = bodiesWith(referred)[name];
      const caller = api.as(secret).at(prefix);
      statements = [];
      const answer = await caller.send(route.method, pathAbout(route, existing), body);
      expect(answer.status).not.toBe(404);
      expect(answer.status).toBeLessThan(500);
      const asked = statements.filter((sql) => !isTransactional(sql));
      expect({ [name]: asked.length }).toEqual({ [name]: promised[name] });
      expect(asked[0]).toMatch(/from "api_tokens"|from `api_tokens`/);
      const withAll = promisedWithAll[name];
      if (withAll !== undefined) {
        statements = [];
        const { body: shown } = await caller
          .get(`${pathAbout(route, existing)}?include=${withAll.include}`)
          .expect(200);
        expect(shown.included.length).toBeGreaterThan(1);
        const needed = statements.filter((sql) => !isTransactional(sql)).length;
        expect({ [name]: needed }).toEqual({ [name]: withAll.statements });
      }
      if (route.action !== null && !isForEveryUser(route)) {
        // The first request of a newly invited user records that.
        await api.as(outsidersSecret).get('/account/details').expect(200);
        statements = [];
        await api.as(outsidersSecret).at(prefix).send(route.method, pathAbout(route, existing), body).expect(404);
        const tried = triedBeforeRefusal[name] ?? [];
        expect(statements.filter((sql) => /^(insert|update|delete)/i.test(sql))).toEqual(
          tried.map((statement) => expect.stringMatching(statement)),
        );
      }
      const elsewhere = pathAbout(route, existing).replace(/acme|[a-z]+-\d+/, 'nothing');
      if (route.method !== 'get' || elsewhere === pathAbout(route, existing)) return;
      for (const refused of [
        () => caller.get(elsewhere),
        () => api.as(outsidersSecret).at(prefix).get(pathAbout(route, existing)),
      ]) {
        statements = [];
        await refused().expect(404);
        const max = refusedLater[name] ?? refusedAfter;
        expect(statements.filter((sql) => !isTransactional(sql)).length).toBeLessThanOrEqual(max);
      }
    },
  );

  it.each([
    // All its data belongs to the run; each kind is one statement, whatever there is.
    ['plan', 'plan_queued', 19],
    ['apply', 'apply_queued', 21],
  ] as const)('claims the %s of a run', async (phase, run, max) => {
    const database = await openMigrated(join(directory, `claim-${phase}.sqlite`), {
      onStatement: (sql) => statements.push(sql),
    });
    open.push(database);
    await worlds.begin(database.unitOfWork);
    const scene = { ...sceneOf(''), run };
    const named = { named: true, serving: true, servingElsewhere: false };
    const { agentsSecret, existing } = await makeSmallWorld(worlds, { ...owner, pool: named }, scene);
    await worlds.run(async (tx) => {
      // Sealed with a key that is not available.
      for (const { id } of await tx.variables.ofWorkspace(existing.workspaceId ?? '')) await tx.variables.remove(id);
    });
    statements = [];
    const { body } = await api.as(agentsSecret).post('/agent/v1/claims', { name: 'rack-1' }).expect(200);
    expect(body).toMatchObject({ phase, state: { serial: 1 } });
    expect(statements.filter((sql) => !isTransactional(sql))).toHaveLength(max);
  });

  it('looks once for a run when there is none', async () => {
    const { agentsSecret } = await newWorld(sceneOf(''));
    statements = [];
    await api.as(agentsSecret).post('/agent/v1/claims', { name: 'rack-1' }).expect(204);
    expect(statements).toHaveLength(2);
  });

  it('takes an upload by its URL', async () => {
    const { secret, existing } = await newWorld(sceneOf(''));
    const path = `/workspaces/${existing.workspaceId}/configuration-versions`;
    const { body } = await api
      .as(secret)
      .post(path, { data: { attributes: {} } })
      .expect(201);
    const url: string = body.data.attributes['upload-url'];
    const archive = await archiveOf({ 'main.tf': '# a file' });
    const counted = async (status: number): Promise<number> => {
      statements = [];
      await api.upload(url, archive).expect(status);
      return statements.filter((sql) => !isTransactional(sql)).length;
    };
    // The creator is read twice: with the version, and with the version under the workspace's lock.
    expect(await counted(200)).toBe(8);
    await worlds.run((tx) =>
      tx.configurationVersions
        .find(body.data.id)
        .then((version) => tx.users.setSuspended(String(version?.state.createdBy?.id), true)),
    );
    expect(await counted(404)).toBe(2);
  });
});
