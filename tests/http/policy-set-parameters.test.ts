import { describe, expect, it } from '@jest/globals';
import { doc, invalid, missing, newName, prefix, refusal, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;
await api.organization('acme');

const newSet = async (attributes: object = {}, organization = 'acme'): Promise<string> => {
  const body = doc('policy-sets', { name: newName('set'), kind: 'opa', ...attributes });
  return (await admin.post(`/organizations/${organization}/policy-sets`, body).expect(201)).body.data.id;
};

const setId = await newSet();
const path = `/policy-sets/${setId}/parameters`;

const post = (attributes: object, at = path) => admin.post(at, doc('vars', { category: 'policy-set', ...attributes }));

const newParameter = async (attributes: object = {}, at = path): Promise<string> =>
  (await post({ key: newName('key'), value: 'x', ...attributes }, at).expect(201)).body.data.id;

const patch = (id: string, attributes: object) => admin.patch(`${path}/${id}`, doc('vars', attributes));

describe('the parameters of a policy set', () => {
  it('are created, shown and listed', async () => {
    const own = await newSet();
    const { data } = (await post({ key: 'b', value: '1' }, `/policy-sets/${own}/parameters`).expect(201)).body;
    const resource = {
      id: expect.stringMatching(/^var-[1-9A-HJ-NP-Za-km-z]{16}$/),
      type: 'vars',
      attributes: {
        key: 'b',
        value: '1',
        sensitive: false,
        category: 'policy-set',
        hcl: false,
        'created-at': api.clock.now(),
        'version-id': '0',
      },
      relationships: {
        configurable: {
          data: { id: own, type: 'policy-sets' },
          links: { related: `${prefix}/policy-sets/${own}` },
        },
      },
      links: { self: `${prefix}/policy-sets/${own}/parameters/${data.id}` },
    };
    expect(data).toEqual(resource);
    const shown = await admin.get(`/policy-sets/${own}/parameters/${data.id}`).expect(200);
    expect(shown.body).toEqual({ data: resource });
    const first = await newParameter({ key: 'a' }, `/policy-sets/${own}/parameters`);
    const listed = (await admin.get(`/policy-sets/${own}/parameters`).expect(200)).body;
    expect(listed.data.map(({ id }: { id: string }) => id)).toEqual([first, data.id]);
  });

  it('change in what is named, and go', async () => {
    const id = await newParameter({ key: newName('key') });
    const changed = await patch(id, { value: 'y', category: 'policy-set' }).expect(200);
    expect(changed.body.data.attributes).toMatchObject({ value: 'y', 'version-id': '1' });
    await admin.delete(`${path}/${id}`).expect(204);
    expect((await admin.get(`${path}/${id}`).expect(404)).body).toEqual(missing);
    expect((await admin.delete(`${path}/${id}`).expect(404)).body).toEqual(missing);
    expect((await patch(id, { value: 'y' }).expect(404)).body).toEqual(missing);
  });

  it('keep a sensitive value to themselves, and stay sensitive', async () => {
    const id = await newParameter({ value: 'a-hidden-value', sensitive: true });
    const shown = await admin.get(`${path}/${id}`).expect(200);
    expect(shown.body.data.attributes).toMatchObject({ value: null, sensitive: true });
    const refused = await patch(id, { sensitive: false }).expect(422);
    expect(refused.body.errors[0].detail).toBe(
      'Sensitive cannot be changed to false. Delete the parameter and create it again',
    );
    expect(await api.stored()).not.toContain('a-hidden-value');
  });

  it('refuse what is malformed, and a key that is taken', async () => {
    const key = newName('key');
    await newParameter({ key });
    expect((await post({ key }).expect(422)).body).toEqual(
      refusal(422, 'invalid attribute', 'Key has already been taken', { pointer: '/data/attributes/key' }),
    );
    expect((await post({ key: 'a\nb' }).expect(422)).body).toEqual(
      invalid('key', 'Key must not contain line breaks or control characters'),
    );
    await post({ key: 'n', category: 'terraform' }).expect(422);
    const full = await newSet();
    const at = `/policy-sets/${full}/parameters`;
    for (let n = 0; n < 100; n += 1) await newParameter({ key: `key-${n}` }, at);
    const refused = await post({ key: 'one-more' }, at).expect(422);
    expect(refused.body.errors[0].detail).toBe('A policy set can have at most 100 parameters');
  });

  it('are missing for those who may not manage policies, and in another set', async () => {
    const id = await newParameter();
    const member = await api.member('acme', newName('member'));
    await member.get(path).expect(404);
    await member.get(`${path}/${id}`).expect(404);
    await member.post(path, doc('vars', { key: 'a', category: 'policy-set' })).expect(404);
    expect((await admin.get(`/policy-sets/${await newSet()}/parameters/${id}`).expect(404)).body).toEqual(missing);
  });

  it('reach the agent that evaluates the set, in clear text, and no apply', async () => {
    const bench = await Bench.make(api);
    const own = await newSet({ global: true, policies: [{ name: 'a', query: 'data.a' }] }, bench.organization);
    const at = `/policy-sets/${own}/parameters`;
    await newParameter({ key: 'limit', value: '10' }, at);
    await newParameter({ key: 'key', value: 'secret', sensitive: true }, at);
    await bench.version();
    const runId = await bench.run({ 'auto-apply': true });
    const job = await bench.claimed(runId);
    expect(job.json['policy-evaluations'][0]['policy-sets'][0].parameters).toEqual([
      { key: 'key', value: 'secret', sensitive: true },
      { key: 'limit', value: '10', sensitive: false },
    ]);
  });
});
