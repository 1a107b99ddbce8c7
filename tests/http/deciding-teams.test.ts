import { describe, expect, it } from '@jest/globals';
import { type Caller, missing, newName, prefix, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi();

const visible = { visibility: 'organization' };

async function world() {
  const bench = await Bench.make(api);
  await bench.version();
  const team = (name: string, attributes: object = visible) => api.team(bench.organization, name, attributes);
  const overriding = { 'manage-policy-overrides': true };
  const [planners, appliers, hidden] = [await team('planners'), await team('appliers'), await team('hidden', {})];
  await team('overriders', { ...visible, 'organization-access': overriding });
  await api.grant(planners, bench.workspaceId, { access: 'plan' });
  await api.grant(appliers, bench.workspaceId, { access: 'write' });
  await api.grant(hidden, bench.workspaceId, { access: 'write' });
  const [reader, insider] = [
    await api.member(bench.organization, newName('member'), [planners]),
    await api.member(bench.organization, newName('member'), [hidden]),
  ];
  return { bench, reader, insider };
}

const namesFor = async (caller: Caller, runId: string): Promise<readonly string[]> =>
  (await caller.get(`/runs/${runId}/deciding-teams`).expect(200)).body.data.map(
    ({ attributes }: { readonly attributes: { readonly name: string } }) => attributes.name,
  );

describe('the teams that may decide on a run', () => {
  it('are shown to everyone who may read the run, without secret teams of others', async () => {
    const { bench, reader, insider } = await world();
    const run = await bench.run();
    expect(await namesFor(reader, run)).toEqual([]);
    await bench.planned(run);
    expect(await namesFor(reader, run)).toEqual(['appliers']);
    expect(await namesFor(insider, run)).toEqual(['appliers', 'hidden']);
    expect(await namesFor(api.admin, run)).toEqual(['appliers', 'hidden', 'owners']);
    const { body } = await insider.get(`/runs/${run}/deciding-teams?page[size]=1`).expect(200);
    const [{ id }] = body.data;
    expect(body.data).toEqual([
      {
        id,
        type: 'deciding-teams',
        attributes: { name: 'appliers' },
        relationships: { team: { data: { id, type: 'teams' }, links: { related: `/teams/${id}` } } },
      },
    ]);
    expect(body.meta.pagination['total-count']).toBe(2);
    const atClients = await insider.at(prefix).get(`/runs/${run}/deciding-teams`).expect(200);
    expect(atClients.body.data[0].relationships.team.links.related).toBe(`${prefix}/teams/${id}`);
    const stranger = await bench.member();
    expect((await stranger.get(`/runs/${run}/deciding-teams`).expect(404)).body).toEqual(missing);
    await bench.act(run, 'discard');
    expect(await namesFor(reader, run)).toEqual([]);
  });

  it('are those that may override its policies, while it waits for that', async () => {
    const { bench, reader } = await world();
    await bench.policySet({
      overridable: true,
      policies: [{ name: 'tags', query: 'data.tags.deny', 'enforcement-level': 'mandatory' }],
    });
    const run = await bench.run();
    await bench.planned(run, 'failed');
    expect(await bench.statusOf(run)).toBe('post_plan_awaiting_decision');
    expect(await namesFor(reader, run)).toEqual(['overriders']);
  });
});
