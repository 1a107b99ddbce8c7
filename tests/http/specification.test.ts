import { describe, expect, it } from '@jest/globals';
import supertest, { type Response } from 'supertest';
import { DomainError } from '../../src/domain/index.js';
import { type Caller, doc, newName, type Prefix, pathOf, prefix, publicUrl, startApi } from '../support/api.js';
import { Bench, runOf } from '../support/bench.js';
import {
  type ForEveryAnswer,
  nameOf,
  type SpecifiedAnswer,
  type SpecifiedEndpoint,
  specifiedEndpoints,
} from '../support/specified-endpoints.js';

const api = await startApi({ environment: { MAX_ARCHIVE_BYTES: '5000' } });

/** A request to an endpoint, as far as the endpoint leaves it open. */
interface Asked {
  /** A value for each path parameter the specification names. */
  readonly where?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly body?: object;
  readonly bytes?: Buffer;
  /** The administrator by default. */
  readonly by?: Caller;
}

/** The setup for a response, and the request that follows it. */
type Demonstration = (bench: Bench, prefix: Prefix) => Promise<Asked>;

const stranger = (): Promise<Caller> => api.user(newName('stranger'));

const unknownId = (kind: string) => `${kind}-nonexisting`;

/** The same request by a caller who may not see its subject. */
const unauthorized =
  (demonstration: Demonstration): Demonstration =>
  async (bench, prefix) => ({ ...(await demonstration(bench, prefix)), by: await stranger() });

/** The same request about something that does not exist. */
const about =
  (where: Readonly<Record<string, string>>, rest: Asked = {}): Demonstration =>
  async () => ({ ...rest, where });

/** A run with evaluated policies and one outcome. */
const evaluated = async (bench: Bench) => {
  await bench.policySet({ policies: [{ name: 'tags' }] });
  await bench.version();
  const runId = await bench.run();
  await bench.planned(runId);
  const stageId: string = (await bench.shown(runId)).relationships['task-stages'].data[0].id;
  const evaluations = await api.admin.get(`/task-stages/${stageId}/policy-evaluations`).expect(200);
  const evaluationId: string = evaluations.body.data[0].id;
  const outcomes = await api.admin.get(`/policy-evaluations/${evaluationId}/policy-set-outcomes`).expect(200);
  return { stageId, evaluationId, outcomeId: outcomes.body.data[0].id as string };
};

const policyEvaluations: Demonstration = async (bench) => ({
  where: { task_stage_id: (await evaluated(bench)).stageId },
});
const outcomes: Demonstration = async (bench) => ({
  where: { policy_evaluation_id: (await evaluated(bench)).evaluationId },
});
const outcome: Demonstration = async (bench) => ({
  where: { policy_set_outcome_id: (await evaluated(bench)).outcomeId },
});

const newTeam = (bench: Bench): Promise<string> => api.team(bench.organization, newName('team'));

const tokenRequest = doc('authentication-token', { 'expired-at': '2031-01-01T00:00:00Z' });

const issue = async (team: string): Promise<string> =>
  (await api.admin.post(`/teams/${team}/authentication-token`, tokenRequest).expect(201)).body.data.id;

const teamWithToken: Demonstration = async (bench) => {
  const team = await newTeam(bench);
  await issue(team);
  return { where: { team_id: team } };
};
const teamWithoutToken: Demonstration = async (bench) => ({ where: { team_id: await newTeam(bench) } });
const newToken: Demonstration = async (bench, prefix) => ({
  ...(await teamWithoutToken(bench, prefix)),
  body: tokenRequest,
});
const teamTokens: Demonstration = async (bench, prefix) => {
  await teamWithToken(bench, prefix);
  return { where: { organization_name: bench.organization } };
};
const token: Demonstration = async (bench) => ({ where: { token_id: await issue(await newTeam(bench)) } });

const configuration = (id: string): Asked => ({ where: { 'configuration-id': id } });

/** An uploaded version that may be archived. */
const idle: Demonstration = async (bench) => configuration(await bench.version({ speculative: true }));
const current: Demonstration = async (bench) => configuration(await bench.version());
const pending: Demonstration = async (bench) =>
  configuration((await api.version(bench.workspaceId, { speculative: true })).id);
