import { afterEach, describe, expect, it } from '@jest/globals';
import { defaultTimeouts } from '../../src/adapters/http/server/timeouts.js';
import { type Follower, maxFollowers } from '../../src/application/index.js';
import { type Caller, doc, newName, prefix, startApi, type TestApi } from '../support/api.js';
import { Bench } from '../support/bench.js';
import { giveGrant } from '../support/builders.js';
import { ChangeStream } from '../support/change-stream.js';
import { until } from '../support/service-steps.js';

const endless = { heartbeat: 600_000, longest: 600_000, betweenEvents: 0, betweenLists: 0 };
const waiting = (times: Partial<typeof endless> = {}) =>
  startApi({ prefix, timeouts: { ...defaultTimeouts, stream: { ...endless, ...times } } });
const api = await waiting();

const streams: ChangeStream[] = [];

afterEach(() => {
  for (const stream of streams.splice(0)) stream.close();
});

const follow = async (path: string, caller: Pick<Caller, 'secret'> = api.admin, of: TestApi = api) => {
  const stream = await ChangeStream.open(of.server, caller, path);
  streams.push(stream);
  return stream;
};

const lock = (workspaceId: string) => api.admin.post(`/workspaces/${workspaceId}/actions/lock`).expect(200);

describe('the stream of a workspace', () => {
  it('is one of server-sent events, which proxies must not hold back', async () => {
    const { workspaceId } = await Bench.make(api);
    const { answer } = await follow(`/workspaces/${workspaceId}/changes`);
    expect([answer.statusCode, answer.headers]).toEqual([
      200,
      expect.objectContaining({
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      }),
    ]);
  });

  it('reports the changes of the workspace, by users and by agents, and none of others', async () => {
    const bench = await Bench.make(api);
    const other = await Bench.make(api);
    /** The first event after a change; the stream is opened for it. */
    const firstAfter = async <Result>(change: () => Promise<Result>) => {
      const stream = await follow(`/workspaces/${bench.workspaceId}/changes`);
      const result = await change();
      return [await stream.next(), result] as const;
    };
    const changed = ['workspace', { id: bench.workspaceId }];
    const reported = async <Result>(change: () => Promise<Result>): Promise<Result> => {
      const [event, result] = await firstAfter(change);
      expect(event).toEqual(changed);
      return result;
    };

    await reported(async () => {
      await lock(other.workspaceId);
      await lock(bench.workspaceId);
    });
    await reported(() => api.admin.post(`/workspaces/${bench.workspaceId}/actions/unlock`).expect(200));
    await reported(() => bench.version());
    const id = await reported(() => bench.run());
    const job = await reported(() => bench.claimed(id));
    const [log] = await firstAfter(() => job.log(0, 'Planning…'));
    expect(log).toEqual(['log', { id: bench.workspaceId }]);
    await reported(() => job.planned());
    await reported(() => bench.act(id, 'discard'));
  });

  it('coalesces what happens while a client waits', async () => {
    const slow = await waiting({ betweenEvents: 600_000 });
    const { workspaceId } = await Bench.make(slow);
    const stream = await follow(`/workspaces/${workspaceId}/changes`, slow.admin, slow);
    await slow.admin.post(`/workspaces/${workspaceId}/actions/lock`).expect(200);
    expect(await stream.next()).toEqual(['workspace', { id: workspaceId }]);
    await slow.admin.post(`/workspaces/${workspaceId}/actions/unlock`).expect(200);
    await slow.admin.post(`/workspaces/${workspaceId}/actions/lock`).expect(200);
    slow.stopping.abort();
    expect(await stream.next()).toBeUndefined();
  });

  it('reports that anything may have changed where changes were missed', async () => {
    const bench = await Bench.make(api);
    const ofWorkspace = await follow(`/workspaces/${bench.workspaceId}/changes`);
    const ofOrganization = await follow(`/organizations/${bench.organization}/changes`);
    api.useCases.changeFeed.announce(undefined);
    expect(await ofWorkspace.next()).toEqual(['all', {}]);
    expect(await ofOrganization.next()).toEqual(['all', {}]);
  });
});

