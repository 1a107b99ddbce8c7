import { expect, it } from '@jest/globals';
import { WaitingAgents } from '../../src/adapters/http/supporting/agents/waiting-agents.js';

const forever = new AbortController().signal;
const long = 60_000;

it('agents of a pool that wait share one look, which wakes the one that has waited longest', async () => {
  const waiting = new WaitingAgents(1);
  let looks = 0;
  let runs = 0;
  const look = async (): Promise<boolean> => {
    looks += 1;
    return runs > 0;
  };
  const woken: string[] = [];
  const agents = ['first', 'second', 'third'].map(async (name) => {
    await waiting.wait('apool-1', look, long, forever);
    woken.push(name);
    runs -= 1;
    waiting.claimed('apool-1');
  });
  const before = looks;
  while (looks < before + 5) await waiting.wait('apool-2', async () => true, long, forever);
  expect(woken).toEqual([]);
  runs = 2;
  await Promise.all(agents.slice(0, 2));
  expect(woken).toEqual(['first', 'second']);
  runs = 1;
  await agents[2];
  expect(woken).toEqual(['first', 'second', 'third']);
});

it('an agent that leaves, or whose time is over, waits no longer', async () => {
  const waiting = new WaitingAgents(1);
  const none = async (): Promise<boolean> => false;
  const left = new AbortController();
  const leaving = waiting.wait('apool-1', none, long, left.signal);
  await waiting.wait('apool-1', none, 5, forever);
  left.abort();
  await leaving;
});

it('a look that fails wakes an agent, which finds out why', async () => {
  const waiting = new WaitingAgents(1);
  await waiting.wait('apool-1', () => Promise.reject(new Error('the database is unavailable')), long, forever);
});