const inUse: Demonstration = async (bench) => {
  const id = await bench.version({ speculative: true });
  await bench.run({}, id);
  return configuration(id);
};
const softDeleted: Demonstration = async (bench) => {
  const id = await bench.version({ speculative: true });
  await backingData(id, 'soft_delete');
  return configuration(id);
};

const backingData = (id: string, change: string) =>
  api.admin.at('/api/v2').post(`/configuration-versions/${id}/actions/${change}_backing_data`).expect(200);

/** Links the workspace to a repository of its own, with one commit. */
async function link(bench: Bench): Promise<string> {
  const cloneUrl = `https://git.example.com/acme/${bench.workspaceId}.git`;
  const settings = doc('workspaces', { 'vcs-repo': { 'clone-url': cloneUrl } });
  await api.admin.patch(`/workspaces/${bench.workspaceId}`, settings).expect(200);
  api.repositories.push(cloneUrl, 'main', bench.bundle, 'Add a bucket');
  return cloneUrl;
}

/** A version of the linked repository. Its run is not queued yet. */
async function fetchedVersion(bench: Bench): Promise<string> {
  const { body } = await api.admin.post(`/workspaces/${bench.workspaceId}/actions/fetch`).expect(201);
  await api.performEffects('fetches');
  return body.data.id;
}

const fetched: Demonstration = async (bench) => {
  await link(bench);
  return configuration(await fetchedVersion(bench));
};

const workspace =
  (rest: Asked = {}): Demonstration =>
  async (bench) => {
    await bench.version();
    return { ...rest, where: { workspace_id: bench.workspaceId } };
  };

const objectOf = (uploadUrl: string) => ({ upload_url: '', object_id: uploadUrl.split('/').at(-1) ?? '' });

const upload =
  (bytes: (bench: Bench) => Buffer): Demonstration =>
  async (bench) => {
    const { uploadUrl } = await api.version(bench.workspaceId);
    return { where: objectOf(uploadUrl), bytes: bytes(bench) };
  };

const runOfUploaded: Demonstration = async (bench) => {
  await bench.version();
  return { where: { run_id: await bench.run() } };
};

const grants = (workspaceId: string, team: string, access: string) =>
  doc(
    'team-workspaces',
    { access },
    { workspace: { data: { type: 'workspaces', id: workspaceId } }, team: { data: { type: 'teams', id: team } } },
  );

/** A request that gives a new team rights on the workspace, or on another one. */
const newGrant =
  (access: string, workspaceId?: string): Demonstration =>
  async (bench) => ({ body: grants(workspaceId ?? bench.workspaceId, await newTeam(bench), access) });

const granted =
  (rest: Asked = {}): Demonstration =>
  async (bench) => {
    const body = grants(bench.workspaceId, await newTeam(bench), 'read');
    const { id } = (await api.admin.post('/team-workspaces', body).expect(200)).body.data;
    return { ...rest, where: { id } };
  };

const ofWorkspace =
  (workspaceId?: string): Demonstration =>
  async (bench, prefix) => {
    await granted()(bench, prefix);
    return { query: `?filter[workspace][id]=${workspaceId ?? bench.workspaceId}` };
  };

const raised = { body: doc('team-workspaces', { access: 'plan' }) };

