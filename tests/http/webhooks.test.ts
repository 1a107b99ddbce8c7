import { describe, expect, it } from '@jest/globals';
import supertest, { type Test } from 'supertest';
import type { Transaction } from '../../src/application/index.js';
import { type Caller, doc, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { aClaim } from '../support/claims.js';
import { RowsInMemory } from '../support/rows-in-memory.js';
import {
  but,
  bytesOf,
  giteaHeaders,
  giteaPush,
  githubHeaders,
  githubPullRequest,
  githubPush,
  gitlabHeaders,
  gitlabPush,
  type Headers,
  type Payload,
  type Signer,
  signersBy,
  standardBy,
  tip,
} from '../support/webhook-deliveries.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

const githubUrl = 'https://github.example/harbour/network.git';
const giteaUrl = 'https://gitea.example/harbour/dns.git';
const gitlabUrl = 'https://gitlab.example/harbour/safety/vault.git';

let deliveries = 0;

const api = await startApi();
await api.organization('acme');
const archive = await archiveOf({ 'main.tf': 'terraform {}' });
// Other tests share the queue; only jobs for this agent are in its organization.
await api.organization('globex');

/** A delivery id that was not used before. */
const newId = (): string => {
  deliveries += 1;
  return `delivery-of-the-test-${deliveries}`;
};

/** A forge's settings: the URL to report to, and the signing key. */
interface Hook {
  readonly workspaceId: string;
  readonly path: string;
  readonly key: string;
}

/** Links the workspace, and returns its repository as the API shows it. */
const linked = async (workspaceId: string, repository: object | null): Promise<Json> => {
  const settings = { 'vcs-repo': repository, 'queue-all-runs': true };
  const answer = await api.admin.patch(`/workspaces/${workspaceId}`, doc('workspaces', settings));
  expect(answer.status).toBe(200);
  return answer.body.data.attributes['vcs-repo'];
};

const hookOf = (workspaceId: string, repository: Json): Hook => ({
  workspaceId,
  path: repository['webhook-url'],
  key: repository['webhook-key'],
});

/** A new workspace that is linked to the repository. */
async function newHook(cloneUrl: string, repository: object = {}, organization = 'acme'): Promise<Hook> {
  const workspaceId = await api.workspace(organization, newName('linked'));
  return hookOf(workspaceId, await linked(workspaceId, { 'clone-url': cloneUrl, ...repository }));
}

const send = (path: string, headers: Headers, payload: unknown): Test =>
  supertest(api.app)
    .post(path)
    .set({ 'Content-Type': 'application/json', ...headers })
    .send(Buffer.from(bytesOf(payload)).toString());

/** One delivery, signed with the hook's key as `by` signs. */
const deliver = (hook: Hook, event: Headers, payload: unknown, by: keyof typeof signers = 'hub'): Test =>
  send(hook.path, { ...event, ...signers[by](hook.key)(bytesOf(payload)) }, payload);

const now = (): string => String(Date.parse(api.clock.now()) / 1000);

const signers = {
  hub: (key) => signersBy(key).hub,
  gitea: (key) => signersBy(key).gitea,
  token: (key) => signersBy(key).gitlab,
  standard: (key) => standardBy(Buffer.from(key.replace('whsec_', ''), 'base64'), now(), newId()),
} satisfies Record<string, (key: string) => Signer>;

const github = (hook: Hook, event: string, payload: unknown, id = newId()): Test =>
  deliver(hook, githubHeaders(event, id), payload);

/** A push to GitHub that made `sha` the tip of the branch. */
const pushOf = (sha: string, branch = 'main'): Payload => ({
  ...githubPush,
  ref: `refs/heads/${branch}`,
  after: sha,
  head_commit: { ...tip, id: sha },
  commits: [{ ...tip, id: sha }],
});

/** A commit in the repository, as GitHub reports its push. */
const pushed = (branch = 'main'): Payload => pushOf(api.repositories.push(githubUrl, branch, archive), branch);

const pullRequestOf = (sha: string): Payload => but(githubPullRequest, 'pull_request.head.sha', sha);

async function versionsOf({ workspaceId }: Pick<Hook, 'workspaceId'>): Promise<readonly Json[]> {
  const path = `/workspaces/${workspaceId}/configuration-versions?include=ingress-attributes`;
  const { data, included = [] } = (await api.admin.get(path).expect(200)).body;
  return data.map((version: Json) => {
    const id = version.relationships['ingress-attributes'].data?.id;
    return { ...version, commit: included.find((one: Json) => one.id === id)?.attributes };
  });
}

/** The only version the workspace has. */
async function onlyVersionOf(hook: Pick<Hook, 'workspaceId'>): Promise<Json> {
  const versions = await versionsOf(hook);
  expect(versions).toHaveLength(1);
  return versions[0];
}

const versionAt = async (id: string): Promise<Json> =>
  (await api.admin.get(`/configuration-versions/${id}`).expect(200)).body.data;

const statusOf = async (id: string): Promise<string> => (await versionAt(id)).attributes.status;

const runsOf = async (workspaceId: string): Promise<readonly Json[]> =>
  (await api.admin.get(`/workspaces/${workspaceId}/runs`).expect(200)).body.data;

async function cancelRunsOf(workspaceId: string): Promise<void> {
  for (const run of await runsOf(workspaceId)) {
    if (run.attributes.actions['is-cancelable']) await api.admin.post(`/runs/${run.id}/actions/cancel`).expect(202);
  }
}

const plainCommit = {
  'is-pull-request': false,
  'pull-request-number': null,
  'pull-request-url': null,
  'pull-request-title': null,
  'pull-request-body': null,
  tag: null,
};

describe('a pushed commit makes a version', () => {
  it('of GitHub, with what the delivery says of the commit', async () => {
    const hook = await newHook(githubUrl, { credential: 'deploy' });
    const sha = api.repositories.push(githubUrl, 'main', archive, 'Said by the repository');
    const answer = await github(hook, 'push', pushOf(sha)).expect(202).expect('Content-Length', '0');
    expect(answer.text).toBe('');

    const version = await onlyVersionOf(hook);
    expect(version.attributes).toMatchObject({
      source: 'github',
      status: 'pending',
      speculative: false,
      provisional: false,
      'auto-queue-runs': true,
    });
    expect(version.commit).toEqual({
      ...plainCommit,
      branch: 'main',
      'clone-url': githubUrl,
      'commit-message': 'Open the second port',
      'commit-sha': sha,
      'commit-url': tip.url,
      'compare-url': 'https://github.example/harbour/network/compare/feature',
      identifier: 'harbour/network',
      'on-default-branch': true,
      'sender-username': 'ines',
      'sender-avatar-url': 'https://avatars.example/12',
      'sender-html-url': 'https://github.example/ines',
    });
    const workspace = (await api.admin.get(`/workspaces/${hook.workspaceId}`)).body.data;
    expect(workspace.relationships['current-configuration-version'].data.id).toBe(version.id);

    await api.settle();
    expect(await statusOf(version.id)).toBe('uploaded');
    expect(api.repositories.asked.at(-1)).toEqual({
      cloneUrl: githubUrl,
      credential: 'deploy',
      ref: 'refs/heads/main',
      commitSha: sha,
    });
    // A reported commit stays, whatever the repository returns.
    expect((await onlyVersionOf(hook)).commit['commit-message']).toBe('Open the second port');
    const [run, ...others] = await runsOf(hook.workspaceId);
    expect(others).toEqual([]);
    expect(run.attributes).toMatchObject({ status: 'plan_queued', 'plan-only': false });
    expect(run.relationships['created-by'].data.id).toBe(api.admin.id);
    await cancelRunsOf(hook.workspaceId);
  });

  it('of Gitea, signed as Gitea signs', async () => {
    const hook = await newHook(giteaUrl);
    const sha = api.repositories.push(giteaUrl, 'trunk', archive);
    const commit = { id: sha, message: 'Add a zone\n', url: 'https://gitea.example/harbour/dns/commit/b0' };
    const payload = but(but(giteaPush, 'after', sha), 'commits', [commit]);
    await deliver(hook, giteaHeaders('push', newId()), payload, 'gitea').expect(202);
    expect((await onlyVersionOf(hook)).commit).toMatchObject({
      branch: 'trunk',
      'commit-sha': sha,
      'commit-message': 'Add a zone\n',
      identifier: 'harbour/dns',
      'on-default-branch': true,
      'sender-username': 'jun',
    });
  });

  it.each(['token', 'standard'] as const)('of GitLab, by %s', async (by) => {
    const hook = await newHook(gitlabUrl);
    const sha = api.repositories.push(gitlabUrl, 'main', archive);
    await deliver(hook, gitlabHeaders('Push Hook', newId()), but(gitlabPush, 'after', sha), by).expect(202);
    const version = await onlyVersionOf(hook);
    expect(version.attributes).toMatchObject({ source: 'gitlab', speculative: false });
    expect(version.commit).toMatchObject({
      'commit-sha': sha,
      identifier: 'harbour/safety/vault',
      'sender-username': 'kofi',
    });
  });

  it('not with a signature of long ago', async () => {
    const hook = await newHook(gitlabUrl);
    const sha = api.repositories.push(gitlabUrl, 'main', archive);
    const push = but(gitlabPush, 'after', sha);
    const signed = signers.standard(hook.key)(bytesOf(push));
    api.clock.advance(301);
    await send(hook.path, { ...gitlabHeaders('Push Hook', newId()), ...signed }, push).expect(404);
    await deliver(hook, gitlabHeaders('Push Hook', newId()), push, 'standard').expect(202);
  });

  it('to the branch that is linked, which need not be the default one', async () => {
    const hook = await newHook(githubUrl, { branch: 'release/2' });
    await github(hook, 'push', pushed('main')).expect(204);
    await github(hook, 'push', pushed('release/2')).expect(202);
    expect((await onlyVersionOf(hook)).commit).toMatchObject({ branch: 'release/2', 'on-default-branch': false });
  });

  it('also where the forge knows the repository by another host name', async () => {
    const hook = await newHook('https://git.internal.example:8443/Harbour/Network');
    await github(hook, 'push', pushed()).expect(202);
    const { commit } = await onlyVersionOf(hook);
    expect(commit['clone-url']).toBe('https://git.internal.example:8443/Harbour/Network');
  });
});

describe('a delivery', () => {
  it('is recorded where it makes a version, and where it is refused', async () => {
    const hook = await newHook(githubUrl);
    await github(hook, 'push', pushed()).expect(202);
    await send(hook.path, githubHeaders('push', newId()), pushed()).expect(404);
    await api.flushRefusals(true);
    const reportsIn = async (trail: string) => {
      const { data } = (await api.admin.get(`${trail}?filter[action]=configuration-versions/report`).expect(200)).body;
      return data.map(({ attributes }: Json) => [attributes['actor-kind'], attributes.outcome, attributes.subject]);
    };
    const { id } = await onlyVersionOf(hook);
    expect(await reportsIn('/organizations/acme/audit-events')).toContainEqual(['forge', 'done', id]);
    expect(await reportsIn('/admin/audit-events')).toContainEqual(['forge', 'resource/not-found', null]);
  });
});

describe('a pull request makes a speculative version', () => {
  it('of GitHub, whose run plans and nothing more', async () => {
    const hook = await newHook(githubUrl);
    const sha = api.repositories.push(githubUrl, 'second-port', archive);
    await github(hook, 'pull_request', pullRequestOf(sha)).expect(202);
    const version = await onlyVersionOf(hook);
    expect(version.attributes).toMatchObject({ source: 'github', speculative: true });
    expect(version.commit).toMatchObject({
      branch: 'second-port',
      'commit-sha': sha,
      'is-pull-request': true,
      'on-default-branch': false,
      'pull-request-number': 31,
      'pull-request-url': 'https://github.example/harbour/network/pull/31',
      'pull-request-title': 'Second port',
      'pull-request-body': 'Because the first is full.',
    });
    const workspace = (await api.admin.get(`/workspaces/${hook.workspaceId}`)).body.data;
    expect(workspace.relationships['current-configuration-version'].data).toBeNull();

    await api.settle();
    expect(api.repositories.asked.at(-1)).toMatchObject({ ref: 'refs/pull/31/head', commitSha: sha });
    const [run, ...others] = await runsOf(hook.workspaceId);
    expect(others).toEqual([]);
    expect(run.attributes['plan-only']).toBe(true);
    await cancelRunsOf(hook.workspaceId);
  });
});

describe('nothing follows', () => {
  it('from the same delivery again, even when it names another commit', async () => {
    const hook = await newHook(githubUrl);
    const id = newId();
    await github(hook, 'push', pushed(), id).expect(202);
    await github(hook, 'push', pushed(), id).expect(204);
    await onlyVersionOf(hook);
  });
});

describe('a fetch that fails', () => {
  it('leaves the version errored with the reason, and the commit may be delivered again', async () => {
    const hook = await newHook(githubUrl);
    const absent = pushOf('ab'.repeat(20));
    const id = newId();
    await github(hook, 'push', absent, id).expect(202);
    await api.settle();
    expect((await onlyVersionOf(hook)).attributes).toMatchObject({
      status: 'errored',
      error: 'fetch-failed',
      'error-message': expect.stringContaining('does not exist in the repository'),
    });
    expect(await runsOf(hook.workspaceId)).toEqual([]);
    await github(hook, 'push', absent).expect(202);
    await github(hook, 'push', absent).expect(204);
    await api.settle();
    // A forge that delivers again on request keeps the id of the delivery.
    await github(hook, 'push', absent, id).expect(202);
    await github(hook, 'push', absent, id).expect(204);
    await api.settle();
    const statuses = (await versionsOf(hook)).map(({ attributes }) => attributes.status);
    expect(statuses).toEqual(['errored', 'errored', 'errored']);
  });
});

describe('the settings of the workspace', () => {
  const set = (hook: Hook, attributes: object) =>
    api.admin.patch(`/workspaces/${hook.workspaceId}`, doc('workspaces', attributes)).expect(200);
  const push = (hook: Hook, ...files: readonly string[]): Test => {
    const sha = api.repositories.push(githubUrl, 'main', archive);
    const commits = [{ ...tip, id: sha, added: [], modified: files, removed: [] }];
    return github(hook, 'push', { ...pushOf(sha), created: false, forced: false, commits });
  };

  it('queue-all-runs: without it, commits create no runs before a client did', async () => {
    const hook = await newHook(githubUrl);
    await set(hook, { 'queue-all-runs': false });
    await push(hook, 'main.tf').expect(202);
    await api.settle();
    const version = await onlyVersionOf(hook);
    expect(version.attributes).toMatchObject({ status: 'uploaded', 'auto-queue-runs': false });
    expect(await runsOf(hook.workspaceId)).toEqual([]);
    const relationships = { workspace: { data: { id: hook.workspaceId, type: 'workspaces' } } };
    await api.admin.post('/runs', { data: { type: 'runs', relationships } }).expect(201);
    await push(hook, 'main.tf').expect(202);
    await api.settle();
    expect(await runsOf(hook.workspaceId)).toHaveLength(2);
    await cancelRunsOf(hook.workspaceId);
  });

  it('queue-all-runs: a version that a client fetches is planned without it', async () => {
    const hook = await newHook(gitlabUrl, { branch: 'main' });
    await set(hook, { 'queue-all-runs': false });
    api.repositories.push(gitlabUrl, 'main', archive);
    await api.admin.at(prefix).post(`/workspaces/${hook.workspaceId}/actions/fetch`).expect(201);
    await api.settle();
    expect(await runsOf(hook.workspaceId)).toHaveLength(1);
    await cancelRunsOf(hook.workspaceId);
  });

  it('speculative-enabled: without it, pull requests are passed over', async () => {
    const hook = await newHook(githubUrl);
    await set(hook, { 'speculative-enabled': false });
    const sha = api.repositories.push(githubUrl, 'second-port', archive);
    await github(hook, 'pull_request', pullRequestOf(sha)).expect(204);
    expect(await versionsOf(hook)).toEqual([]);
    await set(hook, { 'speculative-enabled': true });
    await github(hook, 'pull_request', pullRequestOf(sha)).expect(202);
    await cancelRunsOf(hook.workspaceId);
  });

  it('file triggers: pushes that change no selected file are passed over', async () => {
    const hook = await newHook(githubUrl);
    const answers = async (attributes: object, ...files: readonly string[]) => {
      await set(hook, attributes);
      return (await push(hook, ...files)).status;
    };
    expect(await answers({}, 'README.md')).toBe(202);
    expect(await answers({ 'working-directory': '/live' }, 'README.md')).toBe(204);
    expect(await answers({}, 'README.md', 'live/main.tf')).toBe(202);
    expect(await answers({}, 'modules/vpc/main.tf')).toBe(204);
    expect(await answers({ 'trigger-prefixes': ['modules'] }, 'modules/vpc/main.tf')).toBe(202);
    expect(await answers({ 'trigger-patterns': ['/**/*.hcl'] }, 'live/main.tf')).toBe(204);
    expect(await answers({}, 'modules/vpc/main.hcl')).toBe(202);
    expect(await answers({ 'file-triggers-enabled': false }, 'README.md')).toBe(202);
    // Without a list of files, every push counts.
    await set(hook, { 'file-triggers-enabled': true });
    await github(hook, 'push', pushed()).expect(202);
    await api.settle();
    await cancelRunsOf(hook.workspaceId);
  });
});

/** Runs `meanwhile` before the next transaction that writes. */
class Interrupted extends RowsInMemory {
  meanwhile: (() => Promise<unknown>) | undefined;

  override async run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const { meanwhile } = this;
    this.meanwhile = undefined;
    await meanwhile?.();
    return super.run(work);
  }
}

