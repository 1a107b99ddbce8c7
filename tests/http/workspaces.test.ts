import { beforeAll, describe, expect, it } from '@jest/globals';
import type { FixedLevel } from '../../src/domain/index.js';
import { type Caller, doc, invalid, missing, namesIn, newName, prefix, startApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { giveGrant } from '../support/builders.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const newWorkspace = (): Promise<string> => api.workspace('acme', newName());

/** A member whose only team has this level on the workspace. */
async function memberWith(access: FixedLevel, workspaceId: string): Promise<Caller> {
  const team = await api.team('acme', newName());
  await api.unitOfWork.run((tx) => giveGrant(tx, team, workspaceId, { access }));
  return api.member('acme', newName(), [team]);
}

const holderOf = (...permissions: readonly string[]): Promise<Caller> => api.holderOf('acme', ...permissions);

const everything = {
  'can-read-settings': true,
  'can-read-run': true,
  'can-create-configuration-version': true,
  'can-archive-configuration-version': true,
  'can-manage-backing-data': true,
  'can-update': true,
  'can-schedule-destroy': true,
  'can-set-retention': true,
  'can-link-repository': true,
  'can-destroy': true,
  'can-force-delete': true,
  'can-queue-run': true,
  'can-queue-apply': true,
  'can-queue-destroy': true,
  'can-read-variable': true,
  'can-update-variable': true,
  'can-manage-run-tasks': true,
  'can-lock': true,
  'can-manage-tags': true,
  'can-manage-team-access': true,
  'can-unlock': true,
  'can-force-unlock': true,
  'can-create-state-versions': true,
  'can-read-state-versions': true,
  'can-read-state-outputs': true,
};

/** A repository is also a matter of the organization. */
/** An organization allows its admins no forced deletion, unless it says so. */
const administering = { ...everything, 'can-link-repository': false, 'can-force-delete': false };

/** Permissions that come with reading. */
const readable = [
  'can-read-settings',
  'can-read-run',
  'can-read-variable',
  'can-read-state-versions',
  'can-read-state-outputs',
] as const;

const only = (...held: readonly (keyof typeof everything)[]) =>
  Object.fromEntries(Object.keys(everything).map((name) => [name, (held as readonly string[]).includes(name)]));

describe('workspaces', () => {
  const path = '/organizations/acme/workspaces';

  const resource = (id: unknown, name: string, attributes: object = {}, relationships: object = {}) => ({
    id,
    type: 'workspaces',
    attributes: {
      name,
      description: null,
      actions: { 'is-destroyable': true },
      'allow-destroy-plan': true,
      'assessments-enabled': false,
      'auto-apply': false,
      'auto-apply-run-trigger': false,
      'auto-destroy-activity-duration': null,
      'auto-destroy-at': null,
      'inherits-project-auto-destroy': true,
      environment: 'default',
      'file-triggers-enabled': true,
      'trigger-prefixes': [],
      'trigger-patterns': [],
      'queue-all-runs': false,
      'speculative-enabled': true,
      'global-remote-state': false,
      source: 'tfe-api',
      'source-name': null,
      'source-url': null,
      'tag-names': [],
      'resource-count': 0,
      'runs-count': 0,
      'workspace-kpis-runs-count': 0,
      'execution-mode': 'remote',
      'setting-overwrites': { 'execution-mode': false, 'agent-pool': false },
      operations: true,
      'terraform-version': 'latest',
      'working-directory': '',
      'structured-run-output-enabled': false,
      locked: false,
      'locked-at': null,
      'locked-reason': null,
      'vcs-repo': null,
      'agent-pool-id': null,
      'created-at': api.clock.now(),
      'updated-at': api.clock.now(),
      permissions: everything,
      ...attributes,
    },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      project: { data: { id: expect.stringMatching(/^prj-/), type: 'projects' } },
      'current-configuration-version': { data: null },
      'current-run': { data: null },
      'latest-run': { data: null },
      'data-retention-policy': {
        data: null,
        links: { related: `${prefix}/workspaces/${id}/relationships/data-retention-policy` },
      },
      'current-state-version': {
        data: null,
        links: { related: `${prefix}/workspaces/${id}/current-state-version` },
      },
      outputs: { links: { related: `${prefix}/workspaces/${id}/current-state-version-outputs` } },
      'tag-bindings': { links: { related: `${prefix}/workspaces/${id}/tag-bindings` } },
      'effective-tag-bindings': { links: { related: `${prefix}/workspaces/${id}/effective-tag-bindings` } },
      vars: { data: [], links: { related: `${prefix}/workspaces/${id}/vars` } },
      'agent-pool': { data: null },
      'locked-by': { data: null },
      ...relationships,
    },
    links: {
      self: `${prefix}/organizations/acme/workspaces/${name}`,
      'self-html': `/app/acme/workspaces/${name}`,
    },
  });

  it('are created with defaults, and shown by id and by name', async () => {
    const name = newName();
    const created = await admin.post(path, doc('workspaces', { name })).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^ws-[A-Za-z0-9]{16}$/);
    expect(created.body).toEqual({ data: resource(id, name) });
    expect((await admin.get(`/workspaces/${id}`).expect(200)).body).toEqual(created.body);
    expect((await admin.get(`${path}/${name}`).expect(200)).body).toEqual(created.body);
  });

  it('take every attribute they are created with', async () => {
    const name = newName();
    const attributes = {
      description: 'The network of the other workspaces',
      'auto-apply': true,
      'execution-mode': 'local',
      'terraform-version': '~> 1.11.4',
      'working-directory': '/stacks/network',
      'allow-destroy-plan': false,
      'assessments-enabled': true,
      'auto-apply-run-trigger': true,
      'file-triggers-enabled': false,
      'trigger-prefixes': ['modules', '/shared'],
      'queue-all-runs': true,
      'speculative-enabled': false,
      'global-remote-state': true,
      'source-name': 'A program',
      'source-url': 'https://example.com',
      'structured-run-output-enabled': true,
      'auto-destroy-at': '2040-01-31T09:00:00.000Z',
      'auto-destroy-activity-duration': '14d',
    };
    const created = await admin.post(path, doc('workspaces', { name, ...attributes })).expect(201);
    const { id } = created.body.data;
    const overwrites = { 'setting-overwrites': { 'execution-mode': true, 'agent-pool': true } };
    const shown = {
      ...attributes,
      'inherits-project-auto-destroy': false,
      ...overwrites,
      operations: false,
      actions: { 'is-destroyable': false },
    };
    expect(created.body).toEqual({ data: resource(id, name, shown) });
    expect((await admin.get(`/workspaces/${id}`).expect(200)).body).toEqual(created.body);
    const patterns = { 'trigger-patterns': ['**/*.tf'], 'file-triggers-enabled': true, 'source-name': null };
    const changed = await admin.patch(`/workspaces/${id}`, doc('workspaces', patterns)).expect(200);
    expect(changed.body).toEqual({ data: resource(id, name, { ...shown, ...patterns, 'trigger-prefixes': [] }) });
  });

  it('remember that a terraform command created them', async () => {
    const body = doc('workspaces', { name: newName() });
    const created = await admin.post(path, body).set('X-Terraform-Integration', 'cloud').expect(201);
    expect(created.body.data.attributes.source).toBe('terraform');
    const { body: changed } = await admin.patch(`/workspaces/${created.body.data.id}`, doc('workspaces')).expect(200);
    expect(changed.data.attributes.source).toBe('terraform');
  });

  it('take operations as an older form of the execution mode', async () => {
    const id = await newWorkspace();
    const modeWith = async (attributes: object) =>
      (await admin.patch(`/workspaces/${id}`, doc('workspaces', attributes)).expect(200)).body.data.attributes;
    expect(await modeWith({ operations: false })).toMatchObject({ 'execution-mode': 'local', operations: false });
    expect(await modeWith({ operations: true })).toMatchObject({ 'execution-mode': 'remote', operations: true });
    const both = doc('workspaces', { operations: true, 'execution-mode': 'local' });
    expect((await admin.patch(`/workspaces/${id}`, both).expect(422)).body.errors[0].source).toEqual({
      pointer: '/data/attributes/operations',
    });
  });

  it('refuse what is not served, in words, and pass over its empty forms', async () => {
    const id = await newWorkspace();
    const change = (data: object) => admin.patch(`/workspaces/${id}`, { data: { type: 'workspaces', ...data } });
    for (const [name, value] of Object.entries({
      'project-remote-state': true,
      'hyok-enabled': true,
      'migration-environment': 'acme/network',
    })) {
      const { body } = await change({ attributes: { [name]: value } }).expect(422);
      expect(body.errors).toMatchObject([{ status: '422', source: { pointer: `/data/attributes/${name}` } }]);
      expect(body.errors[0].detail).toMatch(/^[A-Z].{15,}$/);
      for (const empty of [null, false, '', []]) await change({ attributes: { [name]: empty } }).expect(200);
    }
    for (const [name, data] of Object.entries({
      'ssh-key': { id: 'sshkey-1', type: 'ssh-keys' },
    })) {
      const { body } = await change({ relationships: { [name]: { data } } }).expect(422);
      expect(body.errors).toEqual([
        expect.objectContaining({ source: { pointer: `/data/relationships/${name}` }, detail: expect.any(String) }),
      ]);
      for (const empty of [null, []]) await change({ relationships: { [name]: { data: empty } } }).expect(200);
    }
  });

  it('share their state with the consumers they name, as far as the caller may read them', async () => {
    const [id, first, second] = [await newWorkspace(), await newWorkspace(), await newWorkspace()];
    const consumers = `/workspaces/${id}/relationships/remote-state-consumers`;
    const body = (...ids: readonly string[]) => ({ data: ids.map((one) => ({ id: one, type: 'workspaces' })) });
    const listed = async (caller = admin) => {
      const { data, meta } = (await caller.get(consumers).expect(200)).body;
      expect(meta.pagination['total-count']).toBe(data.length);
      return data.map((workspace: { id: string }) => workspace.id).sort();
    };
    expect(await listed()).toEqual([]);
    await admin.post(consumers, body(first, second, first)).expect(204);
    await admin.post(consumers, body(first)).expect(204);
    expect(await listed()).toEqual([first, second].sort());
    expect(await listed(await memberWith('read', id))).toEqual([]);
    await admin.send('delete', consumers, body(second)).expect(204);
    expect(await listed()).toEqual([first]);
    await admin.patch(consumers, body(second)).expect(204);
    expect(await listed()).toEqual([second]);
    const elsewhere = newName();
    await api.organization(elsewhere);
    for (const unknown of ['ws-nobody', await api.workspace(elsewhere, newName())]) {
      const answer = await admin.post(consumers, body(first, unknown)).expect(422);
      expect(answer.body.errors[0].source).toEqual({ pointer: '/data' });
    }
    await (await memberWith('write', id)).post(consumers, body()).expect(404);
    expect(await listed()).toEqual([second]);
    await admin.delete(`/workspaces/${second}`).expect(204);
    expect(await listed()).toEqual([]);
  });

  it('keep the consumers that the caller who replaces them cannot see', async () => {
    const [id, hidden, seen, next] = [
      await newWorkspace(),
      await newWorkspace(),
      await newWorkspace(),
      await newWorkspace(),
    ];
    const consumers = `/workspaces/${id}/relationships/remote-state-consumers`;
    const body = (...ids: readonly string[]) => ({ data: ids.map((one) => ({ id: one, type: 'workspaces' })) });
    const listed = async () => {
      const { data } = (await admin.get(consumers).expect(200)).body;
      return data.map((workspace: { id: string }) => workspace.id).sort();
    };
    await admin.post(consumers, body(hidden, seen)).expect(204);
    const team = await api.team('acme', newName());
    await api.unitOfWork.run(async (tx) => {
      await giveGrant(tx, team, id, { access: 'admin' });
      for (const one of [seen, next]) await giveGrant(tx, team, one, { access: 'read' });
    });
    const caller = await api.member('acme', newName(), [team]);
    await caller.patch(consumers, body(next)).expect(204);
    expect(await listed()).toEqual([hidden, next].sort());
    await caller.patch(consumers, body()).expect(204);
    expect(await listed()).toEqual([hidden]);
    await admin.patch(consumers, body()).expect(204);
    expect(await listed()).toEqual([]);
  });

  it('refuse destroy runs that the settings do not allow', async () => {
    const id = await newWorkspace();
    const { uploadUrl } = await api.version(id, { 'auto-queue-runs': false });
    await api.upload(uploadUrl, await archiveOf({ 'main.tf': '' })).expect(200);
    const relationships = { workspace: { data: { id, type: 'workspaces' } } };
    const destroy = () =>
      admin.post('/runs', { data: { type: 'runs', attributes: { 'is-destroy': true }, relationships } });
    const set = (allowed: boolean) =>
      admin.patch(`/workspaces/${id}`, doc('workspaces', { 'allow-destroy-plan': allowed }));
    await set(false).expect(200);
    expect((await destroy().expect(422)).body).toEqual(
      invalid('is-destroy', 'Destroy runs are not allowed in this workspace: see allow-destroy-plan'),
    );
    await admin.post('/runs', { data: { type: 'runs', relationships } }).expect(201);
    await set(true).expect(200);
    await destroy().expect(201);
  });

  it('change in what is named, by id and by name, and in nothing else', async () => {
    const [name, renamed] = [newName(), newName()];
    const { id } = (await admin.post(path, doc('workspaces', { name, description: 'first' })).expect(201)).body.data;
    const createdAt = api.clock.now();
    api.clock.advance(1);
    const changed = await admin
      .patch(`/workspaces/${id}`, doc('workspaces', { 'auto-apply': true, 'execution-mode': null }))
      .expect(200);
    const auto = { 'auto-apply': true, 'created-at': createdAt };
    expect(changed.body).toEqual({ data: resource(id, name, { ...auto, description: 'first' }) });
    const body = { data: { id, type: 'workspaces', attributes: { name: renamed, description: null } } };
    const again = await admin.patch(`${path}/${name}`, body).expect(200);
    expect(again.body).toEqual({ data: resource(id, renamed, auto) });
    await admin.get(`${path}/${name}`).expect(404);
    expect((await admin.get(`${path}/${renamed}`).expect(200)).body).toEqual(again.body);
  });

  it('are refused with one error for each attribute that is wrong', async () => {
    const post = async (body: object) => (await admin.post(path, body).expect(422)).body;
    expect(await post(doc('workspaces'))).toEqual(invalid('name', 'Name is required'));
    const wrong = {
      name: 5,
      description: 'x'.repeat(4097),
      'auto-apply': 'yes',
      'execution-mode': 'cloud',
      'terraform-version': '',
      'working-directory': ['a'],
      'trigger-prefixes': [''],
      'source-url': 5,
    };
    expect((await post(doc('workspaces', wrong))).errors).toEqual(
      [
        invalid('name', 'Name must be a string'),
        invalid('description', 'Description is too long (the maximum is 4096)'),
        invalid('auto-apply', 'Auto apply must be a boolean'),
        invalid('execution-mode', 'Execution mode must be one of remote, local, agent'),
        invalid('terraform-version', "Terraform version can't be blank"),
        invalid('working-directory', 'Working directory must be a string'),
        invalid('trigger-prefixes/0', "Trigger prefixes can't be blank"),
        invalid('source-url', 'Source url must be a string'),
      ].flatMap(({ errors }) => errors),
    );
    const words = 'Name must be 1 to 90 letters, digits, dashes and underscores';
    expect(await post(doc('workspaces', { name: 'a b' }))).toEqual(invalid('name', words));
    const below = 'Working directory must be a path below the configuration root';
    for (const directory of ['/..', '../up', 'a/../../b']) {
      const body = doc('workspaces', { name: newName(), 'working-directory': directory });
      expect(await post(body)).toEqual(invalid('working-directory', below));
    }
    const id = await newWorkspace();
    expect((await admin.patch(`/workspaces/${id}`, doc('workspaces', { name: '' })).expect(422)).body).toEqual(
      invalid('name', words),
    );
    const link = invalid('source-url', 'Source url must be an https:// or http:// URL');
    for (const url of [
      'javascript:alert(1)',
      'data:text/html,x',
      '//example.com',
      'example.com',
      'https://',
      'https://a b',
      '',
    ]) {
      expect(await post(doc('workspaces', { name: newName(), 'source-url': url }))).toEqual(link);
      expect(
        (await admin.patch(`/workspaces/${id}`, doc('workspaces', { 'source-url': url })).expect(422)).body,
      ).toEqual(link);
    }
    expect((await post({ data: { type: 'organizations', attributes: {} } })).errors).toHaveLength(2);
  });

  it('have names of their own within their organization', async () => {
    const [name, other] = [newName(), newName()];
    await api.workspace('acme', name);
    await api.workspace('acme', other);
    const taken = invalid('name', 'Name has already been taken');
    expect((await admin.post(path, doc('workspaces', { name })).expect(422)).body).toEqual(taken);
    expect((await admin.patch(`${path}/${other}`, doc('workspaces', { name })).expect(422)).body).toEqual(taken);
    await admin.patch(`${path}/${other}`, doc('workspaces', { name: other })).expect(200);
    const elsewhere = newName();
    await api.organization(elsewhere);
    await api.workspace(elsewhere, name);
  });

  it('are listed by name, and only those the caller may read', async () => {
    const organization = newName();
    await api.organization(organization);
    const list = `/organizations/${organization}/workspaces`;
    const ids: string[] = [];
    for (const name of ['Beta', 'alpha', 'delta', 'Gamma']) ids.push(await api.workspace(organization, name));
    const listed = async (caller: Caller, query = '') => {
      const { body } = await caller.get(`${list}?${query}`).expect(200);
      return {
        names: namesIn(body),
        total: body.meta.pagination['total-count'],
        self: body.links.self,
      };
    };
    const all = ['alpha', 'Beta', 'delta', 'Gamma'];
    const self = `${prefix}${list}?page%5Bnumber%5D=1&page%5Bsize%5D=20`;
    expect(await listed(admin)).toEqual({ names: all, total: 4, self });
    expect(await listed(await api.organizationToken(organization))).toEqual({ names: all, total: 4, self });
    expect((await listed(admin, 'page[size]=3&page[number]=2')).names).toEqual(['Gamma']);

    const team = await api.team(organization, 'developers');
    const caller = await api.member(organization, newName(), [team]);
    expect(await listed(caller)).toEqual({ names: [], total: 0, self });
    await api.unitOfWork.run(async (tx) => {
      await giveGrant(tx, team, ids[3] ?? '', { access: 'read' });
      await giveGrant(tx, team, ids[0] ?? '', { access: 'admin' });
    });
    expect(await listed(caller)).toEqual({ names: ['Beta', 'Gamma'], total: 2, self });
    const [beta, gamma] = (await caller.get(list)).body.data;
    expect(beta.attributes.permissions).toEqual(administering);
    expect(gamma.attributes.permissions).toEqual(only(...readable));
    const readers = await api.team(organization, 'readers', { 'organization-access': { 'read-workspaces': true } });
    expect((await listed(await api.member(organization, newName(), [readers]))).names).toEqual(all);
  });

  it('say to each caller what that caller may do', async () => {
    const id = await newWorkspace();
    const permissions = async (caller: Caller) =>
      (await caller.get(`/workspaces/${id}`).expect(200)).body.data.attributes.permissions;
    const read = readable;
    const plan = [
      ...read,
      'can-create-configuration-version',
      'can-archive-configuration-version',
      'can-queue-run',
    ] as const;
    const write = [
      ...plan,
      'can-update-variable',
      'can-queue-apply',
      'can-queue-destroy',
      'can-lock',
      'can-unlock',
      'can-create-state-versions',
    ] as const;
    expect(await permissions(await memberWith('read', id))).toEqual(only(...read));
    expect(await permissions(await memberWith('plan', id))).toEqual(only(...plan));
    expect(await permissions(await memberWith('write', id))).toEqual(only(...write));
    expect(await permissions(await memberWith('admin', id))).toEqual(administering);
    expect(await permissions(await holderOf('manage-workspaces'))).toEqual(administering);
    expect(await permissions(await holderOf('read-workspaces'))).toEqual(only(...read));
    expect(await permissions(await holderOf('manage-policies'))).toEqual(only('can-read-settings', 'can-read-run'));
    expect(await permissions(await api.organizationToken('acme'))).toEqual(
      only(
        ...read,
        'can-archive-configuration-version',
        'can-manage-backing-data',
        'can-update-variable',
        'can-manage-tags',
        'can-manage-team-access',
        'can-update',
        'can-destroy',
      ),
    );
  });

  it('are gone at once when they are deleted, by id or by name, and free their name', async () => {
    const name = newName();
    for (const by of ['id', 'name']) {
      const id = await api.workspace('acme', name);
      const answer = await admin.delete(by === 'id' ? `/workspaces/${id}` : `${path}/${name}`).expect(204);
      expect(answer.text).toBe('');
      for (const gone of [`/workspaces/${id}`, `${path}/${name}`]) {
        expect((await admin.get(gone).expect(404)).body).toEqual(missing);
        expect((await admin.delete(gone).expect(404)).body).toEqual(missing);
      }
    }
  });

  it('are locked with a reason or without one, and unlocked by who locked them', async () => {
    const name = newName();
    const id = await api.workspace('acme', name);
    const action = (word: string, body?: object) => admin.post(`/workspaces/${id}/actions/${word}`, body);
    const by = { 'locked-by': { data: { id: admin.id, type: 'users' } } };
    for (const { body, reason } of [
      { body: undefined, reason: null },
      { body: {}, reason: null },
      { body: { reason: 'plainly' }, reason: 'plainly' },
      { body: { data: { attributes: { reason: 'in a document' } } }, reason: 'in a document' },
      { body: { reason: null, data: { type: '' } }, reason: null },
    ]) {
      const locked = await action('lock', body).expect(200);
      expect(locked.body).toEqual({
        data: resource(
          id,
          name,
          { locked: true, 'locked-at': expect.stringMatching(/^2030-/), 'locked-reason': reason },
          by,
        ),
      });
      expect((await admin.get(`/workspaces/${id}`).expect(200)).body).toEqual(locked.body);
      expect((await action('unlock').expect(200)).body).toEqual({ data: resource(id, name) });
    }
    expect((await action('lock', { reason: 5 }).expect(422)).body.errors[0].source).toEqual({ pointer: '/reason' });
  });

  it('are unlocked whatever the request has for a body', async () => {
    const id = await newWorkspace();
    for (const word of ['unlock', 'force-unlock']) {
      await admin.post(`/workspaces/${id}/actions/lock`).expect(200);
      const request = admin.post(`/workspaces/${id}/actions/${word}`).set('Content-Type', 'text/plain');
      await request.send('{oops').expect(200);
    }
  });
});