const demonstrations: ForEveryAnswer<Demonstration> = {
  'GET /task-stages/:task_stage_id/policy-evaluations': {
    '200': policyEvaluations,
    '404 not found': about({ task_stage_id: unknownId('ts') }),
    '404 unauthorized': unauthorized(policyEvaluations),
  },
  'GET /policy-evaluations/:policy_evaluation_id/policy-set-outcomes': {
    '200': outcomes,
    '400 bad filter': async (bench, prefix) => ({
      ...(await outcomes(bench, prefix)),
      query: '?filter[0][status]=excellent',
    }),
    '404 not found': about({ policy_evaluation_id: unknownId('poleval') }),
    '404 unauthorized': unauthorized(outcomes),
  },
  'GET /policy-set-outcomes/:policy_set_outcome_id': {
    '200': outcome,
    '404 not found': about({ policy_set_outcome_id: unknownId('psout') }),
    '404 unauthorized': unauthorized(outcome),
  },
  'POST /teams/:team_id/authentication-token': {
    '201': newToken,
    '404 not found': about({ team_id: unknownId('team') }, { body: tokenRequest }),
    '404 unauthorized': unauthorized(newToken),
    '422': async (bench, prefix) => ({
      ...(await newToken(bench, prefix)),
      body: doc('authentication-token', { 'expired-at': 'tomorrow' }),
    }),
  },
  'DELETE /teams/:team_id/authentication-token': {
    '204': teamWithToken,
    '404 not found': about({ team_id: unknownId('team') }),
    '404 unauthorized': unauthorized(teamWithToken),
    '404 no token': teamWithoutToken,
  },
  'GET /organizations/:organization_name/team-tokens': {
    '200 with tokens': teamTokens,
    '200 without tokens': async (bench) => ({ where: { organization_name: bench.organization } }),
    '404 not found': about({ organization_name: 'nonexisting' }),
    '404 unauthorized': unauthorized(teamTokens),
  },
  'GET /teams/:team_id/authentication-token': {
    '200': teamWithToken,
    '404 not found': about({ team_id: unknownId('team') }),
    '404 unauthorized': unauthorized(teamWithToken),
    '404 no token': teamWithoutToken,
  },
  'GET /authentication-tokens/:token_id': {
    '200': token,
    '404 not found': about({ token_id: unknownId('at') }),
    '404 unauthorized': unauthorized(token),
  },
  'GET /workspaces/:workspace_id/configuration-versions': {
    '200': workspace(),
    '404 not found': about({ workspace_id: unknownId('ws') }),
    '404 unauthorized': unauthorized(workspace()),
  },
  'GET /configuration-versions/:configuration-id': {
    '200': idle,
    '400 bad include': async (bench, prefix) => ({ ...(await idle(bench, prefix)), query: '?include=workspace' }),
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(idle),
  },
  'GET /configuration-versions/:configuration-id/ingress-attributes': {
    '200': fetched,
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(fetched),
    '404 not from version control': idle,
  },
  'POST /workspaces/:workspace_id/configuration-versions': {
    '201': workspace(),
    '404 not found': about({ workspace_id: unknownId('ws') }),
    '404 unauthorized': unauthorized(workspace()),
    '404 organization token': async (bench, prefix) => ({
      ...(await workspace()(bench, prefix)),
      by: await api.organizationToken(bench.organization),
    }),
    '422': workspace({ body: { data: { attributes: { speculative: 'yes' } } } }),
  },
  'PUT {upload_url}/v1/object/<object_id>': {
    '200': upload(({ bundle }) => bundle),
    '404': async ({ bundle }) => ({ where: { upload_url: '', object_id: 'nonexisting' }, bytes: bundle }),
    '409': async (bench) => {
      const { id, uploadUrl } = await api.version(bench.workspaceId, { speculative: true, 'auto-queue-runs': false });
      await api.upload(uploadUrl, bench.bundle).expect(200);
      await api.admin.post(`/configuration-versions/${id}/actions/archive`).expect(202);
      return { where: objectOf(uploadUrl), bytes: bench.bundle };
    },
    '413': upload(() => Buffer.alloc(5001)),
    '422': upload(() => Buffer.from('no archive')),
  },
  'POST /configuration-versions/:configuration-id/actions/archive': {
    '202': idle,
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(idle),
    '409 non-archivable state': pending,
    '409 version control': fetched,
    '409 current': current,
    '409 run in progress': inUse,
  },
  'GET /configuration-versions/:configuration-id/download': {
    '302': idle,
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(idle),
    '404 not uploaded': pending,
  },
  'GET /runs/:run_id/configuration-version/download': {
    '302': runOfUploaded,
    '404 not found': about({ run_id: unknownId('run') }),
    '404 unauthorized': unauthorized(runOfUploaded),
    '404 not uploaded': async (bench) => {
      const id = await bench.version({ speculative: true });
      const run = await bench.run({}, id);
      await bench.act(run, 'cancel');
      await api.admin.post(`/configuration-versions/${id}/actions/archive`).expect(202);
      return { where: { run_id: run } };
    },
  },
  'POST /configuration-versions/:configuration-id/actions/soft_delete_backing_data': {
    '200': idle,
    '400 not in the right state': pending,
    '400 version control': fetched,
    '400 current': current,
    '400 run in progress': inUse,
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(idle),
  },
  'POST /configuration-versions/:configuration-id/actions/restore_backing_data': {
    '200': softDeleted,
    '400 not in the right state': idle,
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(softDeleted),
  },
  'POST /configuration-versions/:configuration-id/actions/permanently_delete_backing_data': {
    '200': softDeleted,
    '400 not in the right state': idle,
    '404 not found': about({ 'configuration-id': unknownId('cv') }),
    '404 unauthorized': unauthorized(softDeleted),
  },
  'GET /team-workspaces': {
    '200': ofWorkspace(),
    '404 not found': ofWorkspace(unknownId('ws')),
    '404 unauthorized': unauthorized(ofWorkspace()),
    '422 missing filter': async () => ({}),
  },
  'GET /team-workspaces/:id': {
    '200': granted(),
    '404 not found': about({ id: unknownId('tws') }),
    '404 unauthorized': unauthorized(granted()),
  },
  'POST /team-workspaces': {
    '200': newGrant('read'),
    '404 not found': newGrant('read', unknownId('ws')),
    '404 unauthorized': unauthorized(newGrant('read')),
    '422': newGrant('everything'),
  },
  'PATCH /team-workspaces/:id': {
    '200': granted(raised),
    '404 not found': about({ id: unknownId('tws') }, raised),
    '404 unauthorized': unauthorized(granted(raised)),
    '422': granted({ body: doc('team-workspaces', { access: 'everything' }) }),
  },
  'DELETE /team-workspaces/:id': {
    '204': granted(),
    '404 not found': about({ id: unknownId('tws') }),
    '404 unauthorized': unauthorized(granted()),
  },
};

