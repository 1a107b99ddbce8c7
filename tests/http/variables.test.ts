import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Caller, doc, invalid, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { aVariable, giveGrant } from '../support/builders.js';
import { noteSecret } from '../support/secrets-in-logs.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const newWorkspace = (): Promise<string> => api.workspace('acme', newName());

let secrets = 0;

/** A text that may appear only in the response to a claim, and in no log. */
const newSecret = (): string => {
  secrets += 1;
  const secret = `only the agent may read this, number ${secrets}`;
  noteSecret(secret);
  return secret;
};

const workspace = await newWorkspace();
const path = `/workspaces/${workspace}/vars`;

/** A key of either category. */
const newKey = (): string => newName('KEY').replace('-', '_');

describe('variables', () => {
  const resource = (id: unknown, attributes: object, of = workspace) => ({
    id,
    type: 'vars',
    attributes: {
      value: '',
      sensitive: false,
      category: 'terraform',
      hcl: false,
      description: null,
      'created-at': api.clock.now(),
      'version-id': '0',
      ...attributes,
    },
    relationships: {
      configurable: { data: { id: of, type: 'workspaces' }, links: { related: `${prefix}/workspaces/${of}` } },
    },
    links: { self: `${prefix}/workspaces/${of}/vars/${id}` },
  });

  const post = (attributes: object, at = path) => admin.post(at, doc('vars', attributes));
  const patch = (id: string, attributes: object) =>
    admin.patch(`${path}/${id}`, { data: { ...doc('vars', attributes).data, id } });

  const newVariable = async (attributes: object = {}): Promise<string> => {
    const given = { key: newKey(), category: 'terraform', ...attributes };
    return (await post(given).expect(201)).body.data.id;
  };

  const show = async (id: string) => (await admin.get(`${path}/${id}`).expect(200)).body.data;

  it('are created with nothing but a key and a category', async () => {
    const created = await post({ key: 'bare', category: 'terraform' }).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^var-\w{16}$/);
    expect(created.body).toEqual({ data: resource(id, { key: 'bare' }) });
    expect(await show(created.body.data.id)).toEqual(created.body.data);
  });

  it('are created with everything else, and null is left out', async () => {
    const description = 'w'.repeat(512);
    const attributes = { key: '2whole', value: '["eu"]', description, hcl: true, category: 'terraform' };
    const created = await post({ ...attributes, sensitive: null }).expect(201);
    expect(created.body).toEqual({ data: resource(created.body.data.id, attributes) });
    const empty = await post({ key: 'EMPTY', category: 'env', value: null, hcl: null, description: null }).expect(201);
    expect(empty.body).toEqual({ data: resource(empty.body.data.id, { key: 'EMPTY', category: 'env' }) });
  });

  it('are listed whole, by key', async () => {
    const of = await newWorkspace();
    const list = `/workspaces/${of}/vars`;
    expect((await admin.get(list).expect(200)).body).toEqual({ data: [] });
    const attributes = [
      { key: 'b', category: 'terraform', value: 'ä€𝄞\n"' },
      { key: 'a', category: 'terraform', sensitive: true, value: newSecret() },
      { key: 'a', category: 'env', value: '2' },
    ];
    const ids: string[] = [];
    for (const given of attributes) ids.push((await post(given, list).expect(201)).body.data.id);
    const [b, secret, ofEnvironment] = attributes.map((given, index) =>
      resource(ids[index], { ...given, ...(given.sensitive && { value: null }) }, of),
    );
    const whole = { data: [ofEnvironment, secret, b] };
    expect((await admin.get(list).expect(200)).body).toEqual(whole);
    // Clients ask for pages of every list.
    expect((await admin.get(`${list}?page[size]=1&page[number]=1`).expect(200)).body).toEqual(whole);
  });

  it('change in what is named', async () => {
    const id = await newVariable({ value: 'before', description: 'd' });
    const before = await show(id);
    const changed = await patch(id, { value: 'after', hcl: true }).expect(200);
    const attributes = { ...before.attributes, value: 'after', hcl: true, 'version-id': '1' };
    expect(changed.body).toEqual({ data: { ...before, attributes } });
    expect(await show(id)).toEqual(changed.body.data);
    const key = newKey();
    const moved = { key, category: 'env', hcl: false, description: null };
    expect((await patch(id, moved).expect(200)).body.data.attributes).toEqual({
      ...attributes,
      ...moved,
      'version-id': '2',
    });
    // Nothing is named, or only by null.
    await patch(id, { key: null, value: null, category: null, hcl: null, sensitive: null }).expect(200);
    expect((await show(id)).attributes).toMatchObject({ key, value: 'after', category: 'env', sensitive: false });
  });

  it('are gone once they are deleted', async () => {
    const id = await newVariable();
    expect((await admin.delete(`${path}/${id}`).expect(204)).text).toBe('');
    for (const gone of [
      await admin.get(`${path}/${id}`),
      await patch(id, { value: 'x' }),
      await admin.delete(`${path}/${id}`),
    ]) {
      expect([gone.status, gone.body]).toEqual([404, missing]);
    }
  });

  describe('that are sensitive', () => {
    it('are shown by no endpoint, from the first answer on', async () => {
      const secret = newSecret();
      const created = await post({ key: newKey(), category: 'env', sensitive: true, value: secret }).expect(201);
      const { id } = created.body.data;
      const another = newSecret();
      const later = newSecret();
      const becoming = await newVariable({ value: later });
      const answers = [
        created,
        await patch(id, { description: 'still' }).expect(200),
        await patch(id, { value: another }).expect(200),
        await patch(becoming, { sensitive: true }).expect(200),
        await admin.get(path).expect(200),
        await admin.get(`${path}/${id}`).expect(200),
        await admin.get(`${path}/${becoming}`).expect(200),
        await admin.get(`/workspaces/${workspace}`).expect(200),
        await admin.get('/organizations/acme/audit-events').expect(200),
        await post({ key: newKey(), category: 'env', sensitive: true, value: `${later}\n`.repeat(10_000) }),
        await patch(id, { sensitive: false, value: another }).expect(422),
      ];
      for (const { text } of answers) expect(text).not.toMatch(/only the agent/);
      for (const one of [id, becoming]) {
        expect((await show(one)).attributes).toMatchObject({ value: null, sensitive: true });
      }
      await api.flushRefusals(true);
      expect((await admin.get('/organizations/acme/audit-events').expect(200)).text).not.toMatch(/only the agent/);
      expect(JSON.stringify(await api.unitOfWork.read((tx) => tx.variables.ofWorkspace(workspace)))).not.toMatch(
        /only the agent/,
      );
    });

    it('stay so, and keep their key and category', async () => {
      const key = newKey();
      const { body } = await post({ key, category: 'env', sensitive: true, value: newSecret() }).expect(201);
      const { id } = body.data;
      const refusals = [
        [
          { sensitive: false },
          'sensitive',
          'Sensitive cannot be changed to false. Delete the variable and create it again',
        ],
        [{ key: 'another' }, 'key', 'Key of a sensitive variable cannot be changed'],
        [
          { category: 'terraform' },
          'category',
          'Category of a sensitive variable can be changed only together with its value',
        ],
      ] as const;
      for (const [change, attribute, detail] of refusals) {
        expect((await patch(id, change).expect(422)).body).toEqual(invalid(attribute, detail));
      }
      await patch(id, { key, category: 'env', sensitive: true, description: 'said again' }).expect(200);
      const moved = await patch(id, { category: 'terraform', value: newSecret() }).expect(200);
      expect(moved.body.data.attributes).toMatchObject({ key, category: 'terraform', sensitive: true, value: null });
    });
  });

  describe('are refused', () => {
    const category = 'terraform';
    const tooLong = 'x'.repeat(256 * 1024 + 1);
    const bodies: readonly (readonly [string, object, string, unknown])[] = [
      ['without a key', { category }, 'key', 'Key is required'],
      ['with an empty key', { key: '', category }, 'key', "Key can't be blank"],
      [
        'with a key of 256 characters',
        { key: 'k'.repeat(256), category },
        'key',
        'Key is too long (the maximum is 255)',
      ],
      ['with a line break in the key', { key: 'a\nb', category: 'env' }, 'key', expect.stringContaining('line breaks')],
      [
        'with a key that is not an identifier',
        { key: 'a.b', category },
        'key',
        expect.stringContaining('letters, digits'),
      ],
      ['with an equals sign', { key: 'a=b', category: 'env' }, 'key', expect.stringContaining('letters A to Z')],
      [
        'with a long description',
        { key: 'k', category, description: 'x'.repeat(513) },
        'description',
        'Description is too long (the maximum is 512)',
      ],
      ['with a key that is not a text', { key: 1, category }, 'key', 'Key must be a string'],
      ['without a category', { key: 'k' }, 'category', 'Category is required'],
      ['of another category', { key: 'k', category: 'shell' }, 'category', 'Category must be one of terraform, env'],
      ['of the environment, as expressions', { key: 'k', category: 'env', hcl: true }, 'hcl', expect.any(String)],
      ['with a flag that is none', { key: 'k', category, hcl: 'yes' }, 'hcl', 'Hcl must be a boolean'],
      ['with a value that is not a text', { key: 'k', category, value: 1 }, 'value', 'Value must be a string'],
      ['with a value too long', { key: 'k', category, value: tooLong }, 'value', expect.stringContaining('262144')],
      [
        'with a value too long in bytes',
        { key: 'k', category, value: 'ä'.repeat(128 * 1024 + 1) },
        'value',
        'Value is too long (the maximum is 262144 bytes)',
      ],
      [
        'with a value that no program can be given',
        { key: 'k', category: 'env', value: 'x'.repeat(128 * 1024) },
        'value',
        expect.stringContaining('131072 bytes with its key'),
      ],
    ];

    it.each(bodies)('%s', async (_, attributes, attribute, detail) => {
      expect((await post(attributes).expect(422)).body).toEqual(invalid(attribute, detail));
    });

    it('where there is one of the key in the category', async () => {
      const taken = invalid('key', 'Key has already been taken');
      await newVariable({ key: 'taken' });
      expect((await post({ key: 'taken', category }).expect(422)).body).toEqual(taken);
      const id = await newVariable({ key: 'taken', category: 'env' });
      expect((await patch(id, { category }).expect(422)).body).toEqual(taken);
    });

    it('in their change as in their creation', async () => {
      const id = await newVariable();
      const changes: readonly (readonly [object, string])[] = [
        [{ key: '' }, 'key'],
        [{ key: 'a b' }, 'key'],
        [{ category: 'env', hcl: true }, 'hcl'],
        [{ value: 'ä'.repeat(128 * 1024 + 1) }, 'value'],
        [{ category: 'env', value: 'x'.repeat(128 * 1024) }, 'value'],
      ];
      for (const [change, attribute] of changes) {
        expect((await patch(id, change).expect(422)).body).toEqual(invalid(attribute, expect.any(String)));
      }
      expect((await show(id)).attributes['version-id']).toBe('0');
    });

    it('under another type', async () => {
      const wrong = refusal(422, 'invalid attribute', 'Type must be vars', { pointer: '/data/type' });
      const attributes = { key: newName('T'), category };
      expect((await admin.post(path, doc('variables', attributes)).expect(422)).body).toEqual(wrong);
    });

    it('with a NUL in them', async () => {
      await post({ key: 'k', category, value: 'a\0b' }).expect(400);
    });
  });

  describe('for callers', () => {
    const variables = ['none', 'read', 'write'] as const;
    let id: string;
    const holders: Record<string, Caller> = {};

    beforeAll(async () => {
      id = await newVariable({ value: 'v' });
      for (const level of variables) {
        const team = await api.team('acme', newName('team'));
        const permissions = {
          runs: 'plan',
          variables: level,
          stateVersions: 'none',
          policyMocks: 'none',
          workspaceLocking: false,
          runTasks: false,
          policyOverrides: false,
        } as const;
        await api.unitOfWork.run((tx) => giveGrant(tx, team, workspace, { access: 'custom', permissions }));
        holders[level] = await api.member('acme', newName('member'), [team]);
      }
    });

    const holder = (level: string): Caller => holders[level] as Caller;
    const attempts = (caller: Caller, at: string, one: string) => ({
      list: () => caller.get(at),
      show: () => caller.get(`${at}/${one}`),
      create: () => caller.post(at, doc('vars', { key: newName('C'), category: 'env' })),
      update: () => caller.patch(`${at}/${one}`, doc('vars', { description: newName() })),
      remove: () => caller.delete(`${at}/${one}`),
    });

    it('are missing in another workspace, as what was never there', async () => {
      const other = `/workspaces/${await newWorkspace()}/vars`;
      for (const [at, one] of [
        [other, id],
        [path, 'var-nobody'],
        ['/workspaces/ws-nobody/vars', id],
      ] as const) {
        const { list: _, create: __, ...ofOne } = attempts(admin, at, one);
        for (const attempt of Object.values(ofOne)) {
          const { status, body } = await attempt();
          expect([status, body]).toEqual([404, missing]);
        }
      }
    });

    it('are listed in the permissions of the workspace', async () => {
      const told = async (caller: Caller) => {
        const { permissions } = (await caller.get(`/workspaces/${workspace}`).expect(200)).body.data.attributes;
        return [permissions['can-read-variable'], permissions['can-update-variable']];
      };
      expect(await told(holder('none'))).toEqual([false, false]);
      expect(await told(holder('read'))).toEqual([true, false]);
      expect(await told(holder('write'))).toEqual([true, true]);
    });
  });
});