/** A push to the main branch, to another service. */
const pushTo = (app: typeof api.app, hook: Hook): Test => {
  const payload = JSON.stringify(pushOf('ab'.repeat(20)));
  return supertest(app)
    .post(hook.path)
    .set({ ...githubHeaders('push', newId()), ...signers.hub(hook.key)(Buffer.from(payload)) })
    .set('Content-Type', 'application/json')
    .send(payload);
};

describe('a caller that is not a forge of the workspace', () => {
  it('learns nothing: all refusals are the same', async () => {
    const payload = pushed();
    const body = bytesOf(payload);
    const event = () => githubHeaders('push', newId());
    const hook = await newHook(githubUrl);
    const other = await newHook(githubUrl);
    const unlinked = await newHook(githubUrl);
    await linked(unlinked.workspaceId, null);
    const gone = await newHook(githubUrl);
    await api.admin.delete(`/workspaces/${gone.workspaceId}`).expect(204);

    const refused: readonly Test[] = [
      send('/hooks/vcs/whk-unknown', { ...event(), ...signers.hub(hook.key)(body) }, payload),
      send(hook.path, event(), payload),
      send(hook.path, { ...event(), 'X-Hub-Signature-256': 'sha256=00' }, payload),
      send(hook.path, { ...event(), ...signers.hub(other.key)(body) }, payload),
      send(hook.path, { ...event(), ...signers.hub(hook.key)(body) }, { ...payload, after: 'a5'.repeat(20) }),
      send(hook.path, { ...event(), 'X-Gitlab-Token': '' }, payload),
      send(hook.path, { ...gitlabHeaders('Push Hook', newId()), 'X-Gitlab-Token': other.key }, gitlabPush),
      // An owner's own token is not a signature.
      send(hook.path, { ...event(), Authorization: `Bearer ${api.admin.secret}` }, payload),
      send(hook.path, { ...event(), 'X-Hub-Signature-256': 'sha256=00' }, 'no document'),
      github(unlinked, 'push', payload),
      github(gone, 'push', payload),
    ];
    const answers: { status: number; text: string }[] = [];
    for (const attempt of refused) answers.push(await attempt);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.map(({ status }) => status)).toEqual(refused.map(() => 404));
    expect(JSON.parse(answers[0]?.text ?? '')).toEqual(missing);
    expect(await versionsOf(hook)).toEqual([]);
    expect(await versionsOf(unlinked)).toEqual([]);
  });

  it.each([
    ['unlinked', 404],
    ['linked elsewhere', 404],
    ['linked to another branch', 204],
    ['deleted', 404],
  ] as const)('makes no version when the workspace is %s while the delivery is read', async (what, status) => {
    const rows = new Interrupted();
    const other = await startApi({ unitOfWork: rows });
    await other.organization('acme');
    const workspaceId = await other.workspace('acme', 'linked');
    const path = `/workspaces/${workspaceId}`;
    const link = (repository: object | null) => other.admin.patch(path, doc('workspaces', { 'vcs-repo': repository }));
    const { body } = await link({ 'clone-url': githubUrl }).expect(200);
    const hook = hookOf(workspaceId, body.data.attributes['vcs-repo']);
    const changes = {
      unlinked: () => link(null).expect(200),
      'linked elsewhere': () => link({ 'clone-url': giteaUrl }).expect(200),
      'linked to another branch': () => link({ 'clone-url': githubUrl, branch: 'release' }).expect(200),
      deleted: () => other.admin.delete(path).expect(204),
    };
    rows.meanwhile = changes[what];
    await pushTo(other.app, hook).expect(status);
    expect(rows.meanwhile).toBeUndefined();
    const now = other.clock.now();
    const made = await rows.run((tx) => tx.effects.claim(aClaim('fetches', { now, until: now })));
    expect(made).toEqual([]);
  });

  it('makes no version of a policy set that is deleted while the delivery is read', async () => {
    const rows = new Interrupted();
    const other = await startApi({ unitOfWork: rows });
    await other.organization('acme');
    const settings = { name: 'linked', kind: 'opa', 'vcs-repo': { 'clone-url': githubUrl } };
    const { body } = await other.admin
      .post('/organizations/acme/policy-sets', doc('policy-sets', settings))
      .expect(201);
    const hook = hookOf(body.data.id, body.data.attributes['vcs-repo']);
    rows.meanwhile = () => other.admin.delete(`/policy-sets/${body.data.id}`).expect(204);
    await pushTo(other.app, hook).expect(404);
    expect(rows.meanwhile).toBeUndefined();
  });

  it('is answered at once, however long the addresses it sends', async () => {
    const hook = await newHook(githubUrl);
    const slashes = `https://github.example/${'/'.repeat(5 * 1024 * 1024 - 8192)}x`;
    for (const [member, status] of [
      ['clone_url', 422],
      ['ssh_url', 202],
    ] as const) {
      const payload = but(pushed(), `repository.${member}`, slashes);
      // Quadratic time in the address would take hours, and exceed the test's timeout.
      await github(hook, 'push', payload).expect(status);
    }
  });

  it('is refused before anything is looked at when it sends too much, or no proper address', async () => {
    const hook = await newHook(githubUrl);
    const unknown = '/hooks/vcs/whk-unknown';
    const tooMuch = { filler: 'x'.repeat(5 * 1024 * 1024) };
    for (const [path, status] of [
      [hook.path, 413],
      // Not even its length is looked at.
      [unknown, 404],
    ] as const) {
      await send(path, { ...githubHeaders('push'), ...signers.hub(hook.key)(bytesOf(tooMuch)) }, tooMuch).expect(
        status,
      );
      await send(`${path}%00`, githubHeaders('push'), githubPush).expect(400);
    }
  });

  it('has no other method and no other mount', async () => {
    const hook = await newHook(githubUrl);
    await supertest(api.app).get(hook.path).expect(405);
    await send(`/api/v2${hook.path}`, {}, githubPush).expect(404);
  });
});

