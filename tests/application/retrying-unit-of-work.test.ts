import { describe, expect, it } from '@jest/globals';
import type { Effect } from '../../src/application/ports/repositories/effect.js';
import type { Transaction } from '../../src/application/ports/repositories/unit-of-work.js';
import { RetryingUnitOfWork } from '../../src/application/retrying-unit-of-work.js';
import { alreadyTaken, DomainError } from '../../src/domain/index.js';
import { aClaim } from '../support/claims.js';
import { RowsInMemory } from '../support/rows-in-memory.js';

/** Fails its first transactions after their work, as if another transaction had committed first. */
class FailingAtFirst extends RowsInMemory {
  tries = 0;

  constructor(private readonly failures: readonly Error[]) {
    super();
  }

  override run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    const failure = this.failures[this.tries];
    this.tries += 1;
    return super.run(async (tx) => {
      const result = await work(tx);
      if (failure !== undefined) throw failure;
      return result;
    });
  }

  ordered(): Promise<readonly unknown[]> {
    return super.run((tx) => tx.effects.claim(aClaim('discards', { now: '9999', until: '9999' })));
  }
}

const stale = (time: number) =>
  new DomainError('shared/stale-revision', `another transaction committed first, time ${time}`);
const staleTimes = (count: number) => Array.from({ length: count }, (_, index) => stale(index + 1));

/** Orders an effect under a new name each time, so that a change kept twice shows. */
async function order(inner: FailingAtFirst): Promise<number> {
  const effect: Effect = { kind: 'discard-bundle', bundleKey: 'bundle-1' };
  return new RetryingUnitOfWork(inner).run(async (tx) => {
    await tx.effects.enqueue(`subject-${inner.tries}`, [effect]);
    return inner.tries;
  });
}

describe('a change that came too late', () => {
  it('is decided again until it comes in time, and kept once', async () => {
    const inner = new FailingAtFirst(staleTimes(4));
    expect(await order(inner)).toBe(5);
    expect(await inner.ordered()).toHaveLength(1);
  });

  it('is given up after five times, with the last refusal and nothing kept', async () => {
    const inner = new FailingAtFirst(staleTimes(9));
    await expect(order(inner)).rejects.toEqual(stale(5));
    expect(inner.tries).toBe(5);
    expect(await inner.ordered()).toEqual([]);
  });

  it('is not decided again when it fails for another reason', async () => {
    for (const failure of [alreadyTaken('name', 'Name'), new Error('the connection was lost')]) {
      const inner = new FailingAtFirst([failure]);
      await expect(order(inner)).rejects.toBe(failure);
      expect(inner.tries).toBe(1);
    }
  });

  it('is not decided again when another reason follows', async () => {
    const failure = new Error('the connection was lost');
    const inner = new FailingAtFirst([stale(1), failure]);
    await expect(order(inner)).rejects.toBe(failure);
    expect(inner.tries).toBe(2);
  });
});

describe('reading', () => {
  it('is never repeated, and a stale revision that it meets is a temporary failure', async () => {
    const unitOfWork = new RetryingUnitOfWork(new RowsInMemory());
    expect(await unitOfWork.read((tx) => tx.users.any())).toBe(false);
    let times = 0;
    const read = unitOfWork.read(async () => {
      times += 1;
      throw stale(1);
    });
    await expect(read).rejects.toMatchObject({ code: 'service/unavailable', cause: stale(1) });
    expect(times).toBe(1);
  });

  it('passes other refusals on', async () => {
    const refusal = alreadyTaken('name', 'Name');
    const read = new RetryingUnitOfWork(new RowsInMemory()).read(() => Promise.reject(refusal));
    await expect(read).rejects.toBe(refusal);
  });
});
