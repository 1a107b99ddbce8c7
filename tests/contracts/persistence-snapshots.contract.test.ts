import { expect, it } from '@jest/globals';
import type { Transaction } from '../../src/application/index.js';
import type { Organization } from '../../src/domain/index.js';
import { unique } from '../support/builders.js';
import { onEveryBackend, refusal } from './on-every-backend.js';

onEveryBackend('a snapshot', (on) => {
  /** The number of teams, again and again. */
  const counting = ({ id }: Organization) =>
    async function* (tx: Transaction): AsyncGenerator<number> {
      for (;;) yield (await tx.accessHolders.teamsAt({ organizationId: id })).length;
    };

  it('shows one moment, whatever is written meanwhile', async () => {
    const organization = await on.organization();
    await on.team(organization);
    const counts = await on.snapshots.read(unique('key'), counting(organization));
    const seen = [(await counts.next()).value];
    await on.team(organization);
    seen.push((await counts.next()).value);
    await counts.return();
    expect(seen).toEqual([1, 1]);
    const later = await on.snapshots.read(unique('key'), counting(organization));
    expect(await later.next()).toEqual({ done: false, value: 2 });
    await later.return();
    expect(await later.next()).toEqual({ done: true, value: undefined });
  });

  it('is the only one with its key, and one of a few', async () => {
    const organization = await on.organization();
    const key = unique('key');
    const first = await on.snapshots.read(key, counting(organization));
    await expect(on.snapshots.read(key, counting(organization))).rejects.toEqual(refusal('snapshots/busy'));
    const second = await on.snapshots.read(unique('key'), counting(organization));
    await expect(on.snapshots.read(unique('key'), counting(organization))).rejects.toEqual(refusal('snapshots/busy'));
    await first.return();
    await second.return();
    const again = await on.snapshots.read(key, async function* () {
      yield 'part';
    });
    expect(await again.next()).toEqual({ done: false, value: 'part' });
    expect(await again.next()).toEqual({ done: true, value: undefined });
    await (await on.snapshots.read(key, counting(organization))).return();
  });

  it('ends with the error of its work, and does not write', async () => {
    const organization = await on.organization();
    const key = unique('key');
    const writing = await on.snapshots.read(key, async function* (tx) {
      await tx.organizations.remove(organization.id, '2030-01-01T00:00:00.000Z');
      yield 'written';
    });
    await expect(writing.next()).rejects.toThrow();
    await (await on.snapshots.read(key, counting(organization))).return();
    expect(await on.read((tx) => tx.organizations.find(organization.id))).toBeDefined();
  });
});