/** The specification's path with its parameters filled in: none missing, none unknown. */
function filled(path: string, where: Readonly<Record<string, string>>): string {
  const named = new Set<string>();
  const result = path.replaceAll(/:([\w-]+)|\{(\w+)\}|<(\w+)>/g, (_, ...names: (string | undefined)[]) => {
    const name = names.slice(0, 3).find((one) => one !== undefined) ?? '';
    named.add(name);
    const value = where[name];
    if (value === undefined) throw new Error(`nothing is said of ${name} in ${path}`);
    return value;
  });
  expect([...named].sort()).toEqual(Object.keys(where).sort());
  return result;
}

/** Uploads go to the URL that was issued, which belongs to no dialect. */
async function send({ method, path }: SpecifiedEndpoint, prefix: Prefix, asked: Asked, by: Caller): Promise<Response> {
  const url = filled(path, asked.where ?? {}) + (asked.query ?? '');
  if (method === 'PUT') return api.upload(publicUrl + url, asked.bytes ?? Buffer.alloc(0));
  return by.at(prefix).send(method.toLowerCase() as 'get', url, asked.body);
}

const jsonApi = 'application/vnd.api+json';

function expectAnswer(given: Response, status: number, answer: SpecifiedAnswer, prefix: Prefix): void {
  expect({ status: given.status, text: given.status === status ? '' : given.text }).toEqual({ status, text: '' });
  if (answer.kind === 'nothing' || answer.kind === 'redirect') {
    expect(given.text).toBe('');
    expect(given.headers).not.toHaveProperty('content-type');
    const { location } = given.headers;
    if (answer.kind === 'redirect') expect(location).toMatch(`${publicUrl}/v1/object/`);
    else expect(location).toBeUndefined();
    return;
  }
  expect(given.headers['content-type']).toBe(jsonApi);
  if (answer.kind === 'error') {
    const { title, detail } = answer;
    const expected = detail instanceof RegExp ? expect.stringMatching(detail) : detail;
    const errors = [expect.objectContaining({ status: String(status), title, detail: expected })];
    expect(given.body).toEqual({ errors });
    return;
  }
  const type = typeof answer.type === 'string' ? answer.type : answer.type[prefix];
  const resource = expect.objectContaining({ id: expect.any(String), type, attributes: expect.any(Object) });
  if (answer.kind === 'one') {
    expect(given.body.data).toEqual(resource);
    return;
  }
  for (const one of given.body.data) expect(one).toEqual(resource);
  if (answer.empty !== undefined) expect(given.body.data.length === 0).toBe(answer.empty);
}

