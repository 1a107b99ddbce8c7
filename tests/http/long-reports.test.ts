import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import type { Request } from 'express';
import { LongReports } from '../../src/adapters/http/supporting/agents/long-reports.js';
import type { LeaseHolder } from '../../src/application/index.js';

const askLease = { execute: async () => {} };

/** A request whose body ends on demand. */
function sending(read: () => void = () => {}) {
  const body = new Readable({ read });
  const headers = { 'content-type': 'application/json', 'content-length': '2' };
  return Object.assign(body, { headers, complete: true }) as unknown as Request & Readable;
}

const end = (request: Readable) => {
  request.push('{}');
  request.push(null);
};

const of = (runId: string) => ({ runId }) as LeaseHolder;

it('long reports are taken one at a time, and a slow client keeps only its own run from it', async () => {
  const reports = new LongReports({ askLease });
  const told: string[] = [];
  const take = (name: string) => async () => {
    told.push(`${name} begins`);
    await pause(10);
    told.push(`${name} ends`);
  };
  const [slow, next] = [sending(), sending(() => told.push('next is read'))];
  const all = [
    reports.read(of('run-1'), slow, 10, take('slow')),
    reports.read(of('run-1'), next, 10, take('next')),
    ...['a', 'b'].map((name) => {
      const request = sending();
      end(request);
      return reports.read(of(`run-${name}`), request, 10, take(name));
    }),
  ];
  await Promise.all(all.slice(2));
  expect(told).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  for (const request of [slow, next]) end(request);
  await Promise.all(all);
  expect(told.filter((one) => one !== 'next is read').slice(4)).toEqual([
    'slow begins',
    'slow ends',
    'next begins',
    'next ends',
  ]);
});

it('a report that is refused lets the next one of its run go on', async () => {
  const reports = new LongReports({ askLease });
  const read = (largest: number) => {
    const request = sending();
    end(request);
    return reports.read(of('run-1'), request, largest, async () => 'taken');
  };
  const ended = await Promise.allSettled([read(1), read(10)]);
  expect(ended).toEqual([
    { status: 'rejected', reason: expect.objectContaining({ status: 413 }) },
    { status: 'fulfilled', value: 'taken' },
  ]);
});
