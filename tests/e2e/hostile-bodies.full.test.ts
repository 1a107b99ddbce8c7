import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { bodyKinds } from '../../src/adapters/http/routing/body-kinds.js';
import type { Wave } from '../hostile/attack.js';
import { bodyOf } from '../hostile/bodies.js';
import { type Case, expectToStand, fromOneAndMany } from '../hostile/expect-to-stand.js';
import { ofEachKind } from '../hostile/kinds.js';
import { Report } from '../hostile/report.js';
import { makeWorld, type World } from '../hostile/world.js';
import { temporaryDirectory } from '../support/process.js';

const present = process.platform === 'linux';
const reason = present ? '' : ' (skipped: needs /proc and the addresses of loopback of Linux)';

let world: World;
const report = new Report('Bodies, under --max-old-space-size=160');

const withoutRateLimit = { RATE_LIMIT_PER_SECOND: '0' };
const full = { perSecond: 60, connections: 91 };
/** So slow that a body is held for most of the attack, and fast enough to be allowed. */
const steady = { perSecond: 60, connections: 200, bytesPerSecond: 300 * 1024 };
const stalled = { perSecond: 100, bytesPerSecond: 17 * 1024, response: 'ignore' } as const;

const deliveries = async (path: string, more: Partial<Wave>): Promise<readonly Wave[]> => {
  const body = await bodyOf(world.directory, 'noise', bodyKinds.delivery.bytes.max);
  const headers = {
    'X-GitHub-Event': 'push',
    'X-GitHub-Delivery': 'x',
    'X-Hub-Signature-256': `sha256=${'0'.repeat(64)}`,
  };
  return [full, steady].map((speed) => ({ ...speed, method: 'POST', path, headers, body, ...more }));
};

/** Documents as long as any that is read of someone without a right. */
const documents = async (connections: number, more: Partial<Wave>): Promise<Wave> => ({
  method: 'PATCH',
  path: `/workspaces/${world.workspaceId}`,
  tokens: world.outsiders,
  body: await bodyOf(world.directory, 'text', bodyKinds.text.bytes.max),
  connections,
  ...more,
});

const cases: readonly Case[] = [
  {
    attack: 'deliveries to webhooks that do not exist',
    waves: (addresses) => deliveries('/hooks/vcs/x', { addresses }),
  },
  {
    attack: 'deliveries with a wrong signature to a webhook that exists',
    waves: (addresses) => deliveries(world.webhook, { addresses }),
  },
  {
    attack: 'stalled bodies of a user without a membership, of each kind of route',
    environment: withoutRateLimit,
    waves: async (addresses) => [
      await documents(480, { ...stalled, addresses }),
      ...(await ofEachKind(world, 480, { ...stalled, perSecond: 5, addresses })),
    ],
  },
  {
    attack: 'bodies without a length',
    environment: withoutRateLimit,
    waves: async (addresses) => [
      ...(await deliveries(world.webhook, { addresses, framing: 'chunked', perSecond: 30 })),
      await documents(200, { framing: 'chunked', bytesPerSecond: 100 * 1024, perSecond: 30, addresses }),
    ],
  },
];

beforeAll(async () => {
  if (!present) return;
  world = await makeWorld(await temporaryDirectory(), { outsiders: 1, neighbours: 9 });
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
