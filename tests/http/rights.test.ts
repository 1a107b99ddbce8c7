import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ActorKind, actorGroups, type Subject, subjectsOf } from '../../scripts/actor-kinds.js';
import type { Route } from '../../src/adapters/http/routing/route.js';
import type { BundleStore } from '../../src/application/index.js';
import { type Action, may, type Standing, type TeamStanding } from '../../src/domain/index.js';
import { doc, startApi } from '../support/api.js';
import { PassingWorlds } from '../support/passing-worlds.js';
import { some } from '../support/properties.js';
import { bodiesWith } from '../support/route-bodies.js';
import { type Scene, type SmallWorld, sceneOf } from '../support/small-world.js';
import { keyOf, pathAbout, routesOnce } from '../support/walk-routes.js';

const actors = actorGroups.flatMap((group) => group.actors);
const anyOne: Subject = { name: '', of: (standing) => standing };

/** A subject of the caller's own team exists only for callers with a team. */
const exists = (subject: Subject, { standing }: ActorKind): boolean =>
  !subject.name.startsWith('its own team') || standing.teams.length > 0;

interface Special {
  readonly route: string;
  readonly applies: (standing: Standing) => boolean;
  readonly status: number;
  readonly because: string;
}

const always = () => true;
const aboutOwners = ({ team }: Standing) => team?.owners === true;
const isUser = ({ actor }: Standing) => actor === 'user';

/** The response to callers who may, where it is not a success. */
const special: readonly Special[] = [
  {
    route: 'get /account/details',
    applies: (standing) => !isUser(standing),
    status: 404,
    because: 'tokens of teams and organizations have no account',
  },
  {
    route: 'get /organizations',
    applies: ({ actor }) => actor === 'auditor',
    status: 404,
    because: 'an audit token is open to what the policy names alone',
  },
  { route: 'post /workspaces/:id/actions/unlock', applies: always, status: 409, because: 'it is not locked' },
  {
    route: 'post /workspaces/:id/actions/safe-delete',
    applies: always,
    status: 409,
    because: 'its state is not read yet',
  },
  {
    route: 'post /organizations/:organization/workspaces/:name/actions/safe-delete',
    applies: always,
    status: 409,
    because: 'its state is not read yet',
  },
  { route: 'post /workspaces/:id/actions/force-unlock', applies: always, status: 409, because: 'it is not locked' },
  {
    route: 'delete /agent-pools/:id',
    applies: ({ pool }) => pool?.named === true,
    status: 409,
    because: 'it is in use',
  },
  {
    route: 'delete /projects/:id',
    applies: ({ teams }) => teams.some(({ projectGrant }) => projectGrant !== undefined),
    status: 409,
    because: 'it is the default project',
  },
  { route: 'delete /teams/:id', applies: aboutOwners, status: 409, because: 'the owners team stays' },
];

const access = { 'organization-access': { 'manage-organization-access': true } };

/** Requests that need rights for their body, and not only for their route's action. */
const demanding: readonly { readonly route: string; readonly body: object; readonly actions: readonly Action[] }[] = [
  { route: 'patch /teams/:id', body: doc('teams', access), actions: ['teams/set-organization-access'] },
  {
    route: 'patch /teams/:id',
    body: doc('teams', { ...access, visibility: 'organization' }),
    actions: ['teams/update', 'teams/set-organization-access'],
  },
  {
    route: 'post /organizations/:organization/teams',
    body: doc('teams', { ...access, name: 'fresh' }),
    actions: ['teams/create', 'teams/set-organization-access'],
  },
];

const linker = (name: string, given: Omit<TeamStanding, 'teamId' | 'owners'>): ActorKind => {
  const teams = [{ teamId: 'team-own', owners: false, ...given }];
  return { name, standing: { actor: 'user', siteAdministrator: false, member: true, teams } };
};

/** Callers who link repositories without being an owner, which takes two rights. */
const linkers: readonly ActorKind[] = [
  linker('admin with manage-vcs-settings', { access: new Set(['manage-vcs-settings']), grant: { access: 'admin' } }),
  linker('write with manage-vcs-settings', { access: new Set(['manage-vcs-settings']), grant: { access: 'write' } }),
  linker('manage-workspaces and manage-vcs-settings', {
    access: new Set(['manage-workspaces', 'manage-vcs-settings']),
  }),
];

const repository = { 'vcs-repo': { 'clone-url': 'https://git.example.com/acme/fresh.git' } };

