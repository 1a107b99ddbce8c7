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
  {
    route: 'get /attention',
    applies: ({ actor }) => actor === 'auditor',
    status: 404,
    because: 'an audit token is open to what the policy names alone',
  },
  {
    route: 'post /notification-configurations/:id/actions/verify',
    applies: always,
    status: 400,
    because: 'its receiver has a private address',
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

/** Requests that need rights for their body, or for the kind of what they reach, and not only for their route's action. */
interface Demanding {
  readonly route: string;
  readonly actions: readonly Action[];
  readonly subjects: readonly Subject[];
  readonly body?: object;
  /** The token that `/authentication-tokens` names. */
  readonly token?: keyof SmallWorld['tokens'];
  /** Whom it refuses although they may. */
  readonly conflict?: (standing: Standing) => boolean;
}

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

const asked = (subjects: readonly Subject[], rows: readonly Omit<Demanding, 'subjects'>[]): readonly Demanding[] =>
  rows.map((row) => ({ ...row, subjects }));

const demanding: readonly Demanding[] = [
  ...asked(subjectsOf('teams/set-organization-access'), [
    {
      route: 'patch /teams/:id',
      body: doc('teams', access),
      actions: ['teams/set-organization-access'],
      conflict: aboutOwners,
    },
    {
      route: 'patch /teams/:id',
      body: doc('teams', { ...access, visibility: 'organization' }),
      actions: ['teams/update', 'teams/set-organization-access'],
      conflict: aboutOwners,
    },
    {
      route: 'post /organizations/:organization/teams',
      body: doc('teams', { ...access, name: 'fresh' }),
      actions: ['teams/create', 'teams/set-organization-access'],
    },
  ]),
  // About a repository, where runs are executed, and when a workspace is destroyed.
  ...asked(
    [anyOne],
    [
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
        route: 'patch /projects/:id',
        body: doc('projects', { 'default-execution-mode': 'local' }),
        actions: ['projects/update', 'projects/set-execution'],
      },
      {
        route: 'post /organizations/:organization/projects',
        body: doc('projects', { name: 'fresh', 'default-execution-mode': 'local' }),
        actions: ['projects/create', 'projects/set-execution'],
      },
      {
        route: 'patch /projects/:id',
        body: doc('projects', { 'auto-destroy-activity-duration': '14d' }),
        actions: ['projects/update', 'projects/schedule-destroy'],
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
    ],
  ),
  ...(['get', 'delete'] as const).flatMap((method) => [
    ...asked(subjectsOf('team-tokens/manage'), [
      { route: `${method} /authentication-tokens/:id`, token: 'team', actions: ['team-tokens/manage'] },
    ]),
    ...asked(subjectsOf('agent-pools/manage'), [
      { route: `${method} /authentication-tokens/:id`, token: 'agent', actions: ['agent-pools/manage'] },
    ]),
  ]),
];

const subjectsOfDemanding = [...new Set(demanding.flatMap((row) => row.subjects))];

const allowedStatus = (route: Route, standing: Standing): number | 'success' =>
  special.find((row) => row.route === keyOf(route) && row.applies(standing))?.status ?? 'success';

const fits = (status: number, wanted: number | 'success'): boolean =>
  wanted === 'success' ? (status >= 200 && status < 300) || status === 302 : status === wanted;

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

  const subjectsAt = ({ action }: Route): readonly Subject[] => (action === null ? [] : subjectsOf(action));

  /** The worlds of the calls to a route depend on these, and on the callers. */
  const worldsOf = (route: Route): string =>
    JSON.stringify([sceneOf(keyOf(route)), subjectsAt(route).map(({ name }) => name)]);

  /** Routes that find the same worlds follow each other. */
  const inTurn = routesOnce
    .map((served, turn) => ({ ...served, turn, worlds: worldsOf(served.route) }))
    .sort((one, other) => one.worlds.localeCompare(other.worlds) || (one.turn % every) - (other.turn % every));

  it.each(inTurn)('$name', async ({ prefix, route, turn }) => {
    const { action } = route;
    const subjects = subjectsAt(route);
    const unlike: string[] = [];
    const each = subjects.length === 0 ? [anyOne] : subjects;
    const cases = actors.flatMap((kind) => each.map((subject) => ({ kind, subject })));
    for (const { kind, subject } of some(cases, every, turn).filter((one) => exists(one.subject, one.kind))) {
      const standing = subject.of(kind.standing);
      const asked = (world: SmallWorld) => ({ body: bodyOf(route, world) });
      const status = await answered(route, prefix, standing, asked, sceneOf(keyOf(route)));
      const allowed = action === null || may(standing, action);
      const wanted = allowed ? allowedStatus(route, standing) : 404;
      if (!fits(status, wanted)) {
        unlike.push(`${kind.name}${subject.name && ` about ${subject.name}`}: ${status} instead of ${wanted}`);
      }
    }
    expect(unlike).toEqual([]);
  });

  /** Each calls about one subject after the other, so that calls find the same worlds. In `npm test`, one in five is made. */
  const callers = [...actors, ...linkers].map((kind, turn) => {
    const subjects = subjectsOfDemanding.filter((one) => exists(one, kind));
    const calls = subjects.flatMap((subject) =>
      demanding
        .filter((row) => row.subjects.includes(subject))
        .flatMap((row) =>
          routesOnce.filter(({ route }) => keyOf(route) === row.route).map((at) => ({ subject, row, at })),
        ),
    );
    return { kind, subjects, calls: some(calls, every, turn) };
  });

  it.each(callers)(
    'a body or a subject that needs more rights is answered as the policy says: $kind.name',
    async ({ kind, calls }) => {
      const unlike: string[] = [];
      for (const { subject, row, at } of calls) {
        const standing = subject.of(kind.standing);
        const status = await answered(at.route, at.prefix, standing, ({ existing, tokens }) => ({
          existing: row.token ? { ...existing, '/authentication-tokens': tokens[row.token] } : existing,
          body: row.body,
        }));
        const allowed = row.actions.every((action) => may(standing, action));
        const wanted = !allowed ? 404 : row.conflict?.(standing) ? 409 : 'success';
        if (!fits(status, wanted)) {
          unlike.push(`${at.name}, ${row.actions}, about ${subject.name}: ${status} instead of ${wanted}`);
        }
      }
      expect(unlike).toEqual([]);
    },
  );

  it('each demanding request is allowed to someone', () => {
    const allows = (row: Demanding) =>
      callers.some(({ kind, subjects }) =>
        subjects.some(
          (one) => row.subjects.includes(one) && row.actions.every((action) => may(one.of(kind.standing), action)),
        ),
      );
    expect(demanding.filter((row) => !allows(row))).toEqual([]);
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
