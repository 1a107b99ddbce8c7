import { beforeAll, describe, expect, it } from '@jest/globals';
import { errorTable } from '../../src/adapters/http/routing/error-table.js';
import type { AuditQuery, Transaction, UnitOfWork } from '../../src/application/index.js';
import { type AuditEvent, DomainError, type DomainErrorCode, type Standing } from '../../src/domain/index.js';
import { startApi, type TestApi } from '../support/api.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { bodiesWith } from '../support/route-bodies.js';
import { sceneOf } from '../support/small-world.js';
import { isForEveryUser, keyOf, pathAbout, routesOnce } from '../support/walk-routes.js';

const owner: Standing = {
  actor: 'user',
  siteAdministrator: true,
  member: true,
  own: true,
  teams: [{ teamId: 'team-own', owners: true, access: new Set() }],
};

const whole = { actorId: undefined, action: undefined, since: undefined, until: undefined, oldestFirst: true } as const;

/** Every trail there is in a world of one organization, the oldest first. */
async function trailOf(world: UnitOfWork, organizationName: string): Promise<readonly AuditEvent[]> {
  return world.read(async (tx) => {
    const organizationId = await tx.audit.organizationOf({ kind: 'organizations', id: organizationName });
    const ofs: AuditQuery['of'][] = ['site', ...(organizationId === undefined ? [] : [{ organizationId }])];
    const slices = await Promise.all(ofs.map((of) => tx.audit.slice({ ...whole, of }, undefined, 1_000)));
    return slices.flatMap(({ items }) => items);
  });
}

const changing = routesOnce
  // Every user may end their own sessions: `own-sessions.test.ts` reads what is recorded.
  .filter(({ route }) => route.method !== 'get' && !isForEveryUser(route))
  .map((served) => ({ ...served, name: keyOf(served.route) }));

/** Operations refused here: the workspace is not locked, its state is not read, and the receiver has a private address. */
const idle: ReadonlyMap<string, DomainErrorCode> = new Map<string, DomainErrorCode>([
  ['post /notification-configurations/:id/actions/verify', 'notification/unverified'],
  ['post /workspaces/:id/actions/unlock', 'workspace/lock-refused'],
  ['post /workspaces/:id/actions/force-unlock', 'workspace/lock-refused'],
  ['post /workspaces/:id/actions/safe-delete', 'workspace/not-safe-to-delete'],
  ['post /organizations/:organization/workspaces/:name/actions/safe-delete', 'workspace/not-safe-to-delete'],
]);

/** Routes that change something of one workspace: its followers are notified. */
const ofWorkspaces =
  /^\/(workspaces|runs|configuration-versions|state-versions|task-stages|team-workspaces|vars|tags\/:id\/relationships|notification-configurations|run-triggers|organizations\/:organization\/workspaces)\b/;

describe('every change over HTTP', () => {
  const worlds = new PassingWorlds();
  let api: TestApi;

  beforeAll(async () => {
    api = await startApi({ unitOfWork: worlds });
    await api.flushRefusals(true);
  });

  it.each(changing)('$name is recorded once, and so is its refusal', async ({ name, prefix, route }) => {
    const made = await worlds.beginSmall(owner, sceneOf(name), api.bundleStore);
    const { rows: world } = made;
    const body = bodiesWith(made.referred)[name];
    const path = pathAbout(route, made.existing);

    const refused = await api.as(made.outsidersSecret).at(prefix).send(route.method, path, body).expect(404);
    const heard: string[] = [];
    world.hearChanges((changes) => heard.push(...(changes?.keys() ?? [])));
    await api.flushRefusals(true);
    const [refusal, ...others] = await trailOf(world, 'acme');
    expect(others).toEqual([]);
    expect(refusal).toMatchObject({ action: route.action, outcome: 'resource/not-found', count: 1 });
    expect(refusal?.actor.kind).toBe('user');
    expect(refusal?.request?.id).toBe(refused.headers['x-request-id']);
    expect(refusal?.organizationId === null).toBe(
      /^\/(account|admin|users|organizations$|authentication-tokens)/.test(route.path),
    );

    const answer = await api.as(made.secret).at(prefix).send(route.method, path, body);
    await api.flushRefusals(true);
    const events = (await trailOf(world, 'acme')).filter(({ id }) => id !== refusal?.id);
    const refusedAs = idle.get(name);
    const outcome = refusedAs ?? 'done';
    expect([answer.status, events.map((event) => event.outcome)]).toEqual([
      refusedAs === undefined ? answer.status : errorTable[refusedAs].status,
      [outcome],
    ]);
    expect(events[0]).toMatchObject({
      action: route.action,
      count: 1,
      // A refusal names what the caller asked for, which may be a name. Effects are numbered.
      subject: expect.stringMatching(route.action === 'effects/retry' ? /^\d+$/ : /^([a-z-]+-[0-9A-Za-z]+|acme\/api)$/),
      request: {
        id: answer.headers['x-request-id'],
        address: expect.stringMatching(/127\.0\.0\.1$/),
        route: `${route.method.toUpperCase()} ${prefix}${route.path}`,
      },
    });
    expect(answer.status).toBeLessThan(idle.has(name) ? 410 : 300);
    expect(heard.length > 0).toBe(ofWorkspaces.test(route.path) && !idle.has(name));
  });

  it.each(changing.filter(({ name }) => !idle.has(name)))(
    '$name is not kept when it cannot be recorded',
    async ({ name, prefix, route }) => {
      const made = await worlds.beginSmall(owner, sceneOf(name), api.bundleStore);
      const { rows: world } = made;
      const before = world.tables;
      worlds.seeThrough(new Unrecorded(world));
      const path = pathAbout(route, made.existing);
      await api.as(made.secret).at(prefix).send(route.method, path, bodiesWith(made.referred)[name]).expect(503);
      expect(world.tables).toEqual(before);
    },
  );
});

/** Keeps nothing in a trail. */
class Unrecorded implements UnitOfWork {
  constructor(private readonly inner: UnitOfWork) {}

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.run((tx) => {
      const add = async () => {
        throw new DomainError('service/unavailable', 'there is no room for it');
      };
      return work({ ...tx, audit: Object.assign(Object.create(tx.audit), { add }) });
    });
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.read(work);
  }
}
