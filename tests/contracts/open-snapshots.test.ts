import { expect, it } from '@jest/globals';
import { OpenSnapshots } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';

it.each(['unread', 'longest'])('a snapshot ends when its reader is slow (%s)', async (limit) => {
  let close = () => {};
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const snapshots = new OpenSnapshots(
    async () => ({ start: (work) => work({} as never), close: async () => close() }),
    (work) => work,
    { max: 1, unread: 60_000, longest: 60_000, [limit]: 1 },
  );
  const work = async function* () {
    for (;;) yield 'part';
  };
  const parts = await snapshots.read('key', work);
  await closed;
  await expect(parts.next()).rejects.toMatchObject({ code: 'service/unavailable' });
  await (await snapshots.read('key', work)).return();
});