describe('a webhook', () => {
  it('shows its key once, and it stands in no log and in nothing that is stored', async () => {
    const hook = await newHook(githubUrl, { credential: 'deploy' });
    await github(hook, 'push', pushed()).expect(202);
    await github({ ...hook, key: `${hook.key}x` }, 'push', pushed()).expect(404);
    const token = { ...gitlabHeaders('Push Hook', newId()), 'X-Gitlab-Token': hook.key };
    await send(hook.path, token, gitlabPush).expect(204);
    await api.settle();
    const shown = await api.admin.get(`/workspaces/${hook.workspaceId}?include=organization`).expect(200);
    expect(shown.text).toContain(hook.path);
    expect(shown.text).not.toContain('whsec_');

    const bare = hook.key.replace('whsec_', '');
    const stored = await api.stored();
    const log = JSON.stringify(api.log.lines);
    expect(stored).toContain(hook.path.split('/').at(-1));
    expect(log).toContain('/hooks/vcs/:id');
    for (const text of [stored, log]) {
      expect(text).not.toContain(bare);
      expect(text).not.toContain(Buffer.from(bare, 'base64').toString('hex'));
      expect(text).not.toContain(Buffer.from(hook.key).toString('base64'));
    }
    // A caller who finds the address still cannot use it: it is not in the log either.
    expect(log).not.toContain(hook.path);
    await cancelRunsOf(hook.workspaceId);
  });
});

