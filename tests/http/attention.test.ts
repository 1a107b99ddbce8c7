import { describe, expect, it } from '@jest/globals';
import { later } from '../../src/domain/index.js';
import { type Caller, doc, missing, newName, prefix, startApi } from '../support/api.js';
import { Bench } from '../support/bench.js';

const api = await startApi({ prefix });
const { admin } = api;

const attention = async (bench: Bench, caller: Caller = admin) =>
  (await caller.get(`/organizations/${bench.organization}/attention`).expect(200)).body.data.attributes;

const idsIn = ({ items }: { readonly items: readonly { readonly id: string }[] }) => items.map(({ id }) => id);

const nothing = { 'total-count': 0, complete: true, items: [] };

describe('what waits in an organization', () => {
  it('is nothing at first', async () => {
    const bench = await Bench.make(api);
    const { body } = await admin.get(`/organizations/${bench.organization}/attention`).expect(200);
    expect(body).toEqual({
      data: {
        id: bench.organization,
        type: 'attention',
        attributes: { decisions: nothing, failures: nothing, 'without-agent': nothing, tokens: nothing },
      },
    });
  });

  it('is a run that waits for a confirmation, for those who may apply it', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const [run, since] = [await bench.run({ message: 'Grow' }), later(api.clock.now(), 5)];
    const createdAt = api.clock.now();
    api.clock.advance(5);
    await bench.planned(run);
    const { data } = (await admin.get(`/workspaces/${bench.workspaceId}`).expect(200)).body;
    expect((await attention(bench)).decisions).toEqual({
      'total-count': 1,
      complete: true,
      items: [
        {
          id: run,
          'workspace-id': bench.workspaceId,
          'workspace-name': data.attributes.name,
          message: 'Grow',
          status: 'planned',
          since,
          'created-at': createdAt,
          'created-by': 'admin',
          'is-destroy': false,
          'can-apply': true,
          decision: 'confirm',
          'resource-additions': 1,
          'resource-changes': 0,
          'resource-destructions': 0,
          'resource-imports': 0,
          'failed-policy': null,
          'failed-policies': 0,
        },
      ],
    });
    for (const [level, listed] of [
      ['write', [run]],
      ['plan', []],
      [undefined, []],
    ] as const) {
      expect(idsIn((await attention(bench, await bench.member(level))).decisions)).toEqual(listed);
    }
    await bench.act(run, 'discard');
    expect((await attention(bench)).decisions).toEqual(nothing);
  });

  it('is a run whose policies failed, for those who may override them, whether or not they may apply', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    await bench.policySet({ overridable: true, policies: [{ name: 'tags', 'enforcement-level': 'mandatory' }] });
    const run = await bench.run();
    await bench.planned(run, 'failed');
    const overriding = await bench.member('read', { 'organization-access': { 'manage-policy-overrides': true } });
    const applying = await bench.member('write');
    const [shown] = (await attention(bench)).decisions.items;
    expect(shown).toMatchObject({ id: run, decision: 'override', status: 'post_plan_awaiting_decision' });
    expect(shown).toMatchObject({ 'failed-policy': 'tags', 'failed-policies': 1 });
    expect((await attention(bench, overriding)).decisions.items).toEqual([{ ...shown, 'can-apply': false }]);
    expect((await attention(bench, applying)).decisions).toEqual(nothing);
  });

  it('is the last run of a workspace that failed, for those who may read it', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const run = await bench.run();
    await (await bench.claimed(run)).report('plan', { status: 'errored', message: 'it broke' });
    expect((await attention(bench)).failures.items).toEqual([
      expect.objectContaining({ id: run, status: 'errored', 'error-message': 'it broke' }),
    ]);
    expect(idsIn((await attention(bench, await bench.member('read'))).failures)).toEqual([run]);
    expect((await attention(bench, await bench.member())).failures).toEqual(nothing);
    await bench.applied(await bench.run());
    expect((await attention(bench)).failures).toEqual(nothing);
  });

  it('is a run that waits for an agent, once none was in contact for three minutes', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const run = await bench.run();
    expect(idsIn((await attention(bench))['without-agent'])).toEqual([run]);
    expect((await attention(bench))['without-agent'].items[0]).toMatchObject({ 'agent-pool-id': bench.poolId });
    expect(idsIn((await attention(bench, await bench.member('read')))['without-agent'])).toEqual([run]);
    expect((await attention(bench, await bench.member()))['without-agent']).toEqual(nothing);
    await bench.agent.claim();
    await bench.act(run, 'cancel');
    const [next] = [await bench.run(), await api.flushTokenUses()];
    expect((await attention(bench))['without-agent']).toEqual(nothing);
    api.clock.advance(181);
    expect(idsIn((await attention(bench))['without-agent'])).toEqual([next]);
  });

  it('is a token that ends within 14 days, for those who manage it', async () => {
    const bench = await Bench.make(api);
    const path = `/organizations/${bench.organization}`;
    const inDays = (days: number) =>
      doc('authentication-token', { 'expired-at': later(api.clock.now(), days * 86_400) });
    const [soon, late] = [
      await api.team(bench.organization, newName('team')),
      await api.team(bench.organization, newName()),
    ];
    const { body } = await admin.post(`/teams/${soon}/authentication-token`, inDays(13)).expect(201);
    await admin.post(`/teams/${late}/authentication-token`, inDays(15)).expect(201);
    const ofAll = await admin.post(`${path}/authentication-token`, inDays(2)).expect(201);
    const { tokens } = await attention(bench);
    expect(tokens.items).toEqual([
      expect.objectContaining({ id: ofAll.body.data.id, kind: 'organization', 'team-name': null }),
      expect.objectContaining({ id: body.data.id, kind: 'team', 'owner-id': soon }),
    ]);
    expect((await attention(bench, await bench.member('admin'))).tokens).toEqual(nothing);
  });

  it('is hidden from those who do not belong to it', async () => {
    const bench = await Bench.make(api);
    const stranger = await api.user(newName('stranger'));
    const { body } = await stranger.get(`/organizations/${bench.organization}/attention`).expect(404);
    expect(body).toEqual(missing);
  });

  it('is listed for each organization of the caller', async () => {
    const [first, second] = [await Bench.make(api), await Bench.make(api)];
    await second.version();
    const run = await second.run();
    await second.planned(run);
    const team = await api.team(second.organization, newName('team'));
    const member = await api.member(second.organization, newName('member'), [team]);
    await api.grant(team, second.workspaceId, { access: 'write' });
    const found = await member.get('/attention').expect(200);
    expect(idsIn({ items: found.body.data })).toEqual([second.organization]);
    expect(idsIn(found.body.data[0].attributes.decisions)).toEqual([run]);
    const all = await admin.get('/attention').expect(200);
    expect(idsIn({ items: all.body.data })).toEqual(expect.arrayContaining([first.organization, second.organization]));
    await admin.get('/attention?page[size]=21').expect(422);
  });
});
