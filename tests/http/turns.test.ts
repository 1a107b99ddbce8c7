import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { Turns } from '../../src/adapters/http/server/memory/turns.js';

it('turns go round the organizations, one at a time, whatever one of them asks for', async () => {
  const turns = new Turns();
  const order: string[] = [];
  const ends: (() => void)[] = [];
  for (const name of ['acme 1', 'acme 2', 'acme 3', 'globex 1', 'acme 4', 'initech 1', 'globex 2']) {
    void turns.take(name.split(' ')[0] as string).then((end) => {
      order.push(name);
      ends.push(end);
    });
  }
  for (let taken = 1; taken <= 7; taken += 1) {
    await nextTurn();
    expect(order).toHaveLength(taken);
    // Ending twice begins one.
    ends.at(-1)?.();
    ends.at(-1)?.();
  }
  expect(order).toEqual(['acme 1', 'acme 2', 'globex 1', 'initech 1', 'acme 3', 'globex 2', 'acme 4']);
  const end = await turns.take('acme');
  end();
});