/** The same, for requests about a workspace and a repository, about where its runs are executed, or when it is destroyed. */
const linking: typeof demanding = [
  {
    route: 'patch /workspaces/:id',
    body: doc('workspaces', repository),
    actions: ['workspaces/update', 'workspaces/link-repository'],
  },
  {
    route: 'patch /workspaces/:id',
    body: doc('workspaces', { 'vcs-repo': null }),
    actions: ['workspaces/update', 'workspaces/link-repository'],
  },
  {
    route: 'patch /organizations/:organization/workspaces/:name',
    body: doc('workspaces', repository),
    actions: ['workspaces/update', 'workspaces/link-repository'],
  },
  {
    route: 'post /organizations/:organization/workspaces',
    body: doc('workspaces', { ...repository, name: 'fresh' }),
    actions: ['workspaces/create', 'workspaces/link-repository'],
  },
  {
    route: 'patch /workspaces/:id',
    body: doc('workspaces', { 'execution-mode': 'local' }),
    actions: ['workspaces/update', 'workspaces/set-execution'],
  },
  {
    route: 'patch /organizations/:organization/workspaces/:name',
    body: doc('workspaces', { 'execution-mode': 'local' }),
    actions: ['workspaces/update', 'workspaces/set-execution'],
  },
  {
    route: 'post /organizations/:organization/workspaces',
    body: doc('workspaces', { 'execution-mode': 'local', name: 'fresh' }),
    actions: ['workspaces/create', 'workspaces/set-execution'],
  },
  {
    route: 'patch /workspaces/:id',
    body: doc('workspaces', { 'auto-destroy-activity-duration': '14d' }),
    actions: ['workspaces/update', 'workspaces/schedule-destroy'],
  },
];

/** Routes that reach several kinds of resource, and the action that decides for kinds their own does not. */
const reached: readonly {
  readonly route: string;
  readonly token: keyof SmallWorld['tokens'];
  readonly action: Action;
}[] = (['get', 'delete'] as const).flatMap((method) => [
  { route: `${method} /authentication-tokens/:id`, token: 'team', action: 'team-tokens/manage' },
  { route: `${method} /authentication-tokens/:id`, token: 'agent', action: 'agent-pools/manage' },
]);

/** The statuses of a demanding request from a caller who may make it. */
const done: ReadonlySet<number> = new Set([200, 201, 409]);

const allowedStatus = (route: Route, standing: Standing): number | 'success' =>
  special.find((row) => row.route === keyOf(route) && row.applies(standing))?.status ?? 'success';

const succeeded = (status: number): boolean => (status >= 200 && status < 300) || status === 302;

