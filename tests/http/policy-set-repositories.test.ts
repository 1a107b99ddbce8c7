import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { type Caller, doc, faultsIn, invalid, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import {
  bytesOf,
  githubHeaders,
  githubPullRequest,
  githubPush,
  gitlabHeaders,
  gitlabPush,
  type Payload,
  signersBy,
  tip,
} from '../support/webhook-deliveries.js';

// biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
type Json = any;

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const githubUrl = 'https://github.example/harbour/network.git';
const gitlabUrl = 'https://gitlab.example/harbour/safety/vault.git';

const rego = 'package owners\n\ndeny contains "no owner" if not input.plan\n';
const configurationOf = (...names: readonly string[]): string =>
  names.map((name) => `policy "${name}" {\n  query = "data.${name}.deny"\n}\n`).join('\n');
const filesOf = (...names: readonly string[]) => ({ 'policies.hcl': configurationOf(...names), 'owners.rego': rego });
const one = await archiveOf(filesOf('owners'));
const two = await archiveOf(filesOf('owners', 'size'));
const broken = await archiveOf({ 'policies.hcl': 'policy "a" {', 'a.rego': rego });

/** A repository that no other test uses. */
let repositories = 0;
const newRepository = (): string => {
  repositories += 1;
  return `https://git.example/acme/policies-${repositories}.git`;
};
const push = (cloneUrl: string, archive: Buffer, branch = 'main') => api.repositories.push(cloneUrl, branch, archive);

const sets = '/organizations/acme/policy-sets';
const create = (attributes: object, relationships?: object, caller: Caller = admin) =>
  caller.post(sets, doc('policy-sets', { name: newName('set'), kind: 'opa', ...attributes }, relationships));
const patch = (id: string, attributes: object, caller: Caller = admin) =>
  caller.patch(`/policy-sets/${id}`, doc('policy-sets', attributes));

const shown = async (id: string): Promise<Json> =>
  (await admin.get(`/policy-sets/${id}?include=current_version,newest_version`).expect(200)).body;

/** The current and the newest version of a set, and the names of its policies. */
const versionsOf = async (id: string) => {
  const { data, included = [] } = await shown(id);
  const version = (name: string): Json => {
    const related = data.relationships[name].data;
    return related && included.find((one: Json) => one.id === related.id);
  };
  const names = data.attributes.policies.map(({ name }: Json) => name);
  return { current: version('current-version'), newest: version('newest-version'), names };
};

/** A new member of a team with these permissions. */
const managing = async (...permissions: readonly string[]) => {
  const access = Object.fromEntries(permissions.map((permission) => [permission, true]));
  const teamId = await api.team('acme', newName('team'), { 'organization-access': access });
  return { teamId, caller: await api.member('acme', newName('person'), [teamId]) };
};

interface Linked {
  readonly id: string;
  readonly hook: { readonly path: string; readonly key: string };
}

const linked = async (cloneUrl: string, attributes: object = {}, repository: object = {}): Promise<Linked> => {
  const answer = await create({ 'vcs-repo': { 'clone-url': cloneUrl, ...repository }, ...attributes }).expect(201);
  const { id, attributes: made } = answer.body.data;
  await api.settle();
  return { id, hook: { path: made['vcs-repo']['webhook-url'], key: made['vcs-repo']['webhook-key'] } };
};

let deliveries = 0;
const send = ({ hook }: Linked, headers: Record<string, string>, payload: unknown) =>
  supertest(api.app)
    .post(hook.path)
    .set({ 'Content-Type': 'application/json', ...headers })
    .send(Buffer.from(bytesOf(payload)).toString());

const github = (to: Linked, payload: unknown, event = 'push') => {
  deliveries += 1;
  const signed = signersBy(to.hook.key).hub(bytesOf(payload));
  return send(to, { ...githubHeaders(event, `delivery-${deliveries}`), ...signed }, payload);
};

/** A push to GitHub after which `sha` is the tip of the branch. */
const pushOf = (sha: string, files: readonly string[] = ['policies.hcl'], branch = 'main'): Payload => {
  const commit = { ...tip, id: sha, added: [], modified: files, removed: [] };
  return {
    ...githubPush,
    created: false,
    ref: `refs/heads/${branch}`,
    after: sha,
    head_commit: commit,
    commits: [commit],
  };
};

describe('a policy set from a repository', () => {
  it('fetches its first version when it is created, and shows the webhook key once', async () => {
    const cloneUrl = newRepository();
    const sha = push(cloneUrl, one);
    const repository = { 'clone-url': cloneUrl, branch: 'main', credential: 'ours' };
    const answer = await create({ 'vcs-repo': repository }).expect(201);
    const { id, attributes, relationships } = answer.body.data;
    const identifier = cloneUrl.replace('https://git.example/', '').replace('.git', '');
    const link = {
      ...repository,
      identifier,
      'display-identifier': identifier,
      'ingress-submodules': false,
      'webhook-url': expect.stringMatching(/^\/hooks\/vcs\//),
    };
    expect(attributes).toMatchObject({ 'policies-path': null, versioned: true, policies: [] });
    expect(attributes['vcs-repo']).toEqual({ ...link, 'webhook-key': expect.stringMatching(/^whsec_/) });
    expect(relationships).toMatchObject({
      'current-version': { data: null },
      'newest-version': { data: { type: 'policy-set-versions' } },
    });
    const waiting = (await versionsOf(id)).newest;
    expect(waiting.attributes).toMatchObject({ source: 'git', status: 'pending', 'ingress-attributes': null });
    expect(waiting.links).toEqual({ self: `${prefix}/policy-set-versions/${waiting.id}` });

    await api.settle();
    expect(api.repositories.asked.at(-1)).toEqual({
      cloneUrl,
      credential: 'ours',
      ref: 'refs/heads/main',
      commitSha: null,
      directory: '',
    });
    const { current, newest, names } = await versionsOf(id);
    expect(names).toEqual(['owners']);
    expect(current).toEqual(newest);
    expect(current.attributes).toMatchObject({
      source: 'git',
      status: 'ready',
      'status-timestamps': { 'pending-at': api.clock.now(), 'ready-at': api.clock.now() },
      error: null,
      'ingress-attributes': {
        branch: 'main',
        'clone-url': cloneUrl,
        'commit-message': 'A change',
        'commit-sha': sha,
        'commit-url': null,
        identifier,
      },
    });
    expect((await shown(id)).data.attributes['vcs-repo']).toEqual(link);
    expect(await admin.get(`/policy-set-versions/${current.id}`).expect(200)).toMatchObject({
      body: { data: current },
    });
  });

  it('is linked and unlinked later, and then keeps its policies and takes uploads', async () => {
    const { id } = (await create({}).expect(201)).body.data;
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const answer = await patch(id, { 'vcs-repo': { 'clone-url': cloneUrl } }).expect(200);
    expect(answer.body.data.attributes['vcs-repo']['webhook-key']).toMatch(/^whsec_/);
    await api.settle();
    const { current, names } = await versionsOf(id);
    expect(names).toEqual(['owners']);
    expect(current.attributes['ingress-attributes'].branch).toBe('main');

    const unlinked = await patch(id, { 'vcs-repo': null }).expect(200);
    expect(unlinked.body.data.attributes).toMatchObject({ 'vcs-repo': null, 'policies-path': null, versioned: true });
    expect(await versionsOf(id)).toMatchObject({ current: { id: current.id }, names: ['owners'] });
    const { links } = (await admin.post(`/policy-sets/${id}/versions`).expect(201)).body.data;
    await api.upload(links.upload, two).expect(200);
    expect((await versionsOf(id)).names).toEqual(['owners', 'size']);
  });

  it('gives no policies that were fetched for a link that is gone', async () => {
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const answer = await create({ 'vcs-repo': { 'clone-url': cloneUrl } }).expect(201);
    const { id } = answer.body.data;
    await patch(id, { 'vcs-repo': null }).expect(200);
    await api.settle();
    expect(await versionsOf(id)).toMatchObject({
      current: null,
      newest: {
        attributes: {
          status: 'errored',
          error: 'fetch-failed',
          'error-message': 'the policy set was unlinked from its repository',
        },
      },
    });
  });

  it('fetches again when branch, credential or path change, and when an errored link is repeated', async () => {
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const set = await linked(cloneUrl);
    const newest = async () => (await versionsOf(set.id)).newest;
    const first = await newest();
    const link = { 'clone-url': cloneUrl };
    for (const unchanged of [{ 'vcs-repo': link }, { 'policies-path': '' }, { name: newName('set') }]) {
      await patch(set.id, unchanged).expect(200);
      expect((await newest()).id).toBe(first.id);
    }
    const answer = await patch(set.id, { 'vcs-repo': { ...link, branch: 'next' } }).expect(200);
    expect(answer.body.data.attributes['vcs-repo']).not.toHaveProperty('webhook-key');
    await api.settle();
    const failed = await newest();
    expect(failed.attributes).toMatchObject({
      status: 'errored',
      'status-timestamps': { 'errored-at': api.clock.now() },
      error: 'fetch-failed',
      'error-message': 'refs/heads/next does not exist in the repository',
      'ingress-attributes': null,
    });
    expect((await versionsOf(set.id)).current.id).toBe(first.id);

    push(cloneUrl, two, 'next');
    await patch(set.id, { 'vcs-repo': { ...link, branch: 'next' } }).expect(200);
    await api.settle();
    const { current, names } = await versionsOf(set.id);
    expect(current.id).not.toBe(failed.id);
    expect(names).toEqual(['owners', 'size']);
    await patch(set.id, { 'vcs-repo': { ...link, branch: 'next', credential: 'ours' } }).expect(200);
    await patch(set.id, { 'policies-path': 'a' }).expect(200);
    await api.settle();
    expect(api.repositories.asked.slice(-2)).toMatchObject([
      { credential: 'ours', directory: 'a' },
      { credential: 'ours', directory: 'a' },
    ]);
  });

  it('consists of the files below its policies path', async () => {
    const cloneUrl = newRepository();
    const inside = Object.entries(filesOf('inside')).map(([name, text]) => [`sets/net/${name}`, text]);
    push(cloneUrl, await archiveOf({ ...filesOf('outside'), ...Object.fromEntries(inside) }));
    const set = await linked(cloneUrl, { 'policies-path': '/sets/net/' });
    expect((await shown(set.id)).data.attributes['policies-path']).toBe('/sets/net/');
    expect(await versionsOf(set.id)).toMatchObject({ names: ['inside'], current: { attributes: { status: 'ready' } } });
    const refused = { code: 422, sentence: 'Policies path must be a path below the root of the repository' };
    for (const path of ['../sets', 'a/../../b', 'a\\b', 'a\nb']) {
      const answer = await patch(set.id, { 'policies-path': path }).expect(refused.code);
      expect(answer.body).toEqual(invalid('policies-path', refused.sentence));
    }
    const alone = await create({ 'policies-path': 'sets' }).expect(422);
    expect(alone.body).toEqual(invalid('policies-path', 'Policies path must be set together with a vcs-repo'));
  });

  it('checks fetched files as it checks uploaded ones, and keeps its policies if they have a fault', async () => {
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const set = await linked(cloneUrl);
    const { current } = await versionsOf(set.id);
    push(cloneUrl, broken);
    await patch(set.id, { 'policies-path': '', 'vcs-repo': { 'clone-url': cloneUrl, branch: 'main' } }).expect(200);
    await api.settle();
    expect(await versionsOf(set.id)).toMatchObject({
      current: { id: current.id },
      newest: {
        attributes: {
          status: 'errored',
          'error-message': 'policies.hcl, line 1: expected } at the end of the block policy',
        },
      },
      names: ['owners'],
    });
  });

  it('takes neither uploads nor other policies', async () => {
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const upload = (await create({}).expect(201)).body.data.id;
    const { links } = (await admin.post(`/policy-sets/${upload}/versions`).expect(201)).body.data;
    await patch(upload, { 'vcs-repo': { 'clone-url': cloneUrl } }).expect(200);
    const words = 'the versions of the policy set come from its repository: push to it, or unlink it (vcs-repo: null)';
    const noUploads = refusal(409, 'transition not allowed', words);
    expect((await admin.post(`/policy-sets/${upload}/versions`).expect(409)).body).toEqual(noUploads);
    expect((await api.upload(links.upload, one).expect(409)).body).toEqual(noUploads);

    const own = 'The policies of a versioned policy set come from its current version. Push to its repository';
    const policies = [{ name: 'a', query: 'data.a' }];
    expect((await patch(upload, { policies }).expect(422)).body).toEqual(invalid('policies', own));
    const policy = doc('policies', { name: newName('policy'), kind: 'opa', query: 'data.a' });
    const { id } = (await admin.post('/organizations/acme/policies', policy).expect(201)).body.data;
    const attached = { data: [{ id, type: 'policies' }] };
    const attach = await admin.post(`/policy-sets/${upload}/relationships/policies`, attached).expect(422);
    expect(faultsIn(attach)).toEqual([['/data', own]]);

    const link = { 'vcs-repo': { 'clone-url': cloneUrl } };
    const both = 'The policy set has policies of its own. Detach them, or create another set for versions';
    expect((await create({ ...link, policies }).expect(422)).body).toEqual(invalid('vcs-repo', both));
    expect((await create(link, { policies: attached }).expect(422)).body).toEqual(invalid('vcs-repo', both));
    const withPolicies = (await create({ policies }).expect(201)).body.data.id;
    expect((await patch(withPolicies, link).expect(422)).body).toEqual(invalid('vcs-repo', both));
  });

  it('is refused for an address that cannot be fetched from, and in the words of a workspace', async () => {
    const refused = async (repository: object) => faultsIn(await create({ 'vcs-repo': repository }).expect(422));
    const oauth = 'Link the repository by its clone-url: OAuth clients and GitHub Apps are not served';
    expect(await refused({ identifier: 'acme/policies' })).toEqual([
      ['/data/attributes/vcs-repo/clone-url', 'Clone url is required'],
    ]);
    expect(await refused({ 'clone-url': githubUrl, 'oauth-token-id': 'ot-1' })).toEqual([
      ['/data/attributes/vcs-repo/oauth-token-id', oauth],
    ]);
    expect(await refused({ 'clone-url': githubUrl, branch: 'refs/heads/main' })).toEqual([
      ['/data/attributes/vcs-repo/branch', 'Branch must be the name of a branch'],
    ]);
  });

  it('is linked and unlinked by callers who manage policies and version control', async () => {
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const link = { 'vcs-repo': { 'clone-url': cloneUrl } };
    const { caller: policies } = await managing('manage-policies');
    const { caller: both } = await managing('manage-policies', 'manage-vcs-settings');
    const set = (await create(link, undefined, both).expect(201)).body.data.id;
    const words = 'not authorized: requires manage-policies, manage-vcs-settings';
    const refused = refusal(404, 'not found', words);
    expect((await create(link, undefined, policies).expect(404)).body).toEqual(refused);
    for (const change of [link, { 'vcs-repo': null }, { 'policies-path': 'elsewhere' }]) {
      expect((await patch(set, change, policies).expect(404)).body).toEqual(refused);
    }
    await patch(set, { description: 'Others may change' }, policies).expect(200);
    await create({ 'vcs-repo': null }, undefined, policies).expect(201);
    const { caller: vcs } = await managing('manage-vcs-settings');
    expect((await patch(set, link, vcs).expect(404)).body).toEqual(missing);
    await patch(set, { 'vcs-repo': null }, both).expect(200);
  });
});

describe('a push to the repository of a policy set', () => {
  it('of GitHub creates a version of the commit that the branch then has', async () => {
    push(githubUrl, one);
    const set = await linked(githubUrl);
    const sha = push(githubUrl, two);
    expect((await github(set, pushOf(sha)).expect(202)).text).toBe('');
    const reported = {
      branch: 'main',
      'clone-url': githubUrl,
      'commit-message': tip.message,
      'commit-sha': sha,
      'commit-url': tip.url,
      identifier: 'harbour/network',
    };
    const { newest, current: before } = await versionsOf(set.id);
    expect(newest.attributes).toMatchObject({
      source: 'github',
      status: 'pending',
      'ingress-attributes': reported,
    });
    await api.settle();
    const { current, names } = await versionsOf(set.id);
    expect(current.attributes).toMatchObject({ status: 'ready', 'ingress-attributes': reported });
    expect(current.id).toBe(newest.id);
    expect(names).toEqual(['owners', 'size']);
    expect(before.id).not.toBe(current.id);

    const later = push(githubUrl, one);
    const repeated = github(set, pushOf(sha));
    await repeated.expect(204);
    await github(set, { ...pushOf('a'.repeat(40)) }).expect(202);
    await api.settle();
    expect((await versionsOf(set.id)).current.attributes['ingress-attributes']).toMatchObject({
      'commit-sha': later,
      'commit-message': 'A change',
      'commit-url': null,
    });
    await github(set, pushOf(later)).expect(204);
  });

  it('of GitLab creates a version too', async () => {
    push(gitlabUrl, one);
    const set = await linked(gitlabUrl, {}, { branch: 'main' });
    const sha = push(gitlabUrl, two);
    const payload = { ...gitlabPush, ref: 'refs/heads/main', after: sha, checkout_sha: sha };
    const signed = signersBy(set.hook.key).gitlab(bytesOf(payload));
    await send(set, { ...gitlabHeaders('Push Hook', 'delivery-of-gitlab'), ...signed }, payload).expect(202);
    await api.settle();
    const { current, names } = await versionsOf(set.id);
    expect(current.attributes).toMatchObject({ source: 'gitlab', 'ingress-attributes': { 'commit-sha': sha } });
    expect(names).toEqual(['owners', 'size']);
  });

  it('counts if it changes files below the policies path, or those that the patterns name', async () => {
    const set = await linked(githubUrl, { 'policies-path': 'policies' });
    const pushing = (...files: readonly string[]) => github(set, pushOf(push(githubUrl, one), files));
    await pushing('main.tf', 'policies-of-others/a.rego').expect(204);
    await pushing('main.tf', 'policies/a.rego').expect(202);
    await patch(set.id, { 'policy-update-patterns': ['**/*.rego'] }).expect(200);
    await pushing('policies/readme.md').expect(204);
    await pushing('lib/a.rego').expect(202);
  });

  it('does not count for another branch or repository, and a pull request never does', async () => {
    const set = await linked(githubUrl);
    const sha = push(githubUrl, one, 'other');
    await github(set, pushOf(sha, [], 'other')).expect(204);
    const elsewhere = await linked(newRepository(), {}, { branch: 'main' });
    await github(elsewhere, pushOf(sha)).expect(204);
    await github(set, githubPullRequest, 'pull_request').expect(204);
    await github(set, { zen: 'Design for failure.' }, 'ping').expect(204);
  });

  it('is reported again after its version is errored', async () => {
    const set = await linked(githubUrl);
    const sha = push(githubUrl, broken);
    await github(set, pushOf(sha)).expect(202);
    await api.settle();
    expect((await versionsOf(set.id)).newest.attributes.status).toBe('errored');
    await github(set, pushOf(sha)).expect(202);
    await github(set, pushOf(sha)).expect(204);
  });

  it('is not found with a wrong signature, and for a set that is unlinked or removed', async () => {
    const set = await linked(githubUrl);
    const payload = pushOf(push(githubUrl, one));
    const forged = { ...set, hook: { ...set.hook, key: `${set.hook.key}x` } };
    expect((await github(forged, payload).expect(404)).body).toEqual(missing);
    await patch(set.id, { 'vcs-repo': null }).expect(200);
    expect((await github(set, payload).expect(404)).body).toEqual(missing);
    const other = await linked(githubUrl);
    await admin.delete(`/policy-sets/${other.id}`).expect(204);
    await github(other, payload).expect(404);
  });

  it('changes nothing once the creator of the link may no longer manage the set', async () => {
    const cloneUrl = newRepository();
    push(cloneUrl, one);
    const { caller, teamId } = await managing('manage-policies', 'manage-vcs-settings');
    const link = { 'vcs-repo': { 'clone-url': cloneUrl } };
    const set = (await create(link, undefined, caller).expect(201)).body.data.id;
    await admin.delete(`/teams/${teamId}`).expect(204);
    await api.settle();
    expect((await versionsOf(set)).newest.attributes).toMatchObject({
      status: 'errored',
      'error-message': 'the user or team that linked the repository may no longer manage the policy set; link it again',
    });
    await patch(set, link).expect(200);
    await api.settle();
    expect((await versionsOf(set)).newest.attributes.status).toBe('ready');
  });

  it('is recorded in the audit trail, as is the fetch', async () => {
    const cloneUrl = githubUrl;
    const set = await linked(cloneUrl);
    await github(set, pushOf(push(cloneUrl, one))).expect(202);
    const { newest } = await versionsOf(set.id);
    await api.settle();
    const { data } = (await admin.get('/organizations/acme/audit-events').expect(200)).body;
    const events = data.filter(({ attributes }: Json) => attributes.subject === newest.id);
    expect(events.map(({ attributes }: Json) => [attributes.action, attributes['actor-kind']])).toEqual([
      ['policy-sets/fetch', 'system'],
      ['policy-sets/report', 'forge'],
    ]);
  });
});
