import { describe, expect, it } from '@jest/globals';
import { limits } from '../../src/adapters/http/routing/limits.js';
import { MemoryBudget, NoRoom, type Standing } from '../../src/adapters/http/server/memory/memory-budget.js';
import { networkOf } from '../../src/adapters/http/server/memory/request-memory.js';

const KiB = 1024;

/** Who holds memory, or asks for it: a key, a standing, and KiB of a whole of 64. */
type Share = readonly [key: string, standing: Standing, size: number];

const outcomeOf = (budget: MemoryBudget, [key, standing, size]: Share): string => {
  try {
    budget.reservation({ key, standing }).grow(size * KiB);
    return 'granted';
  } catch (error) {
    if (error instanceof NoRoom) return error.shortage;
    throw error;
  }
};

const known = (count: number, size: number): readonly Share[] =>
  Array.from({ length: count }, (_, at) => [`user-${at}`, 'known', size] as const);
const addresses = (count: number, size: number): readonly Share[] =>
  Array.from({ length: count }, (_, at) => [`address-${at}`, 'unknown', size] as const);

describe('a share of the memory', () => {
  it.each<[what: string, held: readonly Share[], asks: Share, outcome: string]>([
    ['of a caller is an eighth', [['a', 'known', 7]], ['a', 'known', 1], 'granted'],
    ['of a caller is no more', [['a', 'known', 7]], ['a', 'known', 2], 'caller'],
    ['of a caller who holds nothing is one body', [], ['a', 'known', 40], 'granted'],
    ['of a caller who holds nothing is that if there is room', [...known(5, 8)], ['a', 'known', 9], 'whole'],
    ['of a caller is untouched by other callers', [['b', 'known', 8]], ['a', 'known', 8], 'granted'],
    ['of requests without a lease is three quarters', [...known(6, 8)], ['a', 'known', 1], 'whole'],
    ['of requests under a lease is the rest', [...known(6, 8)], ['agent', 'leased', 8], 'granted'],
    ['of an agent is an eighth too', [['agent', 'leased', 8]], ['agent', 'leased', 1], 'caller'],
    [
      'of leases may take more than the rest, and others have then less',
      [...known(1, 8), ...Array.from({ length: 7 }, (_, at) => [`agent-${at}`, 'leased', 8] as const)],
      ['a', 'known', 1],
      'whole',
    ],
    ['of requests without a token is an eighth', [...addresses(4, 2)], ['a', 'unknown', 1], 'unauthenticated'],
    ['of an address is a quarter of that', [['a', 'unknown', 1]], ['a', 'unknown', 1], 'granted'],
    ['of an address is no more', [['a', 'unknown', 2]], ['a', 'unknown', 1], 'caller'],
    ['of an address that holds nothing is one body', [], ['a', 'unknown', 3], 'granted'],
    [
      'of such an address is within that of all addresses',
      [...addresses(3, 2)],
      ['a', 'unknown', 3],
      'unauthenticated',
    ],
    ['of a caller is untouched by requests without a token', [...addresses(4, 2)], ['a', 'known', 8], 'granted'],
  ])('%s', (_, held, asks, outcome) => {
    const budget = new MemoryBudget(64 * KiB);
    for (const share of held) expect(outcomeOf(budget, share)).toBe('granted');
    expect(outcomeOf(budget, asks)).toBe(outcome);
  });

  it('has the sizes that the limits name', () => {
    const { memory, memoryOfCaller, memoryOfAddress } = limits;
    const refused = (standing: Standing, size: number) => {
      const reservation = new MemoryBudget().reservation({ key: 'a', standing });
      reservation.grow(1);
      return () => reservation.grow(size - 1);
    };
    expect(memory.max).toBe(8 * memoryOfCaller.max);
    for (const [standing, { max }] of [
      ['known', memoryOfCaller],
      ['unknown', memoryOfAddress],
    ] as const) {
      expect(refused(standing, max)).not.toThrow();
      expect(refused(standing, max + 1)).toThrow(NoRoom);
    }
  });

  it('is free again when it is given back, and counted once', () => {
    const budget = new MemoryBudget(64 * KiB);
    const reservation = budget.reservation({ key: 'a', standing: 'known' });
    reservation.grow(6 * KiB);
    reservation.shrink(4 * KiB);
    expect(budget.reserved).toBe(2 * KiB);
    budget.parserHolds(100 * KiB);
    expect(budget.reserved).toBe(102 * KiB);
    expect(outcomeOf(budget, ['a', 'known', 6])).toBe('granted');
    budget.parserHolds(0);
    reservation.release();
    reservation.release();
    expect(budget.reserved).toBe(6 * KiB);
  });
});

describe('a response that its client does not read', () => {
  /** Responses that wait, each for 2 KiB, and what was cut of them. */
  const waiting = (...holders: readonly (readonly [key: string, standing: Standing])[]) => {
    const clock = { now: 0 };
    const budget = new MemoryBudget(64 * KiB, () => clock.now);
    const cut: string[] = [];
    for (const [key, standing] of holders) {
      const reservation = budget.reservation({ key, standing });
      reservation.grow(2 * KiB);
      reservation.waits(() => cut.push(key));
      clock.now += 1;
    }
    return { budget, clock, cut };
  };

  it('gives way to another of its caller once it waits for a second, the oldest first', () => {
    const own = ['a', 'known'] as const;
    const { budget, clock, cut } = waiting(['b', 'known'], own, own, own, own);
    expect(outcomeOf(budget, ['a', 'known', 2])).toBe('caller');
    clock.now = 1_001;
    expect(outcomeOf(budget, ['a', 'known', 2])).toBe('granted');
    expect(cut).toEqual(['a']);
    expect(outcomeOf(budget, ['a', 'known', 1])).toBe('caller');
  });

  it('gives way where requests without a token have no room, unless it has a token', () => {
    const { budget, clock, cut } = waiting(
      ['b', 'known'],
      ...addresses(4, 2).map(([key]) => [key, 'unknown'] as const),
    );
    clock.now = 5_000;
    expect(outcomeOf(budget, ['z', 'unknown', 2])).toBe('granted');
    expect(cut).toEqual(['address-0']);
  });

  it('gives way to anyone where the whole has no room', () => {
    const { budget, clock, cut } = waiting(['b', 'known'], ['c', 'known']);
    for (const share of known(5, 8)) expect(outcomeOf(budget, share)).toBe('granted');
    clock.now = 5_000;
    expect(outcomeOf(budget, ['z', 'known', 6])).toBe('granted');
    expect(cut).toEqual(['b']);
  });

  it('stays once it is read', () => {
    const budget = new MemoryBudget(64 * KiB, () => 5_000);
    const reservation = budget.reservation({ key: 'a', standing: 'known' });
    reservation.grow(8 * KiB);
    reservation.waits(() => expect('cut').toBe('never'));
    reservation.isRead();
    expect(outcomeOf(budget, ['a', 'known', 1])).toBe('caller');
  });
});

describe('the network of a client', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:0db8:0000:0000:ffff::2', '2001:db8:0:0'],
    ['2001:db8:0:1::1', '2001:db8:0:1'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['::1', '0:0:0:0'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)?.split(' ')[1]).toBe(network);
  });
});
