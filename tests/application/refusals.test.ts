import { beforeEach, describe, expect, it } from '@jest/globals';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { type Refusal, Refusals } from '../../src/application/index.js';
import type { AuditEvent } from '../../src/domain/index.js';
import { unknownActor } from '../../src/domain/supporting/audit/audit-event.js';
import { anOrganization, aTeam } from '../support/builders.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

const request = { id: 'request-1', address: '192.0.2.1', route: 'DELETE /teams/:id' };

const refused = (given: Partial<Refusal> = {}): Refusal => ({
  actor: { kind: 'user', id: 'user-1', tokenId: 'at-1' },
  action: 'teams/delete',
  subject: 'team-1',
  about: undefined,
  outcome: 'resource/not-found',
  request,
  ...given,
});

const someUser = (number: number): Refusal['actor'] => ({
  kind: 'user',
  id: `user-${number}`,
  tokenId: `at-${number}`,
});

const unknown = (address: string): Refusal =>
  refused({
    actor: unknownActor,
    action: 'requests/authenticate',
    subject: null,
    outcome: 'actor/unauthenticated',
    request: { ...request, address },
  });

describe('refusals', () => {
  let clock: FixedClock;
  let unitOfWork: RowsInMemory;
  let refusals: Refusals;

  beforeEach(() => {
    clock = new FixedClock();
    unitOfWork = new RowsInMemory();
    refusals = new Refusals(unitOfWork, clock);
  });

  const whole = { of: 'site', actorId: undefined, action: undefined, since: undefined, until: undefined } as const;
  const kept = async (): Promise<readonly AuditEvent[]> =>
    (await unitOfWork.read((tx) => tx.audit.slice({ ...whole, oldestFirst: true }, undefined, 10_000))).items;
  const counts = async () => (await kept()).map(({ count }) => count);

  const note = (times: number, refusal: Refusal) => {
    for (let time = 0; time < times; time += 1) refusals.note(refusal);
  };

  it('of one kind are kept with the next flush, and counted together for a minute after', async () => {
    note(2, refused());
    await refusals.flush();
    expect(await counts()).toEqual([2]);
    note(40, refused());
    clock.advance(59);
    await refusals.flush();
    expect(await counts()).toEqual([2]);
    clock.advance(1);
    await refusals.flush();
    expect((await counts()).sort()).toEqual([2, 40]);
    note(1, refused());
    await refusals.flush();
    expect((await counts()).sort()).toEqual([1, 2, 40]);
  });

  it('are told apart by who, with which token, what, on what and why', async () => {
    refusals.note(refused());
    refusals.note(refused({ actor: { kind: 'team', id: 'team-9', tokenId: 'at-9' } }));
    refusals.note(refused({ action: 'teams/update' }));
    refusals.note(refused({ subject: 'team-2' }));
    refusals.note(refused({ outcome: 'owners-team/protected' }));
    refusals.note(refused({ actor: { kind: 'user', id: 'user-1', tokenId: 'at-another-of-theirs' } }));
    await refusals.flush();
    expect(await counts()).toEqual([1, 1, 1, 1, 1, 1]);
  });

  it('that are left when it ends are kept', async () => {
    note(1, refused());
    await refusals.flush();
    note(3, refused());
    await refusals.flush(true);
    expect((await counts()).sort()).toEqual([1, 3]);
  });

  it('of one caller on ever other things take little room, and others keep theirs', async () => {
    for (let number = 0; number < 10_000; number += 1) refusals.note(refused({ subject: `team-${number}` }));
    refusals.note(refused({ actor: { kind: 'user', id: 'user-2', tokenId: 'at-2' } }));
    await refusals.flush(true);
    const events = await kept();
    expect(events.length).toBe(52);
    expect(events.reduce((sum, { count }) => sum + count, 0)).toBe(10_001);
    expect(events.find(({ count }) => count > 1)).toMatchObject({ subject: null, count: 9_950 });
    expect(events.find(({ actor }) => actor.id === 'user-2')).toMatchObject({ subject: 'team-1' });
  });

  it('of ever other addresses take little room', async () => {
    for (let number = 0; number < 20_000; number += 1) refusals.note(unknown(`2001:db8:0:${number.toString(16)}::1`));
    await refusals.flush(true);
    const events = await kept();
    expect(events.length).toBe(501);
    expect(events.find(({ count }) => count > 1)).toMatchObject({ count: 19_500, request: { address: null } });
    note(1, unknown('192.0.2.9'));
    await refusals.flush(true);
    expect((await kept()).length).toBe(502);
  });

  it('of addresses that one subscriber has are counted together', async () => {
    for (let number = 0; number < 100; number += 1) refusals.note(unknown(`2001:db8:0:1:${number}::1`));
    for (const address of ['2001:db8::1', '2001:db8::2', '::ffff:192.0.2.1', '::ffff:192.0.2.2', '192.0.2.3']) {
      refusals.note(unknown(address));
    }
    await refusals.flush(true);
    expect((await counts()).sort()).toEqual([1, 1, 1, 100, 2]);
  });

  it.each([
    ['2001::b:c:d:e:f', '2001::1:c:d:e:f', [1, 1]],
    ['2001:db8:0:0:1::', '2001:db8::1:2:3:4', [2]],
    ['::1', '::2:3', [2]],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::', [2]],
  ])('know the first 64 bits of an address, wherever its zeros are left out: %s and %s', async (one, other, sums) => {
    for (const address of [one, other]) refusals.note(unknown(address));
    await refusals.flush(true);
    expect(await counts()).toEqual(sums);
  });

  it('of known callers name them, however many unknown ones are refused', async () => {
    for (let number = 0; number < 6_000; number += 1) refusals.note(unknown(`10.0.${number >> 8}.${number & 0xff}`));
    for (let number = 0; number < 6_000; number += 1) refusals.note(refused({ actor: someUser(number) }));
    refusals.note(unknown('192.0.2.9'));
    await refusals.flush(true);
    const known = (await kept()).filter(({ actor }) => actor.kind === 'user');
    expect(new Set(known.map(({ actor }) => actor.id)).size).toBe(6_000);
    expect(known.filter(({ subject }) => subject === null).length).toBe(1_000);
  });

  const organizationWith = async (teams: number) => {
    const organization = anOrganization();
    const made = Array.from({ length: teams }, () => aTeam(organization));
    await unitOfWork.run(async (tx) => {
      await tx.organizations.add(organization);
      for (const team of made) await tx.teams.add(team);
    });
    const of = { organizationId: organization.id };
    return {
      teams: made.map(({ id }) => id),
      trail: async () =>
        (await unitOfWork.read((tx) => tx.audit.slice({ ...whole, of, oldestFirst: true }, undefined, 10_000))).items,
    };
  };
  const onTeam = (id: string, actor = someUser(1)) => refused({ actor, subject: id, about: { kind: 'teams', id } });

  it('stand in the trail of the organization, whatever else the caller made up', async () => {
    const { teams, trail } = await organizationWith(60);
    for (let number = 0; number < 500; number += 1) refusals.note(onTeam(`team-made-up-${number}`));
    for (const id of teams) refusals.note(onTeam(id));
    await refusals.flush(true);
    const own = await trail();
    expect(own.every(({ actor }) => actor.id === 'user-1')).toBe(true);
    expect(own.map(({ subject }) => subject)).toEqual([...teams.slice(0, 50), null]);
    expect(own.at(-1)?.count).toBe(10);
  });

  it('stand there although the caller makes up more than is waited for, with ever other tokens', async () => {
    const { teams, trail } = await organizationWith(1);
    for (let number = 0; number < 3_000; number += 1) {
      const actor = { ...someUser(1), tokenId: `at-${number % 17}` };
      refusals.note(onTeam(`team-made-up-${number}`, actor));
      if (number % 100 === 99) await new Promise((resolve) => setImmediate(resolve));
    }
    for (const id of teams) refusals.note(onTeam(id));
    await refusals.flush(true);
    expect((await trail()).map(({ subject }) => subject)).toEqual(teams);
  });

  it('stand in the trail of the site, by caller, where more come at one moment than can wait', async () => {
    const { teams, trail } = await organizationWith(1);
    for (let number = 0; number < 1_000; number += 1) refusals.note(onTeam(`team-made-up-${number}`));
    for (const id of teams) refusals.note(onTeam(id));
    await refusals.flush(true);
    expect(await trail()).toEqual([]);
    const rest = (await kept()).filter(({ subject }) => subject === null);
    expect(rest).toMatchObject([{ actor: { id: 'user-1' }, count: 952 }]);
  });

  it('of one caller in many organizations leave others their room', async () => {
    const made = await Promise.all(Array.from({ length: 120 }, () => organizationWith(50)));
    for (const { teams } of made) {
      for (const id of teams) refusals.note(onTeam(id));
      await refusals.flush();
    }
    const [first] = made;
    for (const id of first?.teams ?? []) refusals.note(onTeam(id, someUser(2)));
    await refusals.flush(true);
    const own = (await first?.trail()) ?? [];
    expect(own.filter(({ actor }) => actor.id === 'user-2').map(({ subject }) => subject)).toEqual(first?.teams);
    const trails = await Promise.all(made.map(({ trail }) => trail()));
    const ofFirst = trails.flat().filter(({ actor }) => actor.id === 'user-1');
    expect(ofFirst.filter(({ subject }) => subject !== null)).toHaveLength(500);
    expect(trails.every((events) => events.some(({ actor }) => actor.id === 'user-1'))).toBe(true);
    expect(ofFirst.reduce((sum, { count }) => sum + count, 0)).toBe(6_000);
  });

  it('let others have their turn while many are kept', async () => {
    for (let number = 0; number < 900; number += 1) refusals.note(onTeam(`team-made-up-${number}`));
    let turns = 0;
    let ended = false;
    const turn = () => {
      turns += 1;
      if (!ended) setImmediate(turn);
    };
    setImmediate(turn);
    await refusals.flush(true);
    ended = true;
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  it('are kept once, although they are flushed twice at once', async () => {
    note(3, refused());
    await Promise.all([refusals.flush(), refusals.flush(true)]);
    expect(await counts()).toEqual([3]);
  });

  it.each(['run', 'read'] as const)(
    'that cannot be kept are kept later, with those that came meanwhile (%s)',
    async (way) => {
      let broken = true;
      const failing = new Refusals(
        {
          run: (work) => (broken && way === 'run' ? Promise.reject(new Error('away')) : unitOfWork.run(work)),
          read: (work) => (broken && way === 'read' ? Promise.reject(new Error('away')) : unitOfWork.read(work)),
        },
        clock,
      );
      failing.note(onTeam('team-1'));
      await expect(failing.flush(true)).rejects.toThrow('away');
      failing.note(onTeam('team-1'));
      for (let number = 0; number < 600; number += 1) failing.note(onTeam(`team-made-up-${number}`));
      await new Promise((resolve) => setImmediate(resolve));
      broken = false;
      await failing.flush();
      expect((await counts()).reduce((sum, count) => sum + count, 0)).toBe(602);
      expect((await kept()).find(({ subject }) => subject === 'team-1')?.count).toBe(2);
    },
  );
});