describe('over HTTP, as the policy says', () => {
  /** Each call has a world of its own, which earlier deletions do not affect. */
  const worlds = new PassingWorlds();
  /** Keeps its connection alive for thousands of calls. */
  const agent = new Agent({ keepAlive: true });
  let server: Server;
  let origin: string;
  let bundleStore: BundleStore;

  beforeAll(async () => {
    const api = await startApi({ unitOfWork: worlds });
    bundleStore = api.bundleStore;
    server = createServer({ keepAliveTimeout: 0 }, api.app).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => {
    agent.destroy();
    return new Promise((resolve) => server.close(resolve).closeAllConnections());
  });

  async function call(secret: string, route: Route, path: string, body: object | undefined): Promise<number> {
    const text = body === undefined ? '' : JSON.stringify(body);
    const headers = {
      Authorization: `Bearer ${secret}`,
      'Content-Type': 'application/vnd.api+json',
      'Content-Length': Buffer.byteLength(text),
    };
    const asked = request(origin + path, { agent, method: route.method.toUpperCase(), headers }).end(text);
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    await once(answer.resume(), 'end');
    return answer.statusCode ?? 0;
  }

  /** The response to a call in a world with this standing. */
  async function answered(
    route: Route,
    prefix: string,
    standing: Standing,
    asked: (world: SmallWorld) => { readonly existing?: SmallWorld['existing']; readonly body: object | undefined },
    scene?: Scene,
  ): Promise<number> {
    const world = await worlds.beginSmall(standing, scene, bundleStore);
    const { existing = world.existing, body } = asked(world);
    return call(world.secret, route, prefix + pathAbout(route, existing), body);
  }

  const bodyOf = (route: Route, { referred }: SmallWorld) => bodiesWith(referred)[keyOf(route)];

  /** In `npm test`, each route is called as every fifth caller. */
  const every = 5;

  /** Routes that are called as the same callers follow each other, so that they find the same worlds. */
  const inTurn = routesOnce
    .map((served, turn) => ({ ...served, turn }))
    .sort((one, other) => (one.turn % every) - (other.turn % every));

  it.each(inTurn)('$name', async ({ prefix, route, turn }) => {
    const { action } = route;
    const subjects = action === null ? [] : subjectsOf(action);
    const unlike: string[] = [];
    const each = subjects.length === 0 ? [anyOne] : subjects;
    const cases = actors.flatMap((kind) => each.map((subject) => ({ kind, subject })));
    for (const { kind, subject } of some(cases, every, turn).filter((one) => exists(one.subject, one.kind))) {
      const standing = subject.of(kind.standing);
      const asked = (world: SmallWorld) => ({ body: bodyOf(route, world) });
      const status = await answered(route, prefix, standing, asked, sceneOf(keyOf(route)));
      const allowed = action === null || may(standing, action);
      const wanted = allowed ? allowedStatus(route, standing) : 404;
      if (wanted === 'success' ? !succeeded(status) : status !== wanted) {
        unlike.push(`${kind.name}${subject.name && ` about ${subject.name}`}: ${status} instead of ${wanted}`);
      }
    }
    expect(unlike).toEqual([]);
  });

  it.each(demanding)('$route asks for $actions where its body does', async ({ route: wanted, body, actions }) => {
    for (const { route, prefix } of routesOnce.filter((known) => keyOf(known.route) === wanted)) {
      const unlike: string[] = [];
      for (const kind of actors) {
        for (const subject of subjectsOf('teams/set-organization-access').filter((one) => exists(one, kind))) {
          const standing = subject.of(kind.standing);
          const status = await answered(route, prefix, standing, () => ({ body }));
          const allowed = actions.every((action) => may(standing, action));
          if (allowed ? !done.has(status) : status !== 404)
            unlike.push(`${kind.name} about ${subject.name}: ${status}`);
        }
      }
      expect(unlike).toEqual([]);
    }
  });

  it.each(linking)(
    '$route asks for $actions where its body is about a repository, or where runs are executed',
    async ({ route: wanted, ...asked }) => {
      for (const { route, prefix } of routesOnce.filter((known) => keyOf(known.route) === wanted)) {
        const unlike: string[] = [];
        let allowedOnce = false;
        for (const { name, standing } of [...actors, ...linkers]) {
          const status = await answered(route, prefix, standing, () => ({ body: asked.body }));
          const allowed = asked.actions.every((action) => may(standing, action));
          allowedOnce ||= allowed;
          if (allowed ? !succeeded(status) : status !== 404) unlike.push(`${name}: ${status}`);
        }
        expect({ unlike, allowedOnce }).toEqual({ unlike: [], allowedOnce: true });
      }
    },
  );

  it.each(reached)('$route asks for $action about a token of the kind: $token', async ({ route: wanted, ...about }) => {
    for (const { route, prefix } of routesOnce.filter((known) => keyOf(known.route) === wanted)) {
      const subjects = subjectsOf(about.action);
      const unlike: string[] = [];
      for (const kind of actors) {
        for (const subject of (subjects.length === 0 ? [anyOne] : subjects).filter((one) => exists(one, kind))) {
          const standing = subject.of(kind.standing);
          const status = await answered(route, prefix, standing, ({ existing, tokens }) => ({
            existing: { ...existing, '/authentication-tokens': tokens[about.token] },
            body: undefined,
          }));
          const allowed = may(standing, about.action);
          if (allowed ? !succeeded(status) : status !== 404) {
            unlike.push(`${kind.name}${subject.name && ` about ${subject.name}`}: ${status}`);
          }
        }
      }
      expect(unlike).toEqual([]);
    }
  });

  it('an expired token is refused everywhere, whatever its owner', async () => {
    const world = await worlds.beginSmall({ actor: 'user', siteAdministrator: false, member: true, teams: [] });
    const statuses: Record<string, number> = {};
    for (const { name, prefix, route } of routesOnce) {
      const path = prefix + pathAbout(route, world.existing);
      statuses[name] = await call(world.expiredSecret, route, path, bodyOf(route, world));
    }
    expect(Object.entries(statuses).filter(([, status]) => status !== 401)).toEqual([]);
  });
});