describe('the stream of an organization', () => {
  it('names the changed workspaces that the caller can read', async () => {
    const bench = await Bench.make(api);
    const member = await bench.member('read');
    const hidden = await api.workspace(bench.organization, newName('workspace'));
    const [ofOwner, ofMember] = [
      await follow(`/organizations/${bench.organization}/changes`),
      await follow(`/organizations/${bench.organization}/changes`, member),
    ];
    await lock(hidden);
    expect(await ofOwner.next()).toEqual(['workspace', { id: hidden }]);
    await lock(bench.workspaceId);
    expect(await ofOwner.next()).toEqual(['workspace', { id: bench.workspaceId }]);
    expect(await ofMember.next()).toEqual(['workspace', { id: bench.workspaceId }]);
    expect(ofMember.text).not.toContain(hidden);
  });

  it('names workspaces that are created later, and no growing log', async () => {
    const bench = await Bench.make(api);
    await bench.version();
    const job = await bench.claimed(await bench.run());
    const stream = await follow(`/organizations/${bench.organization}/changes`);
    await job.log(0, 'Planning…');
    const id = await api.workspace(bench.organization, newName('workspace'));
    expect(await stream.next()).toEqual(['workspace', { id }]);
  });

  it('reports nothing of another organization', async () => {
    const [own, other] = [await Bench.make(api), await Bench.make(api)];
    const stream = await follow(`/organizations/${own.organization}/changes`);
    await lock(other.workspaceId);
    await lock(own.workspaceId);
    expect(await stream.next()).toEqual(['workspace', { id: own.workspaceId }]);
  });

  it('counts many workspaces at once as all', async () => {
    const { organization } = await Bench.make(api);
    const ids = await Promise.all(Array.from({ length: 51 }, () => api.workspace(organization, newName('workspace'))));
    const stream = await follow(`/organizations/${organization}/changes`);
    api.useCases.changeFeed.announce(new Map(ids.map((id) => [id, 'records'])));
    expect(await stream.next()).toEqual(['all', {}]);
  });
});

describe('a stream ends without naming anything', () => {
  it('once its token is revoked', async () => {
    const bench = await Bench.make(api);
    const member = await bench.member('read');
    const token = await member.post(`/users/${member.id}/authentication-tokens`, doc('authentication-tokens'));
    const { id, attributes } = token.body.data;
    const stream = await follow(`/workspaces/${bench.workspaceId}/changes`, api.as(attributes.token));
    await member.delete(`/authentication-tokens/${id}`).expect(204);
    await lock(bench.workspaceId);
    expect(await stream.next()).toBeUndefined();
  });

  it('once the caller may not read the workspace', async () => {
    const bench = await Bench.make(api);
    const team = await api.team(bench.organization, newName('team'));
    await api.unitOfWork.run((tx) => giveGrant(tx, team, bench.workspaceId, { access: 'read' }));
    const member = await api.member(bench.organization, newName('member'), [team]);
    const stream = await follow(`/workspaces/${bench.workspaceId}/changes`, member);
    await api.admin.delete(`/teams/${team}`).expect(204);
    await lock(bench.workspaceId);
    expect(await stream.next()).toBeUndefined();
  });

  it('once the organization is another one', async () => {
    const bench = await Bench.make(api);
    const stream = await follow(`/organizations/${bench.organization}/changes`);
    const renamed = doc('organizations', { name: newName('org') });
    await api.admin.patch(`/organizations/${bench.organization}`, renamed).expect(200);
    await api.organization(bench.organization);
    await lock(bench.workspaceId);
    expect(await stream.next()).toBeUndefined();
  });

  it('when its time is over, and when the service stops', async () => {
    const short = await waiting({ longest: 1 });
    const { workspaceId } = await Bench.make(short);
    expect(await (await follow(`/workspaces/${workspaceId}/changes`, short.admin, short)).next()).toBeUndefined();
    const stopped = await waiting();
    const bench = await Bench.make(stopped);
    const stream = await follow(`/workspaces/${bench.workspaceId}/changes`, stopped.admin, stopped);
    stopped.stopping.abort();
    expect(await stream.next()).toBeUndefined();
    expect(stopped.useCases.changeFeed.followers).toBe(0);
  });
});