describe('the table of the specification', () => {
  it('has a demonstration for every answer, and no demonstration is of anything else', () => {
    const answersOf = (all: Readonly<Record<string, object>>) =>
      Object.entries(all)
        .flatMap(([name, answers]) => Object.keys(answers).map((answer) => `${name} ${answer}`))
        .sort();
    const rows = Object.fromEntries(specifiedEndpoints.map((endpoint) => [nameOf(endpoint), endpoint.answers]));
    expect(Object.keys(rows).length).toBe(specifiedEndpoints.length);
    expect(answersOf(demonstrations)).toEqual(answersOf(rows));
  });

  it('names a success and a refusal of every endpoint', () => {
    for (const endpoint of specifiedEndpoints) {
      const statuses = Object.keys(endpoint.answers).map((name) => Number(name.slice(0, 3)));
      expect(statuses.some((status) => status >= 200 && status < 400)).toBe(true);
      expect(statuses).toContain(404);
    }
  });
});

const endpoints: readonly SpecifiedEndpoint[] = specifiedEndpoints;

const cases = endpoints.flatMap((endpoint) =>
  endpoint.mounts.flatMap((prefix) =>
    Object.entries(endpoint.answers).map(([name, answer]) => {
      const ways: Readonly<Record<string, Readonly<Record<string, Demonstration>>>> = demonstrations;
      return { endpoint, prefix, name, answer, of: nameOf(endpoint), way: ways[nameOf(endpoint)]?.[name] };
    }),
  ),
);

describe('every endpoint of the specification', () => {
  it.each(cases)('at "$prefix": $of answers $name', async ({ endpoint, prefix, name, answer, way }) => {
    if (way === undefined) throw new Error('nothing demonstrates it');
    const bench = await Bench.make(api);
    const { by = api.admin, ...asked } = await way(bench, prefix);
    expectAnswer(await send(endpoint, prefix, asked, by), Number(name.slice(0, 3)), answer, prefix);
  });
});

