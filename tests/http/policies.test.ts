import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import supertest from 'supertest';
import { limits } from '../../src/adapters/http/routing/limits.js';
import { doc, faultsIn, invalid, missing, namesIn, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const query = 'data.terraform.deny';
const newPolicyIn = async (organization: string, attributes: object = {}): Promise<string> => {
  const body = doc('policies', { name: newName('policy'), kind: 'opa', query, ...attributes });
  return (await api.admin.post(`/organizations/${organization}/policies`, body).expect(201)).body.data.id;
};

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');
await api.organization('globex');
const foreign = await newPolicyIn('globex');

const sha256Of = (code: string): string => createHash('sha256').update(code).digest('hex');
const identifiers = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ id, type: 'policies' })) });

describe('policies', () => {
  const path = '/organizations/acme/policies';

  const resource = (id: unknown, name: string, attributes: object = {}, sets: readonly string[] = []) => ({
    id,
    type: 'policies',
    attributes: {
      name,
      description: '',
      kind: 'opa',
      query,
      'enforcement-level': 'advisory',
      enforce: [],
      uploaded: false,
      'policy-set-count': sets.length,
      'created-at': api.clock.now(),
      'updated-at': api.clock.now(),
      ...attributes,
    },
    relationships: {
      organization: { data: { id: 'acme', type: 'organizations' } },
      'policy-sets': { data: sets.map((set) => ({ id: set, type: 'policy-sets' })) },
    },
    links: { self: `${prefix}/policies/${id}`, upload: `${prefix}/policies/${id}/upload` },
  });

  const post = (attributes: object) => admin.post(path, doc('policies', attributes));
  const newPolicy = (attributes: object = {}) => newPolicyIn('acme', attributes);
  const show = async (id: string) => (await admin.get(`/policies/${id}`).expect(200)).body;

  const upload = (id: string, code: string | Buffer, type = 'application/octet-stream', caller = api.admin) =>
    supertest(api.server)
      .put(`${prefix}/policies/${id}/upload`)
      .set('Authorization', `Bearer ${caller.secret}`)
      .set('Content-Type', type)
      .serialize((bytes) => bytes)
      .send(code);

  const newSet = async (attributes: object = {}, ...policies: readonly string[]): Promise<string> => {
    const given = { name: newName('set'), kind: 'opa', ...attributes };
    const body = doc('policy-sets', given, { policies: identifiers(...policies) });
    return (await admin.post('/organizations/acme/policy-sets', body).expect(201)).body.data.id;
  };

  const showSet = async (id: string) => (await admin.get(`/policy-sets/${id}`).expect(200)).body.data;
  const policiesOf = (id: string) => `/policy-sets/${id}/relationships/policies`;

  it('are created with a name and a query', async () => {
    const name = newName();
    const created = await post({ name, kind: 'opa', query }).expect(201);
    const { id } = created.body.data;
    expect(id).toMatch(/^pol-[A-Za-z0-9]{16}$/);
    expect(created.body).toEqual({ data: resource(id, name) });
    expect(await show(id)).toEqual(created.body);
  });

  it('take every attribute, and the enforcement level in either spelling', async () => {
    const name = newName();
    const mode = 'mandatory';
    const soft = 'soft-mandatory';
    const mandatory = { 'enforcement-level': soft, enforce: [{ path: `${name}.sentinel`, mode: soft }] };
    const created = await post({ name, kind: 'sentinel', description: 'Good manners', ...mandatory }).expect(201);
    const shown = { 'enforcement-level': soft, kind: 'sentinel', description: 'Good manners', query: null };
    expect(created.body.data).toEqual(resource(created.body.data.id, name, shown));
    for (const spelled of [
      { enforce: [{ path: 'any.rego', mode }] },
      { enforce: [{ mode }], 'enforcement-level': null },
    ]) {
      const { body } = await post({ name: newName(), kind: 'opa', query, ...spelled }).expect(201);
      expect(body.data.attributes).toMatchObject({ 'enforcement-level': mode });
    }
    const nulls = { description: null, 'enforcement-level': null, enforce: null };
    const given = { name: newName(), kind: 'opa', query, ...nulls };
    expect((await post(given).expect(201)).body.data.attributes).toMatchObject({
      description: '',
      'enforcement-level': 'advisory',
    });
  });

  it('are of kind sentinel for clients and of kind opa in the contract, if the request names none', async () => {
    for (const kind of [undefined, null]) {
      const { body } = await post({ name: newName(), kind }).expect(201);
      expect(body.data.attributes).toMatchObject({ kind: 'sentinel', query: null, 'enforcement-level': 'advisory' });
      const asked = doc('policies', { name: newName(), kind, query });
      const inContract = await admin.at('').post(path, asked).expect(201);
      expect(inContract.body.data.attributes).toMatchObject({ kind: 'opa', query });
    }
  });

  it('of kind sentinel have no query, whatever clients send', async () => {
    const id = await newPolicy({ kind: 'sentinel', query });
    const changed = await admin.patch(`/policies/${id}`, doc('policies', { query, description: 'New' })).expect(200);
    expect(changed.body.data.attributes).toMatchObject({ query: null, description: 'New' });
  });

  it('of kind sentinel have three levels, in either spelling', async () => {
    for (const level of ['advisory', 'soft-mandatory', 'hard-mandatory']) {
      const id = await newPolicy({ kind: 'sentinel', query: undefined });
      for (const spelled of [{ 'enforcement-level': level }, { enforce: [{ path: 'a.sentinel', mode: level }] }]) {
        const { body } = await admin.patch(`/policies/${id}`, doc('policies', spelled)).expect(200);
        expect(body.data.attributes).toMatchObject({ 'enforcement-level': level, enforce: [] });
      }
    }
  });

  it('change in what is named, and never in name and kind', async () => {
    const name = newName();
    const id = await newPolicy({ name, description: 'Old', 'enforcement-level': 'mandatory' });
    const created = api.clock.now();
    api.clock.advance(1);
    const patch = async (attributes: object) =>
      (await admin.patch(`/policies/${id}`, doc('policies', attributes)).expect(200)).body.data;
    const like = (attributes: object) => resource(id, name, { 'created-at': created, ...attributes });
    const same = { description: 'Old', 'enforcement-level': 'mandatory' };
    for (const nothing of [{}, { 'enforcement-level': null, enforce: null }, { name, kind: 'opa' }]) {
      expect(await patch(nothing)).toEqual(like(same));
    }
    expect(await patch({ query: 'data.other.deny' })).toEqual(like({ ...same, query: 'data.other.deny' }));
    expect(await patch({ enforce: [{ path: 'x', mode: 'advisory' }] })).toEqual(
      like({ description: 'Old', query: 'data.other.deny' }),
    );
    expect(await patch({ description: null, 'enforcement-level': 'advisory' })).toEqual(
      like({ query: 'data.other.deny' }),
    );
    for (const [attribute, value] of [
      ['name', 'other'],
      ['kind', 'sentinel'],
    ] as const) {
      const other = await admin.patch(`/policies/${id}`, doc('policies', { [attribute]: value })).expect(422);
      const sentence = `The ${attribute} of a policy cannot change: create another policy`;
      expect(other.body).toEqual(invalid(attribute, sentence));
    }
    const refused = await admin.patch(`/policies/${id}`, doc('policies', { query: null })).expect(422);
    expect(refused.body).toEqual(invalid('query', 'Query is required for policies of kind opa'));
  });

  it('are refused with one error for each thing that is wrong', async () => {
    const refused = async (attributes: object) => faultsIn(await post(attributes).expect(422));
    const everyLevel = 'advisory, mandatory, soft-mandatory, hard-mandatory';
    const of = (attribute: string, detail: string) => [[`/data/attributes/${attribute}`, detail]];
    expect(
      await refused({ kind: 'rego', description: 1, query: '', 'enforcement-level': 'strict', enforce: {} }),
    ).toEqual([
      ['/data/attributes/name', 'Name is required'],
      ['/data/attributes/kind', 'Kind must be one of opa, sentinel'],
      ['/data/attributes/description', 'Description must be a string'],
      ['/data/attributes/query', "Query can't be blank"],
      ['/data/attributes/enforcement-level', `Enforcement level must be one of ${everyLevel}`],
      ['/data/attributes/enforce', 'Enforce must be an array'],
    ]);
    const name = newName();
    const long = { name, kind: 'opa', description: 'x'.repeat(4097), query: 'x'.repeat(4097) };
    expect(await refused(long)).toEqual([
      ['/data/attributes/description', 'Description is too long (the maximum is 4096)'],
      ['/data/attributes/query', 'Query is too long (the maximum is 4096)'],
    ]);
    expect(await refused({ name, kind: 'opa' })).toEqual(of('query', 'Query is required for policies of kind opa'));
    expect(await refused({ name: 'a policy', kind: 'opa', query })).toEqual(
      of('name', 'Name must be 1 to 90 letters, digits, dashes and underscores'),
    );
    const soft = [{ path: 'x', mode: 'soft' }];
    expect(await refused({ name, query, enforce: soft })).toEqual(
      of('enforce/0/mode', `Mode must be one of ${everyLevel}`),
    );
    for (const [kind, level, levels] of [
      ['opa', 'soft-mandatory', 'advisory, mandatory'],
      ['sentinel', 'mandatory', 'advisory, soft-mandatory, hard-mandatory'],
    ] as const) {
      const given = { name, kind, query: kind === 'opa' ? query : null, 'enforcement-level': level };
      const words = `Enforcement level must be one of ${levels} for policies of kind ${kind}`;
      expect(await refused(given)).toEqual(of('enforcement-level', words));
    }
    const entry = { path: 'x', mode: 'advisory' };
    for (const enforce of [[], [entry, entry]]) {
      expect(await refused({ name, query, enforce })).toEqual([['/data/attributes/enforce', expect.any(String)]]);
    }
    expect(await refused({ name, query, 'enforcement-level': 'mandatory', enforce: [entry] })).toEqual(
      of('enforce', 'The two spellings of the enforcement level are one attribute and must have the same value'),
    );
    const wrongType = await admin.post(path, doc('policy-sets', { name, query })).expect(422);
    expect(wrongType.body.errors[0].source).toEqual({ pointer: '/data/type' });
    await newPolicy({ name });
    expect((await post({ name, kind: 'opa', query }).expect(422)).body).toEqual(
      invalid('name', 'Name has already been taken'),
    );
    await newPolicyIn('globex', { name });
  });

  it('are listed by name, page by page, of a kind and by a part of the name', async () => {
    const organization = newName();
    await api.organization(organization);
    const list = `/organizations/${organization}/policies`;
    for (const name of ['Zeta', 'beta', 'Alpha']) await newPolicyIn(organization, { name });
    await newPolicyIn(organization, { name: 'eta', kind: 'sentinel', query: undefined });
    const listed = async (text = '') => {
      const { body } = await admin.get(`${list}${text}`).expect(200);
      const { pagination } = body.meta;
      return { names: namesIn(body), total: pagination['total-count'], links: body.links, first: body.data[0] };
    };
    const whole = await listed();
    expect(whole).toMatchObject({ names: ['Alpha', 'beta', 'eta', 'Zeta'], total: 4 });
    expect(whole.first).toEqual((await show(whole.first.id)).data);
    expect(await listed('?page[size]=3&page[number]=2')).toMatchObject({ names: ['Zeta'], total: 4 });
    const found = await listed('?search[name]=ETA&filter[kind]=opa&page[size]=1');
    expect(found).toMatchObject({ names: ['beta'], total: 2 });
    expect(found.links.next).toBe(
      `${prefix}${list}?search%5Bname%5D=ETA&filter%5Bkind%5D=opa&page%5Bnumber%5D=2&page%5Bsize%5D=1`,
    );
    expect(await listed('?filter[kind]=sentinel&search[name]=')).toMatchObject({ names: ['eta'], total: 1 });
    expect(await listed('?search[name]=%25')).toMatchObject({ names: [], total: 0 });
    const refused = await admin.get(`${list}?filter[kind]=rego`).expect(422);
    expect(refused.body).toEqual(
      refusal(422, 'invalid attribute', 'filter[kind] must be one of opa, sentinel', { parameter: 'filter[kind]' }),
    );
    await admin.get(`${list}?page[size]=0`).expect(422);
  });

  describe('and their code', () => {
    it('is uploaded as text of any type, and comes back byte for byte', async () => {
      const id = await newPolicy();
      const download = `/policies/${id}/download`;
      expect((await admin.get(download).expect(404)).body).toEqual(missing);
      api.clock.advance(1);
      for (const [code, type] of [
        ['package terraform\n', 'application/octet-stream'],
        ['\uFEFFpackage naïve # 🐘\r\n', 'text/plain; charset=utf-8'],
        ['{}', 'application/json'],
        [' ', 'application/x-www-form-urlencoded'],
        ['', 'application/octet-stream'],
        ['x'.repeat(limits.policyCode.max), 'application/vnd.api+json'],
      ] as const) {
        const answer = await upload(id, Buffer.from(code), type).expect(200);
        expect(answer.text).toBe('');
        const read = await admin.get(download).expect(200);
        expect(read.headers['content-type']).toBe('text/plain; charset=utf-8');
        expect(read.headers['content-length']).toBe(String(Buffer.byteLength(code)));
        expect(read.text).toBe(code);
        const head = await admin.send('head', download).expect(200);
        expect(head.headers['content-length']).toBe(String(Buffer.byteLength(code)));
      }
      const { data } = await show(id);
      expect(data.attributes).toMatchObject({
        uploaded: true,
        enforce: [{ path: `${data.attributes.name}.rego`, mode: 'advisory' }],
        'updated-at': api.clock.now(),
      });
      expect(data.links.download).toBe(`${prefix}${download}`);
    });

    it('is refused when it is not text or is too long, and stays unchanged', async () => {
      const id = await newPolicy();
      await upload(id, 'package kept').expect(200);
      const told = (detail: string) => refusal(422, 'invalid attribute', detail);
      for (const code of [Buffer.from([0xff, 0xfe]), Buffer.from('package a\0b'), Buffer.from([0xc3])]) {
        expect((await upload(id, code).expect(422)).body).toEqual(told('Code must be UTF-8 text without NUL'));
      }
      const large = await upload(id, Buffer.alloc(limits.policyCode.max + 1, 'x')).expect(413);
      expect(large.body.errors[0].title).toBe('payload too large');
      expect((await admin.get(`/policies/${id}/download`).expect(200)).text).toBe('package kept');
    });
  });

  describe('in sets', () => {
    it('are attached and detached, each once, and counted with those written into the set', async () => {
      const [one, two] = [await newPolicy(), await newPolicy()].sort() as [string, string];
      const id = await newSet({ policies: [{ name: 'written' }] }, two, two);
      const attached = async () => {
        const { attributes, relationships } = await showSet(id);
        expect(attributes['policy-count']).toBe(relationships.policies.data.length + 1);
        return relationships.policies;
      };
      expect(await attached()).toEqual(identifiers(two));
      const change = async (method: 'post' | 'delete', ...ids: string[]) => {
        expect((await admin.send(method, policiesOf(id), identifiers(...ids)).expect(204)).text).toBe('');
        return attached();
      };
      expect(await change('post', two, one, two)).toEqual(identifiers(one, two));
      expect(await change('post')).toEqual(identifiers(one, two));
      const { data } = await show(one);
      expect(data.relationships['policy-sets'].data).toEqual([{ id, type: 'policy-sets' }]);
      expect(data.attributes['policy-set-count']).toBe(1);
      expect(await change('delete', one, 'pol-nobody')).toEqual(identifiers(two));
      await admin.delete(`/policies/${two}`).expect(204);
      expect(await attached()).toEqual(identifiers());
      await change('post', one);
      await admin.delete(`/policy-sets/${id}`).expect(204);
      expect((await show(one)).data.relationships['policy-sets'].data).toEqual([]);
    });

    it('are of one organization and one kind, and differ in their names', async () => {
      const name = newName();
      const own = await newPolicy({ name });
      const sentinel = await newPolicy({ kind: 'sentinel', query: undefined });
      const twin = newName();
      const id = await newSet({ policies: [{ name: twin }] }, own);
      const stranger = 'Policies must belong to the organization';
      const kinds = 'A policy set and its policies must be of the same kind';
      const names = 'Policies must have different names';
      const named = await newPolicy({ name: twin });
      for (const [policy, words] of [
        [foreign, stranger],
        ['pol-nobody', stranger],
        [sentinel, kinds],
        [named, names],
      ] as const) {
        const told = (pointer: string) => refusal(422, 'invalid attribute', words, { pointer });
        const body = identifiers(own, policy);
        expect((await admin.post(policiesOf(id), body).expect(422)).body).toEqual(told('/data'));
        const made = doc(
          'policy-sets',
          { name: newName(), kind: 'opa', policies: [{ name: twin }] },
          { policies: body },
        );
        const created = await admin.post('/organizations/acme/policy-sets', made).expect(422);
        expect(created.body).toEqual(told('/data/relationships/policies'));
      }
      const patch = (attributes: object) => admin.patch(`/policy-sets/${id}`, doc('policy-sets', attributes));
      expect((await patch({ kind: 'sentinel' }).expect(422)).body).toEqual(invalid('kind', kinds));
      expect((await patch({ policies: [{ name }] }).expect(422)).body).toEqual(invalid('policies', names));
      const many = Array.from({ length: 1000 }, (_, index) => ({ name: `policy ${index}` }));
      expect((await patch({ policies: many }).expect(422)).body).toEqual(
        invalid('policies', 'A policy set can have at most 1000 policies'),
      );
      await patch({ policies: many.slice(1), kind: 'opa' }).expect(200);
      expect((await showSet(id)).relationships.policies).toEqual(identifiers(own));
    });

    it('are named in a list of identifiers', async () => {
      const id = await newSet();
      for (const method of ['post', 'delete'] as const) {
        const pointerOf = async (body?: object) =>
          (await admin.send(method, policiesOf(id), body).expect(422)).body.errors[0].source.pointer;
        expect(await pointerOf()).toBe('/data');
        expect(await pointerOf({ data: [{ type: 'policies' }] })).toBe('/data/0/id');
        expect(await pointerOf({ data: [{ id: 'ws-1', type: 'workspaces' }] })).toBe('/data/0/type');
      }
    });
  });

  it('judge runs by the code there was when they were queued', async () => {
    const bench = await Bench.make(api);
    const [policy, never] = [await newPolicyIn(bench.organization), await newPolicyIn(bench.organization)];
    const relationships = { policies: identifiers(policy, never) };
    const attributes = { name: 'all', kind: 'opa', global: true, policies: [{ name: 'written' }] };
    const set = doc('policy-sets', attributes, relationships);
    await admin.post(`/organizations/${bench.organization}/policy-sets`, set).expect(201);
    const old = 'package terraform # old naïve';
    await upload(policy, old).expect(200);
    await bench.version();
    const first = await bench.run({ 'plan-only': true });
    api.clock.advance(1);
    await upload(policy, 'package terraform # new').expect(200);
    await admin.patch(`/policies/${policy}`, doc('policies', { query: 'data.new.deny' })).expect(200);
    const second = await bench.run({ 'plan-only': true });
    api.clock.advance(1);
    await admin.delete(`/policies/${policy}`).expect(204);
    const third = await bench.run({ 'plan-only': true });

    const judged = async (runId: string) => {
      const job = await bench.claimed(runId);
      const [evaluation] = job.json['policy-evaluations'];
      const policies = evaluation['policy-sets'].flatMap((one: { policies: unknown[] }) => one.policies);
      return { job, lease: { Lease: job.json.lease.token }, policies };
    };
    const codeIn = (runId: string, code: string) => {
      const sha256 = sha256Of(code);
      return { sha256, url: `/agent/v1/runs/${runId}/policies/${sha256}` };
    };
    const level = { 'enforcement-level': 'advisory' };
    const ofFirst = await judged(first);
    const names = (policies: readonly { readonly name: string }[]) => policies.map(({ name }) => name);
    expect(names(ofFirst.policies)[0]).toBe('written');
    expect(ofFirst.policies).toEqual([
      { name: 'written', query: null, ...level, code: null },
      { name: expect.any(String), query, ...level, code: codeIn(first, old) },
      { name: expect.any(String), query, ...level, code: null },
    ]);
    const said = await bench.agent.send('get', codeIn(first, old).url, ofFirst.lease);
    expect({ status: said.status, text: said.bytes.toString() }).toEqual({ status: 200, text: old });
    const absent = refusal(404, 'not found', 'no policy of the run has this code');
    for (const other of [sha256Of('package terraform # new'), 'nonsense']) {
      const refused = await bench.agent.json('get', `/agent/v1/runs/${first}/policies/${other}`, ofFirst.lease);
      expect(refused).toEqual({ status: 404, json: absent });
    }
    expect((await bench.agent.json('get', codeIn(first, old).url, {})).status).toBe(409);
    await ofFirst.job.planned();
    await ofFirst.job.judgeAll(() => 'passed');
    expect((await bench.agent.json('get', codeIn(first, old).url, ofFirst.lease)).status).toBe(409);

    const ofSecond = await judged(second);
    expect(ofSecond.policies[1]).toMatchObject({
      query: 'data.new.deny',
      code: codeIn(second, 'package terraform # new'),
    });
    const changed = await bench.agent.send('get', codeIn(second, 'package terraform # new').url, ofSecond.lease);
    expect(changed.bytes.toString()).toBe('package terraform # new');
    await ofSecond.job.planned();
    await ofSecond.job.judgeAll(() => 'passed');
    expect((await judged(third)).policies).toHaveLength(2);
  });

  it('are removed, and then missing', async () => {
    const id = await newPolicy();
    await upload(id, 'package gone').expect(200);
    expect((await admin.delete(`/policies/${id}`).expect(204)).text).toBe('');
    for (const gone of [id, 'pol-nobody']) {
      for (const answer of [
        await admin.get(`/policies/${gone}`),
        await admin.patch(`/policies/${gone}`, doc('policies')),
        await admin.delete(`/policies/${gone}`),
        await admin.get(`/policies/${gone}/download`),
        await upload(gone, 'package again'),
      ]) {
        expect({ status: answer.status, body: answer.body }).toEqual({ status: 404, body: missing });
      }
    }
  });
});