describe('a workspace linked to a repository', () => {
  const path = '/organizations/acme/workspaces';
  const cloneUrl = 'https://git.example.com/acme/network.git';

  const linking = (repository: object | null) => doc('workspaces', { 'vcs-repo': repository });
  const repositoryOf = async (id: string) =>
    (await admin.get(`/workspaces/${id}`).expect(200)).body.data.attributes['vcs-repo'];
  const link = async (id: string, repository: object | null) =>
    (await admin.patch(`/workspaces/${id}`, linking(repository)).expect(200)).body.data.attributes['vcs-repo'];

  /** A forge's settings, shown once: the URL to report to, and the signing key. */
  const hook = {
    'webhook-url': expect.stringMatching(/^\/hooks\/vcs\/hook-[A-Za-z0-9]{16}$/),
    'webhook-key': expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
  };

  it('shows the repository, and the key of its webhook in the answer that made it alone', async () => {
    const name = newName();
    const created = await admin
      .post(path, doc('workspaces', { name, 'vcs-repo': { 'clone-url': cloneUrl, branch: 'main', credential: 'bot' } }))
      .expect(201);
    const { id, attributes } = created.body.data;
    const { 'webhook-key': key, ...shown } = attributes['vcs-repo'];
    expect(attributes['vcs-repo']).toEqual({
      'clone-url': cloneUrl,
      branch: 'main',
      credential: 'bot',
      identifier: 'acme/network',
      'display-identifier': 'acme/network',
      'ingress-submodules': false,
      ...hook,
    });
    const sealed = (await api.unitOfWork.read((tx) => tx.workspaces.find(id)))?.repository?.sealedWebhookKey ?? '';
    expect(sealed.length).toBeGreaterThan(key.length);
    expect(created.text).not.toContain(sealed);
    for (const answer of [
      await admin.get(`/workspaces/${id}`).expect(200),
      await admin.get(`${path}/${name}`).expect(200),
      await admin.get(`${path}?page[size]=100`).expect(200),
      await admin.patch(`/workspaces/${id}`, doc('workspaces', { description: 'changed' })).expect(200),
      await admin.patch(`/workspaces/${id}`, linking({ 'clone-url': cloneUrl, branch: 'main' })).expect(200),
      await admin.post(`/workspaces/${id}/actions/lock`).expect(200),
    ]) {
      const resources = [answer.body.data].flat();
      const own = resources.find((resource: { id: string }) => resource.id === id).attributes['vcs-repo'];
      expect(own).toEqual({ ...shown, credential: own.credential });
      for (const secret of [key, sealed]) expect(answer.text).not.toContain(secret);
    }
    expect(await api.stored()).not.toContain(key);
  });

  it('is linked with a branch or without, and with a credential or without', async () => {
    const id = await newWorkspace();
    for (const absent of [undefined, null, '']) {
      expect(await link(id, { 'clone-url': cloneUrl, branch: absent })).toMatchObject({ branch: '', credential: null });
    }
    expect(await link(id, { 'clone-url': cloneUrl, branch: 'feature/a+b', credential: null })).toMatchObject({
      branch: 'feature/a+b',
      credential: null,
    });
  });

  it('is refused for what cannot be a repository, with a pointer at what is wrong', async () => {
    const id = await newWorkspace();
    const refused = async (repository: unknown, member: string) => {
      const answers = [
        await admin.patch(`/workspaces/${id}`, doc('workspaces', { 'vcs-repo': repository })),
        await admin.post(path, doc('workspaces', { name: newName(), 'vcs-repo': repository })),
      ];
      for (const { status, body } of answers) {
        const source = { pointer: `/data/attributes/vcs-repo${member}` };
        expect({ repository, status, errors: body.errors }).toEqual({
          repository,
          status: 422,
          errors: [{ status: '422', title: 'invalid attribute', detail: expect.any(String), source }],
        });
      }
      return answers[0]?.body.errors[0].detail;
    };
    for (const url of [
      'ssh://git@git.example.com/acme/api.git',
      'git@git.example.com:acme/api.git',
      'file:///etc/passwd',
      'ftp://git.example.com/acme/api.git',
      'https://user:password@git.example.com/acme/api.git',
      'https://token@git.example.com/acme/api.git',
      'https://git.example.com/acme/api.git?token=x',
      'https://git.example.com/acme/api.git#main',
      'https://git.example.com',
      'https://git.example.com/',
      'https://git.example.com/a b',
      'https://git.example.com\\@evil.example/api.git',
      'https:///acme/api.git',
      'https://[/acme/api.git',
      'https://git.example.com:99999/acme/api.git',
      'https://1.2.3.4.5/acme/api.git',
      `https://git.example.com/${'a'.repeat(2000)}`,
      'network',
      '',
    ]) {
      expect(await refused({ 'clone-url': url }, '/clone-url')).toBe(
        'Clone url must be an https:// or http:// URL without user, query or fragment',
      );
    }
    for (const branch of ['a b', '-f', '/a', 'a/', '.a', 'a..b', 'a//b', 'a.lock', 'a@{1}', 'a~1', 'a:b', 'a\n']) {
      expect(await refused({ 'clone-url': cloneUrl, branch }, '/branch')).toBe('Branch must be the name of a branch');
    }
    for (const credential of ['', '../bot', 'a/b', '.bot', '..', 'a b', 'x'.repeat(91)]) {
      expect(await refused({ 'clone-url': cloneUrl, credential }, '/credential')).toBe(
        'Credential must be the name of a credential',
      );
    }
    await refused({}, '/clone-url');
    await refused({ 'clone-url': null }, '/clone-url');
    await refused({ 'clone-url': cloneUrl, branch: 5 }, '/branch');
    await refused('https://git.example.com/acme/api.git', '');
    expect(await repositoryOf(id)).toBeNull();
  });
});

