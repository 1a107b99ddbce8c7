import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { bodyKinds } from '../../src/adapters/http/routing/body-kinds.js';
import type { Wave } from '../hostile/attack.js';
import { bodyOf, type Content } from '../hostile/bodies.js';
import { type Case, expectToStand, fromOneAndMany } from '../hostile/expect-to-stand.js';
import { type LongList, makeLongList } from '../hostile/long-list.js';
import { stateDocument } from '../hostile/neighbours.js';
import { Report } from '../hostile/report.js';
import { makeWorld, renewLeases, type World } from '../hostile/world.js';
import { temporaryDirectory } from '../support/process.js';

const present = process.platform === 'linux';
const reason = present ? '' : ' (skipped: needs /proc and the addresses of loopback of Linux)';

let world: World;
let list: LongList;
const report = new Report('Holders and readers, under --max-old-space-size=160');

const withoutRateLimit = { RATE_LIMIT_PER_SECOND: '0' };
const hostile: readonly Content[] = ['text', 'zeros', 'objects', 'brackets'];
const max = bodyKinds.state.bytes.max;

/** A report whose only policy has an output as long as it may be. */
async function longReport(): Promise<string> {
  const before =
    '{"policy-tool-version":"1","policy-sets":[{"policy-set-id":"x","policies":[{"name":"x","status":"failed","output":["';
  const after = '"]}]}]}';
  const file = join(world.directory, 'report');
  await writeFile(file, before + 'a'.repeat(max - before.length - after.length) + after);
  return file;
}

async function longState(): Promise<string> {
  const file = join(world.directory, 'state');
  await writeFile(file, stateDocument());
  return file;
}

async function longStateReport(): Promise<string> {
  const [before, after] = ['"outputs":[{"name":"o","type":"string","sensitive":false,"value":"', '"}]}'];
  const md5 = createHash('md5').digest('hex');
  const head = `{"serial":1,"lineage":"x","md5":"${md5}","size":1,${before}`;
  const file = join(world.directory, 'state-report');
  await writeFile(file, head + 'a'.repeat(max - head.length - after.length) + after);
  return file;
}

/** A holder's share of the bodies: what is valid, and what is made to be hard to read. */
const bodyFor = async (index: number, valid: () => Promise<string>): Promise<Partial<Wave>> => {
  const content = [undefined, ...hostile][index % (hostile.length + 1)];
  const body = content === undefined ? await valid() : await bodyOf(world.directory, content, max);
  return { body, framing: index % 2 === 0 ? 'length' : 'chunked', perSecond: 2 };
};

const cases: readonly Case[] = [
  {
    attack: 'reports of 16 MiB by eight holders of leases',
    environment: withoutRateLimit,
    prepare: renewLeases,
    waves: (addresses) =>
      Promise.all(
        world.leased.flatMap(({ runId, lease }, index) =>
          [
            { what: 'policy-evaluations/poleval-x', valid: longReport },
            { what: 'state-versions', valid: longStateReport },
          ].map(async ({ what, valid }): Promise<Wave> => {
            const path = `/agent/v1/runs/${runId}/${what}`;
            const by = { method: 'POST', headers: { Lease: lease }, tokens: [world.agentToken] };
            return { ...by, path, ...(await bodyFor(index, valid)), connections: 1, addresses };
          }),
        ),
      ),
  },
  {
    attack: 'states of 16 MiB by eight holders of locks',
    environment: withoutRateLimit,
    waves: (addresses) =>
      Promise.all(
        world.holders.flatMap(({ workspaceId, token }, holder) =>
          [0, 1].map(async (second): Promise<Wave> => {
            const path = `/workspaces/${workspaceId}/state-versions`;
            const body = await bodyFor(holder + second * 3, longState);
            return { method: 'POST', path, tokens: [token], ...body, connections: 1, addresses };
          }),
        ),
      ),
  },
  {
    attack: 'readers of 50 MB that do not read',
    environment: withoutRateLimit,
    waves: async (addresses) => [
      {
        method: 'GET',
        path: list.path,
        tokens: [list.token],
        connections: 480,
        perSecond: 30,
        addresses,
        response: 'leave',
      },
      {
        method: 'GET',
        path: new URL(world.download).pathname,
        connections: 200,
        perSecond: 20,
        addresses,
        response: 'leave',
      },
    ],
  },
];

beforeAll(async () => {
  if (!present) return;
  world = await makeWorld(await temporaryDirectory(), { holders: 8, neighbours: 9, leases: 8, downloadMiB: 50 });
  list = await makeLongList(world);
});

afterAll(async () => {
  report.print();
  if (present) await rm(world.directory, { recursive: true, force: true });
});

describe(`a service with little memory${reason}`, () => {
  (present ? it : it.skip).each(fromOneAndMany(cases))(
    'stands, and serves everyone else, during $attack, from $addresses addresses',
    (one) => expectToStand(world, one, report),
  );
});