describe('POST /workspaces/:id/actions/fetch', () => {
  const path = (workspaceId: string) => `/workspaces/${workspaceId}/actions/fetch`;
  const fetchOf = (caller: Caller, workspaceId: string): Test => caller.at(prefix).post(path(workspaceId));

  it('makes a version of where the branch stands now, and ignores its body', async () => {
    const { workspaceId } = await newHook(gitlabUrl, { branch: 'main', credential: 'deploy' });
    const answer = await api.admin.at(prefix).post(path(workspaceId), { data: 'anything' }).expect(201);
    const { id, attributes } = answer.body.data;
    expect(attributes).toMatchObject({ status: 'pending', source: 'git', speculative: false });
    expect(attributes).not.toHaveProperty('upload-url');
    // Pushed after the order and before the fetch.
    const sha = api.repositories.push(gitlabUrl, 'main', archive, 'The latest');
    await api.settle();
    expect(api.repositories.asked.at(-1)).toEqual({
      cloneUrl: gitlabUrl,
      credential: 'deploy',
      ref: 'refs/heads/main',
      commitSha: null,
    });
    expect(await onlyVersionOf({ workspaceId })).toMatchObject({
      id,
      attributes: { status: 'uploaded' },
      commit: {
        ...plainCommit,
        branch: 'main',
        'clone-url': gitlabUrl,
        'commit-sha': sha,
        'commit-message': 'The latest',
        identifier: 'harbour/safety/vault',
        'on-default-branch': true,
        'sender-username': null,
      },
    });
    expect(await runsOf(workspaceId)).toHaveLength(1);
    await cancelRunsOf(workspaceId);
  });

  it('is refused while the workspace is linked to no repository', async () => {
    const workspaceId = await api.workspace('acme', newName());
    const { body } = await fetchOf(api.admin, workspaceId).expect(409);
    expect(body).toEqual(refusal(409, 'transition not allowed', expect.stringContaining('not linked to a repository')));
  });
});