describe('the variables of a workspace', () => {
  const post = (workspace: string, attributes: object) =>
    api.admin.post(`/workspaces/${workspace}/vars`, doc('vars', { category: 'terraform', ...attributes }));

  it('are 1,000 at most', async () => {
    const workspace = await newWorkspace();
    await api.unitOfWork.run(async (tx) => {
      for (let count = 1; count < 1000; count += 1) await tx.variables.add(aVariable({ id: workspace }));
    });
    await post(workspace, { key: 'the_last' }).expect(201);
    expect((await post(workspace, { key: 'one_more' }).expect(422)).body).toEqual(
      refusal(422, 'invalid attribute', 'A workspace can have at most 1000 variables'),
    );
    const { body } = await api.admin.get(`/workspaces/${workspace}/vars`).expect(200);
    expect(body.data).toHaveLength(1000);
    await api.admin.delete(`/workspaces/${workspace}/vars/${body.data[0].id}`).expect(204);
    await post(workspace, { key: 'one_more' }).expect(201);
  });

  it('have 4 MiB of values at most', async () => {
    const workspace = await newWorkspace();
    const value = 'x'.repeat(256 * 1024);
    let id = '';
    for (let count = 0; count < 16; count += 1)
      id = (await post(workspace, { key: `k${count}`, value }).expect(201)).body.data.id;
    const full = invalid('value', 'Value is too long (the maximum is 4194304 bytes for all variables of a workspace)');
    expect((await post(workspace, { key: 'more', value: 'x' }).expect(422)).body).toEqual(full);
    await post(workspace, { key: 'empty' }).expect(201);
    const patch = (to: string) => api.admin.patch(`/workspaces/${workspace}/vars/${id}`, doc('vars', { value: to }));
    await patch(value.replace('x', 'y')).expect(200);
    await patch('short').expect(200);
    await post(workspace, { key: 'more', value: 'x' }).expect(201);
    expect((await patch(value).expect(422)).body).toEqual(full);
  });

  it('are recorded when they change, by their ids alone', async () => {
    await api.organization('recorded');
    const workspace = await api.workspace('recorded', newName());
    const { id } = (await post(workspace, { key: 'told_of', value: 'some value' }).expect(201)).body.data;
    await api.admin.patch(`/workspaces/${workspace}/vars/${id}`, doc('vars', { value: 'another value' })).expect(200);
    await api.admin.delete(`/workspaces/${workspace}/vars/${id}`).expect(204);
    const { body, text } = await api.admin
      .get('/organizations/recorded/audit-events?action=variables/manage')
      .expect(200);
    expect(body.data.length).toBeGreaterThan(0);
    expect(text).not.toMatch(/value"|some value|another value|told_of/);
  });
});

describe('a run', () => {
  const variablesOf = async (bench: Bench, runId: string) => (await bench.claimed(runId)).json.workspace.variables;
  const post = (bench: Bench, attributes: object) =>
    api.admin.post(`/workspaces/${bench.workspaceId}/vars`, doc('vars', attributes)).expect(201);

  it('is given the variables of its workspace as they are when each phase is claimed, sensitive ones too', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const secret = newSecret();
    const region = { key: 'region', value: 'eu', category: 'terraform', hcl: false, sensitive: false };
    const key = { key: 'API_KEY', value: secret, category: 'env', hcl: false, sensitive: true };
    const { id } = (await post(bench, region)).body.data;
    const runId = await bench.run();
    await post(bench, { ...key, description: 'not the agent’s to know' });
    const job = await bench.claimed(runId);
    expect(job.json.workspace.variables).toEqual([key, region]);
    await api.admin.patch(`/workspaces/${bench.workspaceId}/vars/${id}`, doc('vars', { value: 'us' })).expect(200);
    await job.planned();
    await bench.act(runId, 'apply');
    expect(await variablesOf(bench, runId)).toEqual([key, { ...region, value: 'us' }]);
    const answers = [
      await api.admin.get(`/runs/${runId}`),
      await api.admin.get(`/plans/${runId.replace('run', 'plan')}`),
    ];
    for (const { text } of answers) expect(text).not.toContain(secret);
  });

  it('is given none of another workspace', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const other = await api.workspace(bench.organization, newName());
    await api.admin.post(`/workspaces/${other}/vars`, doc('vars', { key: 'other', category: 'env' })).expect(201);
    expect(await variablesOf(bench, await bench.run())).toEqual([]);
  });

  it.each(['plan', 'apply'] as const)(
    'ends before its %s where no secret opens one of them, and says how many',
    async (phase) => {
      const bench = await Bench.make(api);
      await bench.version();
      const runId = await bench.run();
      if (phase === 'apply') {
        await bench.planned(runId);
        await bench.act(runId, 'apply');
      }
      const { id } = (await post(bench, { key: 'lost', category: 'env', value: 'x' })).body.data;
      await api.unitOfWork.run(async (tx) => {
        const [variable] = await tx.variables.ofWorkspace(bench.workspaceId);
        if (variable !== undefined) await tx.variables.save({ ...variable, sealedValue: 'v2.other.x', revision: 1 });
      });
      expect(await bench.agent.claim()).toBeUndefined();
      const { attributes } = await bench.shown(runId);
      expect(attributes.status).toBe('errored');
      expect(JSON.stringify(attributes)).toContain("1 of the workspace's variables cannot be decrypted");
      // A caller who may read runs may still lack the right to read variables.
      expect(JSON.stringify(attributes)).not.toContain('lost');
      // Nothing else is refused because of it, and setting it again repairs it.
      const path = `/workspaces/${bench.workspaceId}/vars`;
      expect((await api.admin.get(path).expect(200)).body.data[0].attributes).toMatchObject({
        key: 'lost',
        value: null,
      });
      await api.admin.patch(`${path}/${id}`, doc('vars', { value: 'found' })).expect(200);
      expect(await variablesOf(bench, await bench.run())).toMatchObject([{ key: 'lost', value: 'found' }]);
    },
  );
});

it('a variable knows when it was made', async () => {
  const workspace = await newWorkspace();
  const path = `/workspaces/${workspace}/vars`;
  const created = (await api.admin.post(path, doc('vars', { key: 'k', category: 'env' })).expect(201)).body.data;
  const madeAt = api.clock.now();
  api.clock.advance(60);
  await api.admin.patch(`${path}/${created.id}`, doc('vars', { value: 'x' })).expect(200);
  const shown = (await api.admin.get(`${path}/${created.id}`).expect(200)).body.data;
  expect(shown.attributes['created-at']).toBe(madeAt);
});