describe('the agent pool of a workspace', () => {
  const path = '/organizations/acme/workspaces';
  let pool: string;

  const newPool = async (organization: string): Promise<string> => {
    const body = doc('agent-pools', { name: newName() });
    return (await admin.post(`/organizations/${organization}/agent-pools`, body).expect(201)).body.data.id;
  };

  beforeAll(async () => {
    pool = await newPool('acme');
  });

  const chosen = ({ attributes, relationships }: { attributes: object; relationships: object }) => [
    Reflect.get(attributes, 'agent-pool-id'),
    Reflect.get(relationships, 'agent-pool'),
  ];

  it('is named when it is created or later, and by null is none', async () => {
    const body = doc('workspaces', { name: newName(), 'agent-pool-id': pool });
    const { data } = (await admin.post(path, body).expect(201)).body;
    expect(chosen(data)).toEqual([pool, { data: { id: pool, type: 'agent-pools' } }]);
    const change = async (attributes: object) =>
      chosen((await admin.patch(`/workspaces/${data.id}`, doc('workspaces', attributes)).expect(200)).body.data);
    expect(await change({ description: 'changed' })).toEqual([pool, { data: { id: pool, type: 'agent-pools' } }]);
    expect(await change({ 'execution-mode': 'remote' })).toEqual([null, { data: null }]);
    expect((await change({ 'agent-pool-id': pool }))[0]).toBe(pool);
    expect(chosen((await admin.get(`/workspaces/${data.id}`)).body.data)[0]).toBe(pool);
  });

  it('is one of its own organization; others look the same whether they exist or not', async () => {
    const elsewhere = newName();
    await api.organization(elsewhere);
    const id = await newWorkspace();
    const foreign = await newPool(elsewhere);
    const answers = [];
    for (const given of [foreign, 'apool-nonexisting']) {
      const body = doc('workspaces', { 'agent-pool-id': given });
      answers.push((await admin.patch(`/workspaces/${id}`, body).expect(422)).text);
      const fresh = doc('workspaces', { name: newName(), 'agent-pool-id': given });
      answers.push((await admin.post(path, fresh).expect(422)).text);
    }
    expect(new Set(answers).size).toBe(1);
    expect(JSON.parse(answers[0] ?? '')).toEqual(
      invalid('agent-pool-id', 'Agent pool must belong to the organization'),
    );
    expect(chosen((await admin.get(`/workspaces/${id}`)).body.data)).toEqual([null, { data: null }]);
  });
});
