import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryUnitOfWork } from '../../src/adapters/persistence/memory/memory-unit-of-work.js';
import { type Refusal, Refusals } from '../../src/application/index.js';
import { type AuditEvent, unknownActor } from '../../src/domain/index.js';
import { FixedClock } from '../support/fixed-clock.js';

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
  let unitOfWork: MemoryUnitOfWork;
  let refusals: Refusals;

  beforeEach(() => {
    clock = new FixedClock();
    unitOfWork = new MemoryUnitOfWork();
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

  it('are told apart by who, what, on what and why', async () => {
    refusals.note(refused());
    refusals.note(refused({ actor: { kind: 'team', id: 'team-9', tokenId: 'at-9' } }));
    refusals.note(refused({ action: 'teams/update' }));
    refusals.note(refused({ subject: 'team-2' }));
    refusals.note(refused({ outcome: 'owners-team/protected' }));
    await refusals.flush();
    expect(await counts()).toEqual([1, 1, 1, 1, 1]);
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
    for (let number = 0; number < 20_000; number += 1) refusals.note(unknown(`2001:db8::${number.toString(16)}`));
    await refusals.flush(true);
    const events = await kept();
    expect(events.length).toBe(5_001);
    expect(events.find(({ count }) => count > 1)).toMatchObject({ count: 15_000, request: { address: null } });
    note(1, unknown('192.0.2.9'));
    await refusals.flush(true);
    expect((await kept()).length).toBe(5_002);
  });

  it('that cannot be kept are kept later, with those that came meanwhile', async () => {
    let broken = true;
    const failing = new Refusals(
      {
        run: (work) => (broken ? Promise.reject(new Error('away')) : unitOfWork.run(work)),
        read: (work) => unitOfWork.read(work),
      },
      clock,
    );
    failing.note(refused());
    await expect(failing.flush(true)).rejects.toThrow('away');
    failing.note(refused());
    broken = false;
    await failing.flush();
    expect(await counts()).toEqual([2]);
  });
});