describe('open streams', () => {
  const gauge = async (): Promise<string | undefined> =>
    /^gatehouse_change_streams_open (\d+)$/m.exec((await api.anonymous.at('').get('/metrics')).text)?.[1];

  it('show signs of life', async () => {
    const lively = await waiting({ heartbeat: 1 });
    const { workspaceId } = await Bench.make(lively);
    const stream = await follow(`/workspaces/${workspaceId}/changes`, lively.admin, lively);
    await stream.came(':\n\n:\n\n:\n\n');
  });

  it('are counted until the client leaves', async () => {
    const { workspaceId, organization } = await Bench.make(api);
    await until('earlier ones are gone', async () => api.useCases.changeFeed.followers === 0);
    const ofWorkspace = await follow(`/workspaces/${workspaceId}/changes`);
    const ofOrganization = await follow(`/organizations/${organization}/changes`);
    expect(await gauge()).toBe('2');
    ofWorkspace.close();
    ofOrganization.close();
    await until('both are gone', async () => (await gauge()) === '0');
  });

  it('are not opened by HEAD', async () => {
    const { workspaceId } = await Bench.make(api);
    await until('earlier ones are gone', async () => api.useCases.changeFeed.followers === 0);
    await api.admin.send('head', `/workspaces/${workspaceId}/changes`).expect(200);
    await until('it is gone', async () => api.useCases.changeFeed.followers === 0);
  });

  const userFollower = (id: string): Follower => ({ caller: { kind: 'user', id }, maker: { kind: 'user', id } });
  const opened = (count: number, follower: Follower, organizationId: string) =>
    Array.from({ length: count }, () => api.useCases.changeFeed.follow(follower, { organizationId }, () => {}));
  /** Each by another person, and of another organization. */
  const openedByOthers = (count: number) =>
    Array.from({ length: count }, (_, n) => opened(1, userFollower(`user-${n}`), `org-${n}`)).flat();

  it('are limited by caller and in all', async () => {
    const bench = await Bench.make(api);
    const path = `/workspaces/${bench.workspaceId}/changes`;
    const { changeFeed } = api.useCases;
    await until('earlier ones are gone', async () => changeFeed.followers === 0);
    const own = opened(maxFollowers.ofCaller, userFollower(api.admin.id), bench.organization);
    const tooMany = await api.admin.get(path).expect(429);
    expect(tooMany.headers['retry-after']).toBe('2');
    expect(tooMany.body.errors[0].detail).toBe(
      'at most 100 streams of changes may be open at the same time; close one of them',
    );
    own.pop()?.();
    await follow(path);
    for (const end of own) end();
    const all = openedByOthers(maxFollowers.inAll - changeFeed.followers);
    const full = await (await bench.member('read')).get(path).expect(503);
    expect(full.body.errors[0].detail).toBe('too many streams of changes are open; try again later');
    for (const end of all) end();
  });

  describe('of an instance that is half full', () => {
    const { half, ofMaker, ofOrganization } = maxFollowers;
    const busy = `while ${half} or more streams of changes are open here, at most`;

    it('are limited for each person, over all tokens that they issued', async () => {
      const bench = await Bench.make(api);
      const path = `/workspaces/${bench.workspaceId}/changes`;
      await until('earlier ones are gone', async () => api.useCases.changeFeed.followers === 0);
      const issued = async (by: Caller, team: string) =>
        api.as((await by.post(`/teams/${team}/authentication-token`).expect(201)).body.data.attributes.token);
      const teams = [1, 2].map(() => api.team(bench.organization, newName('team'), { visibility: 'organization' }));
      const [first = '', second = ''] = await Promise.all(teams);
      for (const teamId of [first, second]) {
        await api.unitOfWork.run((tx) => giveGrant(tx, teamId, bench.workspaceId, { access: 'read' }));
      }
      const byOrganization = await api.organizationToken(bench.organization);
      const theirs = [api.admin, byOrganization, await issued(api.admin, first), await issued(byOrganization, second)];
      const another = await bench.member('read');

      const made = { caller: { kind: 'team', id: 'team-any' }, maker: { kind: 'user', id: api.admin.id } } as const;
      const ends = [...opened(ofMaker, made, 'org-any'), ...openedByOthers(half - ofMaker - 1)];
      for (const one of theirs) (await follow(path, one)).close();
      await until('these are gone', async () => api.useCases.changeFeed.followers === half - 1);
      ends.push(...openedByOthers(1));
      for (const one of theirs) {
        expect((await one.get(path).expect(429)).body.errors[0].detail).toBe(
          `${busy} ${ofMaker} of them may use tokens that the same person issued; close one of them`,
        );
      }
      await follow(path, another);
      ends.shift()?.();
      for (const one of theirs) {
        await until('there is room', async () => api.useCases.changeFeed.followers === half);
        (await follow(path, one)).close();
      }
      for (const end of ends) end();
    });

    it('are limited for each organization', async () => {
      const [bench, other] = [await Bench.make(api), await Bench.make(api)];
      await until('earlier ones are gone', async () => api.useCases.changeFeed.followers === 0);
      const paths = [`/workspaces/${bench.workspaceId}/changes`, `/organizations/${bench.organization}/changes`];
      const member = await bench.member('read');
      const shown = await api.admin.get(`/organizations/${bench.organization}`).expect(200);
      const organizationId = shown.body.data.attributes['external-id'];
      const inIt = Array.from({ length: ofOrganization }, (_, n) =>
        opened(1, userFollower(`user-${n}`), organizationId),
      );
      const ends = [...inIt.flat(), ...openedByOthers(half - ofOrganization - 1)];
      (await follow(paths[0] ?? '', member)).close();
      await until('it is gone', async () => api.useCases.changeFeed.followers === half - 1);
      ends.push(...openedByOthers(1));
      for (const path of paths) {
        expect((await member.get(path).expect(429)).body.errors[0].detail).toBe(
          `${busy} ${ofOrganization} of them may be those of one organization; close one of them, or try again later`,
        );
      }
      await follow(`/workspaces/${other.workspaceId}/changes`, await other.member('read'));
      ends.shift()?.();
      await follow(paths[1] ?? '', member);
      for (const end of ends) end();
    });
  });
});