describe('the states of a version', () => {
  const admin = api.admin.at(prefix);

  const versionOf = async (bench: Bench, id: string) => {
    const { body } = await admin.get(`/workspaces/${bench.workspaceId}/configuration-versions`).expect(200);
    return body.data.find((version: { id: string }) => version.id === id).attributes;
  };

  const stampsOf = async (bench: Bench, id: string): Promise<Readonly<Record<string, string>>> =>
    (await versionOf(bench, id))['status-timestamps'];

  const statusOf = async (bench: Bench, id: string): Promise<string> => (await versionOf(bench, id)).status;

  const download = async (id: string): Promise<Buffer> => {
    const { location } = (await admin.get(`/configuration-versions/${id}/download`).expect(302)).headers;
    return (
      await supertest(api.app)
        .get(pathOf(location as string))
        .responseType('blob')
        .expect(200)
    ).body;
  };

  const later = (): string => {
    api.clock.advance(60);
    return api.clock.now();
  };

  it('go from pending over uploaded to archived', async () => {
    const bench = await Bench.make(api);
    const created = await admin
      .post(`/workspaces/${bench.workspaceId}/configuration-versions`, {
        data: { attributes: { speculative: true, 'auto-queue-runs': false } },
      })
      .expect(201);
    const { id, attributes } = created.body.data;
    expect(await statusOf(bench, id)).toBe('pending');
    await admin.get(`/configuration-versions/${id}/download`).expect(404);
    await admin.post(`/configuration-versions/${id}/actions/archive`).expect(409);

    const uploadedAt = later();
    await api.upload(attributes['upload-url'], bench.bundle).expect(200);
    expect(await statusOf(bench, id)).toBe('uploaded');
    expect((await download(id)).equals(bench.bundle)).toBe(true);

    const archivedAt = later();
    await admin.post(`/configuration-versions/${id}/actions/archive`).expect(202);
    await api.settle();
    expect(await statusOf(bench, id)).toBe('archived');
    expect(await stampsOf(bench, id)).toEqual({ 'uploaded-at': uploadedAt, 'archived-at': archivedAt });
    await admin.get(`/configuration-versions/${id}`).expect(200);
    await admin.get(`/configuration-versions/${id}/download`).expect(404);
    await admin.post(`/configuration-versions/${id}/actions/archive`).expect(409);
    await api.upload(attributes['upload-url'], bench.bundle).expect(409);
  });

  it('become errored when the upload is not an archive, which is final', async () => {
    const bench = await Bench.make(api);
    const { id, uploadUrl } = await api.version(bench.workspaceId, { speculative: true });
    await api.upload(uploadUrl, Buffer.from('no archive')).expect(422);
    expect(await versionOf(bench, id)).toMatchObject({ status: 'errored', error: 'bad-archive' });
    await api.upload(uploadUrl, bench.bundle).expect(409);
    await admin.post(`/configuration-versions/${id}/actions/archive`).expect(409);
    await api.settle();
    expect(await statusOf(bench, id)).toBe('errored');
    expect(await bench.runs()).toEqual([]);
  });

  it('go, fetched from version control, to archived when their runs are over; a new run fetches the files again', async () => {
    const bench = await Bench.make(api);
    const cloneUrl = await link(bench);
    const { body } = await admin.post(`/workspaces/${bench.workspaceId}/actions/fetch`).expect(201);
    const { id } = body.data;
    expect(body.data.attributes.status).toBe('pending');
    await api.settle();
    expect(await statusOf(bench, id)).toBe('uploaded');
    expect((await admin.get(`/configuration-versions/${id}/ingress-attributes`).expect(200)).body.data).toMatchObject({
      attributes: { 'clone-url': cloneUrl, 'commit-message': 'Add a bucket', branch: 'main' },
    });
    expect((await download(id)).equals(bench.bundle)).toBe(true);

    const [first, ...others] = await bench.runs();
    expect(others).toEqual([]);
    const firstId = first?.id ?? '';
    await bench.planned(firstId);
    await api.settle();
    expect(await statusOf(bench, id)).toBe('uploaded');
    await bench.act(firstId, 'apply');
    await (await bench.claimed(firstId)).applied();
    await api.settle();
    expect(await statusOf(bench, id)).toBe('archived');
    await admin.get(`/configuration-versions/${id}/download`).expect(404);

    const again = await admin.post('/runs', doc('runs', {}, runOf(bench.workspaceId, id))).expect(201);
    const againId = again.body.data.id;
    expect(again.body.data.attributes.status).toBe('fetching');
    await api.settle();
    expect(await bench.statusOf(againId)).toBe('plan_queued');
    const job = await bench.claimed(againId);
    expect((await job.configuration()).bytes.equals(bench.bundle)).toBe(true);
    expect(await statusOf(bench, id)).toBe('archived');
    await admin.get(`/runs/${againId}/configuration-version/download`).expect(404);
    await job.planned(false);
    await api.settle();
    expect(await bench.statusOf(againId)).toBe('planned_and_finished');
    expect(await statusOf(bench, id)).toBe('archived');
    expect(Object.keys(await stampsOf(bench, id)).sort()).toEqual(['archived-at', 'fetching-at', 'uploaded-at']);

    const unlucky = await bench.run({}, id);
    api.repositories.broken = new DomainError('repository/fetch-failed', 'the repository is gone');
    await api.settle();
    api.repositories.broken = undefined;
    expect((await bench.shown(unlucky)).attributes).toMatchObject({
      status: 'errored',
      'error-message': 'the repository is gone',
    });
    expect(await statusOf(bench, id)).toBe('archived');
  });

  it('go from uploaded over soft-deleted back to uploaded, and over soft-deleted to permanently deleted', async () => {
    const bench = await Bench.make(api);
    const id = await bench.version({ speculative: true });
    const uploadedAt = api.clock.now();
    later();
    await backingData(id, 'soft_delete');
    expect(await statusOf(bench, id)).toBe('backing_data_soft_deleted');
    await admin.get(`/configuration-versions/${id}`).expect(404);
    const restoredAt = later();
    await backingData(id, 'restore');
    expect(await statusOf(bench, id)).toBe('uploaded');
    expect((await download(id)).equals(bench.bundle)).toBe(true);
    const deletedAt = later();
    await backingData(id, 'soft_delete');
    const goneAt = later();
    await backingData(id, 'permanently_delete');
    expect(await statusOf(bench, id)).toBe('backing_data_permanently_deleted');
    expect(await stampsOf(bench, id)).toEqual({
      'uploaded-at': uploadedAt,
      'soft-delete-backing-data-at': deletedAt,
      'restore-backing-data-at': restoredAt,
      'permanently-delete-backing-data-at': goneAt,
    });
    await admin.get(`/configuration-versions/${id}`).expect(404);
    await admin.get(`/configuration-versions/${id}/download`).expect(404);
  });
});

describe('all of it', () => {
  it('leaves no fault of the service in its log', () => {
    expect(api.log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });
});
