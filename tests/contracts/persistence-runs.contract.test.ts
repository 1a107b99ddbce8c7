import { beforeAll, describe, expect, it } from '@jest/globals';
import type { RunScope } from '../../src/application/index.js';
import {
  type AgentPool,
  type ConfigurationVersionId,
  completedRunStatuses,
  DomainError,
  type ExecutionDefaults,
  type Lease,
  type Organization,
  Run,
  type RunState,
  type RunStatus,
  runStatuses,
  runStatusesHoldingWorkspace,
  serves,
  type Workspace,
} from '../../src/domain/index.js';
import { defaultProjectId } from '../../src/domain/supporting/projects/project.js';
import {
  aBundle,
  aConfigurationVersion,
  afterNoon,
  aProject,
  aRun,
  aStateVersion,
  asOrganization,
  asTeam,
  asUser,
  aVariable,
  noon,
  unique,
} from '../support/builders.js';
import { anAgentPool, aSiteAgentPool } from '../support/policy-builders.js';
import { fc } from '../support/properties.js';
import { type Ground, onEveryBackend, refusal } from './on-every-backend.js';

const page = (number: number, size = 20) => ({ number, size });

/** A workspace with a version. */
const aPlace = async (on: Ground, organization?: Organization, given: Partial<Workspace> = {}) => {
  const owner = organization ?? (await on.organization());
  const workspace = await on.workspace(owner, given);
  const { state: version } = await on.version(workspace);
  return { organization: owner, workspace, version };
};

/** A workspace that names a pool. */
const aServedPlace = async (on: Ground) => {
  const organization = await on.organization();
  const pool = anAgentPool(organization);
  await on.run((tx) => tx.agentPools.add(pool));
  return { place: await aPlace(on, organization, { executionMode: 'agent', agentPoolId: pool.id }), pool };
};

type Place = Awaited<ReturnType<typeof aPlace>>;

/** The next run of the workspace. */
const aRunThere = (
  on: Ground,
  { workspace, version }: Pick<Place, 'workspace' | 'version'>,
  given: Partial<RunState> = {},
): Promise<Run> =>
  on.run(async (tx) => {
    const run = aRun(workspace, version, { ...given, sequence: (await tx.runs.takeSequence(workspace.id)).sequence });
    await tx.runs.add(run);
    return run;
  });

const aLease = (given: Partial<Lease> = {}): Lease => ({
  poolId: 'apool-1',
  agent: 'agent-of-tests',
  digest: unique('digest'),
  expiresAt: afterNoon(60),
  ...given,
});

const moved = ({ state }: Run, change: Partial<RunState> = {}): Run =>
  Run.restore({ ...state, ...change, revision: state.revision + 1 });

const hide = {
  workspace: (on: Ground, { workspace }: Place) => on.run((tx) => tx.workspaces.remove(workspace.id, noon)),
  organization: (on: Ground, { organization }: Place) => on.run((tx) => tx.organizations.remove(organization.id, noon)),
};

const deletions = Object.entries(hide);

onEveryBackend('runs', (on) => {
  const find = async (id: string) => (await on.read((tx) => tx.runs.find(id)))?.state;

  it('refuses a save that is based on an older revision, and one of a run that is not there', async () => {
    const run = await aRunThere(on, await aPlace(on));
    const next = moved(run, { failure: 'first' });
    await on.run((tx) => tx.runs.save(next));
    for (const stale of [
      moved(run, { failure: 'second' }),
      run,
      moved(moved(next)),
      aRun({ id: 'ws' }, { id: 'cv' }),
    ]) {
      await expect(on.run((tx) => tx.runs.save(stale))).rejects.toEqual(refusal('shared/stale-revision'));
    }
    expect(await find(run.state.id)).toEqual(next.state);
  });

  it('returns the standing of the caller', async () => {
    const { organization, ...place } = await aPlace(on);
    const member = await on.member(organization);
    const [granted, ungranted] = [await on.team(organization, {}, [member]), await on.team(organization)];
    await on.grant(granted, place.workspace, { access: 'plan' });
    const run = await aRunThere(on, place);
    const seenBy = (actor: Parameters<typeof asUser>[0] | undefined, other = asOrganization(organization)) =>
      on.read((tx) => tx.runs.findFor(actor ? asUser(actor) : other, run.state.id));

    const grant = expect.objectContaining({ teamId: granted.id, grant: { access: 'plan' } });
    expect(await seenBy(member)).toMatchObject({ subject: run, standing: { member: true, teams: [grant] } });
    expect(await seenBy(await on.user())).toMatchObject({ subject: run, standing: { member: false, teams: [] } });
    expect(await seenBy(undefined)).toMatchObject({ standing: { actor: 'organization', member: true } });
    expect(await seenBy(undefined, asTeam(granted))).toMatchObject({ standing: { member: true, teams: [grant] } });
    const bare = { member: true, teams: [{ teamId: ungranted.id }] };
    expect(await seenBy(undefined, asTeam(ungranted))).toMatchObject({ standing: bare });
    expect(await on.read((tx) => tx.runs.findFor(asUser(member), 'run-nobody'))).toBeUndefined();
  });

  it.each(deletions)('hides everything that hangs on a deleted %s', async (_, remove) => {
    const { place, pool } = await aServedPlace(on);
    const { workspace, version, organization } = place;
    const member = await on.member(organization);
    const createdBy = { kind: 'user', id: member.id } as const;
    const lease = aLease({ expiresAt: '2020-01-01T00:00:00.000Z' });
    const waiting = await aRunThere(on, place, { createdBy });
    const holding = await aRunThere(on, place, { status: 'apply_queued', lease });
    await aRunThere(on, place, { status: 'applying', planOnly: true });
    const look = () =>
      on.read(async (tx) => [
        await tx.runs.find(waiting.state.id),
        await tx.runs.findFor(asUser(member), waiting.state.id),
        await tx.runs.findByLease(lease.digest),
        await tx.runs.nextWaiting(workspace.id),
        await tx.runs.nextClaimable({ poolId: pool.id, organizationId: organization.id }),
        (await tx.runs.withExpiredLease(noon, 100)).find((id) => id === holding.state.id),
        (await tx.runs.anotherHolds(workspace.id, waiting.state.id)) || undefined,
        (await tx.runs.anyApplying({ organizationId: organization.id })) || undefined,
        (await tx.runs.anyApplying({ workspaceId: workspace.id })) || undefined,
        (await tx.runs.page(workspace.id, page(1))).items[0],
        (await tx.runs.page(workspace.id, page(1))).total || undefined,
        (await tx.runs.firstOfVersions([version.id])).get(version.id),
        (await tx.runs.capacityOf(organization.id)).pending || undefined,
        (await tx.runs.positionsOf(workspace.id, [waiting.state.id])).get(waiting.state.id),
      ]);
    const before = await look();
    expect(before).not.toContain(undefined);
    await remove(on, place);
    expect(await look()).toEqual(before.map(() => undefined));
    await expect(on.run((tx) => tx.runs.takeSequence(workspace.id))).rejects.toEqual(refusal('resource/not-found'));
  });

  it('gives out dense sequence numbers, apart from those of versions, to twenty at once', async () => {
    const [{ workspace }, neighbour] = [await aPlace(on), await aPlace(on)];
    const take = (id = workspace.id) => on.run(async (tx) => (await tx.runs.takeSequence(id)).sequence);
    const taken = await Promise.all(Array.from({ length: 20 }, () => take()));
    expect(taken.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    await expect(
      on.run(async (tx) => {
        (await tx.runs.takeSequence(workspace.id)).sequence;
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await take()).toBe(21);
    expect(await take(neighbour.workspace.id)).toBe(1);
    await on.version(workspace);
    const versions = await on.read((tx) => tx.configurationVersions.page(workspace.id, { number: 1, size: 5 }));
    expect(versions).toMatchObject({ total: 2, items: { length: 2 } });
    await expect(take('ws-nobody')).rejects.toEqual(refusal('resource/not-found'));
  });

  it('lets no two runs hold one workspace, nor have one number, whatever was asked before', async () => {
    const place = await aPlace(on);
    const holding = await aRunThere(on, place, { status: 'planned' });
    const waiting = await aRunThere(on, place);
    const refused = async (work: Promise<unknown>) => {
      const error = await work.catch((thrown: unknown) => thrown);
      expect(error).toHaveProperty('message', expect.stringMatching(/unique constraint|one sequence number|hold one/i));
      expect(error).not.toBeInstanceOf(DomainError);
    };
    await refused(on.run((tx) => tx.runs.save(moved(waiting, { status: 'plan_queued' }))));
    await refused(aRunThere(on, place, { status: 'applying' }));
    await refused(on.run((tx) => tx.runs.add(aRun(place.workspace, place.version, { sequence: 1 }))));
    await aRunThere(on, place, { status: 'applying', planOnly: true });
    await on.run((tx) => tx.runs.save(moved(holding, { status: 'discarded' })));
    await on.run((tx) => tx.runs.save(moved(waiting, { status: 'plan_queued' })));
  });

  describe('in pages', () => {
    let place: Place;
    let ids: readonly string[];

    beforeAll(async () => {
      place = await aPlace(on);
      const runs: string[] = [];
      for (let n = 0; n < 25; n += 1) {
        runs.unshift((await aRunThere(on, place, { status: 'applied' })).state.id);
        if (n % 5 === 0) await aRunThere(on, { ...place, workspace: await on.workspace(place.organization) });
      }
      ids = runs;
    });

    it.each([
      [1, 20, 0, 20],
      [2, 20, 20, 25],
      [3, 20, 25, 25],
      [5, 5, 20, 25],
      [6, 5, 25, 25],
      [25, 1, 24, 25],
      [1, 100, 0, 25],
      [500_000_000, 100, 25, 25],
    ])('are newest first: page %d of %d', async (number, size, from, to) => {
      const found = await on.read((tx) => tx.runs.page(place.workspace.id, { number, size }));
      expect({ ...found, items: found.items.map(({ id }) => id) }).toEqual({
        number,
        size,
        total: 25,
        items: ids.slice(from, to),
      });
    });

    it('are whole, and empty where there is nothing', async () => {
      const [first] = (await on.read((tx) => tx.runs.page(place.workspace.id, page(1)))).items;
      expect(first).toEqual(await find(ids[0] ?? ''));
      const { workspace } = await aPlace(on);
      for (const id of [workspace.id, 'ws-nobody']) {
        const empty = { ...page(1), total: 0, items: [] };
        expect(await on.read((tx) => tx.runs.page(id, page(1)))).toEqual(empty);
      }
    });
  });

  it('knows the first run of each version', async () => {
    const place = await aPlace(on);
    const [often, never] = [(await on.version(place.workspace)).state, (await on.version(place.workspace)).state];
    const first = await aRunThere(on, { ...place, version: often }, { status: 'errored', createdAt: afterNoon(9) });
    const only = await aRunThere(on, place);
    await aRunThere(on, { ...place, version: often }, { createdAt: noon });
    const firstOf = (ids: readonly ConfigurationVersionId[]) => on.read((tx) => tx.runs.firstOfVersions(ids));
    expect(await firstOf([place.version.id, often.id, never.id, 'cv-nobody'])).toEqual(
      new Map([
        [often.id, first.state],
        [place.version.id, only.state],
      ]),
    );
    expect(await firstOf([never.id])).toEqual(new Map());
    expect(await firstOf([])).toEqual(new Map());
  });

  it('wait for those that wait longer, and for the one that holds their workspace', async () => {
    const place = await aPlace(on);
    const add = (status: RunStatus, given: Partial<RunState> = {}) => aRunThere(on, place, { status, ...given });
    const saved = await add('confirmed');
    await add('applied');
    const holding = await add('planned');
    await add('planned_and_saved');
    const [first, run] = [await add('pending'), await add('pending')];
    await add('pending');
    await add('planning', { planOnly: true });
    await add('pending', { planOnly: true });
    await aRunThere(on, await aPlace(on), { status: 'planned' });
    const before = async (of: Run, limit: number) =>
      (await on.read((tx) => tx.runs.before(of, limit))).map(({ state }) => state.id);
    expect(await before(run, 10)).toEqual([saved, first, holding].map(({ state }) => state.id));
    expect(await before(run, 2)).toEqual([saved.state.id, holding.state.id]);
    expect(await before(holding, 10)).toEqual([saved.state.id]);
  });

  describe('the queue of an organization', () => {
    const nobody = { actor: 'user', siteAdministrator: false, member: true, teams: [] } as const;

    /** Runs in three workspaces, among many that are not in the queue. */
    const aQueue = async () => {
      const place = await aPlace(on);
      const [second, third] = [
        { ...place, workspace: await on.workspace(place.organization) },
        { ...place, workspace: await on.workspace(place.organization) },
      ];
      const at = (seconds: number) => ({ createdAt: afterNoon(seconds) });
      const executedLast = await aRunThere(on, third, { ...at(50), status: 'applying' });
      const second2 = await aRunThere(on, second, { ...at(40), status: 'confirmed' });
      const first3 = await aRunThere(on, place, { ...at(30), status: 'pending' });
      const executedFirst = await aRunThere(on, place, { ...at(20), status: 'planning' });
      const queued = await aRunThere(on, second, { ...at(10), status: 'plan_queued' });
      for (const status of ['planned', 'planned_and_saved', 'applied', 'errored'] as const) {
        await aRunThere(on, { ...place, workspace: await on.workspace(place.organization) }, { status });
      }
      await aRunThere(on, await aPlace(on), { status: 'planning' });
      const inOrder = [executedFirst, executedLast, queued, first3, second2];
      return { ...place, second, third, ids: inOrder.map(({ state }) => state.id) };
    };

    it('begins with what is executed, and goes on in the order of creation, page by page', async () => {
      const { organization, ids } = await aQueue();
      const queue = (number: number, size = 20) =>
        on.read((tx) => tx.runs.queue(organization.id, nobody, 'all', page(number, size)));
      const whole = await queue(1);
      expect(whole.items.map(({ subject }) => [subject.run.id, subject.position])).toEqual(
        ids.map((id, index) => [id, index + 1]),
      );
      expect(whole).toMatchObject({ ...page(1), total: 5 });
      expect(whole.items[0]?.subject.run).toEqual(await find(ids[0] ?? ''));
      const second = await queue(2, 2);
      expect(second).toMatchObject({ total: 5 });
      expect(second.items.map(({ subject }) => subject.position)).toEqual([3, 4]);
      expect((await queue(3, 3)).items).toEqual([]);
      const none = await on.organization();
      const empty = await on.read((tx) => tx.runs.queue(none.id, nobody, 'all', page(1)));
      expect(empty).toEqual({ ...page(1), total: 0, items: [] });
    });

    it('shows what the caller may see, in its place among what they may not, with their grants', async () => {
      const { organization, second, ids } = await aQueue();
      const [team, without] = [await on.team(organization), await on.team(organization)];
      await on.grant(team, second.workspace, { access: 'write' });
      const teamOf = ({ id }: { readonly id: string }) => ({ teamId: id, owners: false, access: new Set<never>() });
      const standing = { ...nobody, teams: [teamOf(team), teamOf(without)] };
      const through = (...teams: readonly { readonly id: string }[]) =>
        on.read((tx) => tx.runs.queue(organization.id, standing, { throughTeams: teams.map(({ id }) => id) }, page(1)));
      const seen = await through(team, without);
      expect(seen.total).toBe(2);
      expect(seen.items.map(({ subject }) => [subject.run.id, subject.position])).toEqual([
        [ids[2], 3],
        [ids[4], 5],
      ]);
      for (const item of seen.items) {
        expect(item.standing.teams).toEqual([{ ...teamOf(team), grant: { access: 'write' } }, teamOf(without)]);
      }
      expect(await through(without)).toMatchObject({ total: 0, items: [] });
    });

    it('returns the position of one, and how many there are of each kind', async () => {
      const { organization, workspace, ids } = await aQueue();
      expect(await on.read((tx) => tx.runs.positionsOf(workspace.id, [ids[3] ?? '', 'run-nobody']))).toEqual(
        new Map([[ids[3], 4]]),
      );
      expect(await on.read((tx) => tx.runs.positionsOf(workspace.id, []))).toEqual(new Map());
      expect(await on.read((tx) => tx.runs.capacityOf(organization.id))).toEqual({ pending: 3, running: 2 });
      const none = await on.organization();
      expect(await on.read((tx) => tx.runs.capacityOf(none.id))).toEqual({ pending: 0, running: 0 });
    });
  });

  it('knows the runs and the state that the document of each workspace shows', async () => {
    const [held, waitedFor, rested] = [await aPlace(on), await aPlace(on), await aPlace(on)];
    await aRunThere(on, held, { status: 'planned_and_saved' });
    const waiting = await aRunThere(on, held);
    const holding = await aRunThere(on, held, { status: 'planned' });
    await aRunThere(on, waitedFor, { status: 'planning', planOnly: true });
    const longest = await aRunThere(on, waitedFor, { status: 'confirmed' });
    const last = await aRunThere(on, waitedFor);
    const applied = await aRunThere(on, rested, { status: 'applied' });
    const states = [aStateVersion(applied.state), aStateVersion(applied.state, { serial: 2 })];
    for (const state of states) {
      await on.run(async (tx) => {
        await tx.stateVersions.add(state, []);
        await tx.stateVersions.finalize(state, aBundle());
      });
    }
    const ids = [held, waitedFor, rested].map(({ workspace }) => workspace.id);
    const activity = () => on.read((tx) => tx.runs.activityOf([...ids, 'ws-nobody']));
    const variables = [aVariable(held.workspace), aVariable(held.workspace), aVariable(rested.workspace)];
    await on.run(async (tx) => {
      for (const variable of variables) await tx.variables.add(variable);
    });
    const [one = '', two = '', third = ''] = variables.map(({ id }) => id);
    const none = { stateVersionId: null, resourceCount: null, variableIds: [] };
    const atRest = { workingRunId: null, currentRunId: null, latestRunId: applied.state.id, runsCount: 1 };
    const [heldBy, longestId] = [holding.state.id, longest.state.id];
    expect(await activity()).toEqual(
      new Map([
        [
          ids[0],
          {
            ...none,
            ...{ workingRunId: heldBy, currentRunId: heldBy, latestRunId: heldBy, runsCount: 3 },
            variableIds: [one, two].sort(),
          },
        ],
        [ids[1], { ...none, workingRunId: null, currentRunId: longestId, latestRunId: last.state.id, runsCount: 3 }],
        [ids[2], { ...none, ...atRest, stateVersionId: states[1]?.id, variableIds: [third] }],
      ]),
    );
    await on.run((tx) => tx.runs.save(moved(holding, { status: 'discarded' })));
    const after = { workingRunId: null, currentRunId: waiting.state.id, latestRunId: heldBy };
    expect((await activity()).get(ids[0] ?? '')).toMatchObject(after);
    expect(await on.read((tx) => tx.runs.activityOf([]))).toEqual(new Map());
  });

  it('knows whether a run fetched bytes for itself', async () => {
    const key = unique('bundle');
    const refers = () => on.read((tx) => tx.storedFiles.refersTo(key));
    const place = await aPlace(on);
    await aRunThere(on, place);
    expect(await refers()).toBe(false);
    const run = await aRunThere(on, place, { ownFiles: { key, bytes: 3 } });
    expect(await refers()).toBe(true);
    await on.run((tx) => tx.workspaces.remove(place.workspace.id, noon));
    expect(await refers()).toBe(true);
    await on.run((tx) => tx.runs.save(moved(run, { ownFiles: null })));
    expect(await refers()).toBe(false);
  });

  it('finds a run by its lease, and by none it had before', async () => {
    const [first, second] = [aLease(), aLease()];
    const run = await aRunThere(on, await aPlace(on), { status: 'planning', lease: first });
    const byLease = async ({ digest }: Lease) => (await on.read((tx) => tx.runs.findByLease(digest)))?.state;
    expect(await byLease(first)).toEqual(run.state);
    const next = run.with({ lease: second });
    await on.run((tx) => tx.runs.save(next));
    expect(await byLease(first)).toBeUndefined();
    expect(await byLease(second)).toEqual(next.state);
    await on.run((tx) => tx.runs.save(next.with({ lease: null })));
    expect(await byLease(second)).toBeUndefined();
  });

  it('finds the leases that ran out, the longest ago first', async () => {
    const longAgo = (seconds: number) =>
      new Date(Date.parse('2021-01-01T00:00:00.000Z') + seconds * 1000).toISOString();
    const leased = async (seconds: number) => {
      const lease = aLease({ expiresAt: longAgo(seconds) });
      return (await aRunThere(on, await aPlace(on), { status: 'planning', lease })).state.id;
    };
    const [third, first, second, live] = [await leased(30), await leased(10), await leased(20), await leased(31)];
    await aRunThere(on, await aPlace(on), { status: 'planning' });
    const expired = (at: string, limit = 10) => on.read((tx) => tx.runs.withExpiredLease(at, limit));
    expect(await expired(longAgo(30))).toEqual([first, second, third]);
    expect(await expired(longAgo(30), 2)).toEqual([first, second]);
    expect(await expired(longAgo(9))).toEqual([]);
    expect(await expired(longAgo(31))).toContain(live);
  });
});

onEveryBackend('rules about runs', (on) => {
  const claimableStatuses: readonly RunStatus[] = ['plan_queued', 'apply_queued'];
  const waitingStatuses: readonly RunStatus[] = ['pending', 'confirmed'];

  describe.each(runStatuses.map((status) => ({ status })))('of one that is $status', ({ status }) => {
    const inProgress = !completedRunStatuses.includes(status);

    it.each([{ planOnly: false }, { planOnly: true }])(
      'answer what is asked of it ($planOnly)',
      async ({ planOnly }) => {
        const { place, pool } = await aServedPlace(on);
        const { workspace, version, organization } = place;
        const neighbour = await on.workspace(organization);
        const run = await aRunThere(on, place, { status, planOnly });
        const answers = await on.read(async (tx) => ({
          about: await tx.runs.aboutVersion(version.id),
          inOrganization: await tx.runs.anyApplying({ organizationId: organization.id }),
          inWorkspace: await tx.runs.anyApplying({ workspaceId: workspace.id }),
          inNeighbour: await tx.runs.anyApplying({ workspaceId: neighbour.id }),
          holds: await tx.runs.anotherHolds(workspace.id, 'run-another'),
          holdsBesideItself: await tx.runs.anotherHolds(workspace.id, run.state.id),
          holdsNeighbour: await tx.runs.anotherHolds(neighbour.id, 'run-another'),
          waiting: (await tx.runs.nextWaiting(workspace.id))?.state.id,
          claimable: await tx.runs.nextClaimable({ poolId: pool.id, organizationId: organization.id }),
        }));
        const { id } = run.state;
        expect(answers).toEqual({
          about: { isCurrent: false, runsInProgress: inProgress, usedByRun: true },
          inOrganization: status === 'applying',
          inWorkspace: status === 'applying',
          inNeighbour: false,
          holds: !planOnly && runStatusesHoldingWorkspace.includes(status),
          holdsBesideItself: false,
          holdsNeighbour: false,
          waiting: !planOnly && waitingStatuses.includes(status) ? id : undefined,
          claimable: claimableStatuses.includes(status) ? id : undefined,
        });
      },
    );
  });

  it('say nothing of a version without runs, but whether it is current', async () => {
    const { workspace, version } = await aPlace(on);
    const about = (id: string) => on.read((tx) => tx.runs.aboutVersion(id));
    const unused = { runsInProgress: false, usedByRun: false };
    expect(await about(version.id)).toEqual({ isCurrent: false, ...unused });
    const current = aConfigurationVersion(workspace);
    await on.run((tx) => tx.configurationVersions.add(current, true));
    expect(await about(current.state.id)).toEqual({ isCurrent: true, ...unused });
    expect(await about('cv-nobody')).toEqual({ isCurrent: false, ...unused });
  });

  it('find a run that is applied among others', async () => {
    const place = await aPlace(on);
    const scope: RunScope = { workspaceId: place.workspace.id };
    for (const status of completedRunStatuses) await aRunThere(on, place, { status });
    await aRunThere(on, place, { status: 'planned_and_saved' });
    expect(await on.read((tx) => tx.runs.anyApplying(scope))).toBe(false);
    await aRunThere(on, place, { status: 'applying' });
    expect(await on.read((tx) => tx.runs.anyApplying(scope))).toBe(true);
  });

  it('let the oldest of those wait first that were created first, whatever their status', async () => {
    const place = await aPlace(on);
    await aRunThere(on, place, { planOnly: true });
    const confirmed = await aRunThere(on, place, { status: 'confirmed', createdAt: afterNoon(9) });
    const pending = await aRunThere(on, place, { createdAt: noon });
    const next = async () => (await on.read((tx) => tx.runs.nextWaiting(place.workspace.id)))?.state;
    expect(await next()).toEqual(confirmed.state);
    await on.run((tx) => tx.runs.save(moved(confirmed, { status: 'apply_queued' })));
    expect(await next()).toEqual(pending.state);
  });

  describe('for agents', () => {
    const aPool = async (organization: Organization, given: Partial<AgentPool> = {}): Promise<AgentPool> => {
      const pool = anAgentPool(organization, given);
      await on.run((tx) => tx.agentPools.add(pool));
      return pool;
    };
    const claim = ({ id: poolId, organizationId }: AgentPool) =>
      on.read((tx) => tx.runs.nextClaimable({ poolId, organizationId }));
    const served = (pool: AgentPool) => ({ executionMode: 'agent', agentPoolId: pool.id }) as const;
    const finish = (run: Run) => on.run((tx) => tx.runs.save(moved(run, { status: 'errored' })));

    it('offer the oldest of all workspaces first', async () => {
      const organization = await on.organization();
      const pool = await aPool(organization);
      const queued = async (id: string, createdAt: string, status: RunStatus) =>
        aRunThere(on, await aPlace(on, organization, served(pool)), { id, createdAt, status });
      const [a, b] = [unique('run'), unique('run')].sort();
      const late = await queued(unique('run'), afterNoon(5), 'plan_queued');
      const tied = await queued(b ?? '', afterNoon(1), 'plan_queued');
      const early = await queued(a ?? '', afterNoon(1), 'apply_queued');
      for (const run of [early, tied, late]) {
        expect(await claim(pool)).toBe(run.state.id);
        await finish(run);
      }
      expect(await claim(pool)).toBeUndefined();
    });

    const longAgo = '2001-01-01T00:00:00.000Z';
    const modes = ['remote', 'local', 'agent', null] as const;
    const poolOf = (name: string, ids: Readonly<Record<string, string>>) => ids[name] ?? null;

    it('offer of every workspace exactly the runs that `serves` gives the pool', async () => {
      const pools: AgentPool[] = [];
      const workspaces: Workspace[] = [];
      for (const byDefault of [null, 'remote', 'local', 'own', 'scoped'] as const) {
        const organization = await on.organization();
        const own = await aPool(organization);
        const scoped = await aPool(organization, { organizationScoped: false });
        const inProject = {
          none: { executionMode: null, agentPoolId: null },
          remote: { executionMode: 'agent', agentPoolId: own.id },
          local: { executionMode: 'remote', agentPoolId: null },
          own: { executionMode: 'local', agentPoolId: null },
          scoped: { executionMode: null, agentPoolId: own.id },
        } as const;
        const project = aProject(organization, inProject[byDefault ?? 'none']);
        await on.run((tx) => tx.projects.add(project));
        const ids = { own: own.id, scoped: scoped.id };
        const defaults: ExecutionDefaults =
          byDefault === 'own' || byDefault === 'scoped'
            ? { executionMode: 'agent', agentPoolId: ids[byDefault] }
            : { executionMode: byDefault ?? 'remote', agentPoolId: null };
        await on.run((tx) => tx.organizations.setDefaults(organization.id, defaults));
        for (const executionMode of modes) {
          for (const names of ['none', 'own', 'scoped']) {
            const agentPoolId = poolOf(names, ids);
            const projectId = workspaces.length % 3 === 0 ? project.id : defaultProjectId(organization.id);
            workspaces.push(await on.workspace(organization, { executionMode, agentPoolId, projectId }));
          }
        }
        const of = workspaces.filter(({ organizationId }) => organizationId === organization.id).map(({ id }) => id);
        await on.run((tx) => tx.agentPools.save({ ...own, excludedWorkspaceIds: of.filter((_, at) => at % 5 === 0) }));
        await on.run((tx) =>
          tx.agentPools.save({
            ...scoped,
            allowedWorkspaceIds: of.filter((_, at) => at % 2 === 0),
            allowedProjectIds: [project.id],
            excludedWorkspaceIds: of.filter((_, at) => at % 7 === 6),
          }),
        );
        pools.push(own, scoped);
      }
      const site = aSiteAgentPool();
      await on.run((tx) => tx.agentPools.add(site));
      // The only run here, and older than those of other tests.
      for (const { id } of workspaces) {
        const workspace = await on.read((tx) => tx.workspaces.find(id));
        if (workspace === undefined) throw new Error('it was just made');
        const version = await on.version(workspace, { status: 'uploaded' });
        const run = await aRunThere(
          on,
          { workspace, version: version.state },
          { status: 'plan_queued', createdAt: longAgo },
        );
        for (const { id: poolId } of [...pools, site]) {
          const pool = await on.read((tx) => tx.agentPools.find(poolId));
          if (pool === undefined) throw new Error('it was just made');
          expect([poolId, id, (await claim(pool)) === run.state.id]).toEqual([poolId, id, serves(pool, workspace)]);
        }
        await finish(run);
      }
    });
  });
});

onEveryBackend('run logs', (on) => {
  const aLog = async () => (await aRunThere(on, await aPlace(on))).state.id;
  const append = (id: string, offset: number, bytes: Uint8Array, phase: 'plan' | 'apply' = 'plan') =>
    on.run((tx) => tx.runLogs.append({ id, workspaceId: 'ws-1' }, phase, offset, bytes));
  const size = (id: string, phase: 'plan' | 'apply' = 'plan') => on.read((tx) => tx.runLogs.size(id, phase));
  const read = (id: string, offset: number, limit: number, phase: 'plan' | 'apply' = 'plan') =>
    on.read((tx) => tx.runLogs.read(id, phase, offset, limit));
  const bytes = (...values: readonly number[]) => Uint8Array.from(values);

  it('are empty until something is written', async () => {
    const id = await aLog();
    expect(await size(id)).toBe(0);
    expect(await read(id, 0, 100)).toEqual(bytes());
    await append(id, 0, bytes());
    expect(await size(id)).toBe(0);
    await append(id, 0, bytes(1));
    await append(id, 1, bytes());
    await append(id, 1, bytes(2));
    expect(await read(id, 0, 100)).toEqual(bytes(1, 2));
  });

  it('keep every byte, in plain arrays', async () => {
    const id = await aLog();
    const all = Uint8Array.from({ length: 256 }, (_, value) => value);
    // A view into a larger buffer.
    await append(id, 0, all.subarray(10, 200));
    const found = await read(id, 0, 1000);
    expect(found).toEqual(all.slice(10, 200));
    expect(Object.getPrototypeOf(found)).toBe(Uint8Array.prototype);
    expect(await size(id)).toBe(190);
  });

  it('have each phase and each run apart, and are dropped apart', async () => {
    const [id, other] = [await aLog(), await aLog()];
    await append(id, 0, bytes(1, 2));
    await append(id, 0, bytes(3), 'apply');
    await append(other, 0, bytes(4));
    expect([await read(id, 0, 9), await read(id, 0, 9, 'apply'), await read(other, 0, 9)]).toEqual([
      bytes(1, 2),
      bytes(3),
      bytes(4),
    ]);
    for (const _ of [1, 2]) await on.run((tx) => tx.runLogs.drop(id, 'plan'));
    expect([await size(id), await size(id, 'apply'), await size(other)]).toEqual([0, 1, 1]);
    await append(id, 0, bytes(5));
    expect(await read(id, 0, 9)).toEqual(bytes(5));
  });

  it('refuse what is not written at their end', async () => {
    const id = await aLog();
    const stale = refusal('shared/stale-revision');
    await expect(append(id, 1, bytes(1))).rejects.toEqual(stale);
    await append(id, 0, bytes(1, 2, 3));
    for (const offset of [0, 1, 2, 4]) {
      await expect(append(id, offset, bytes(9))).rejects.toEqual(stale);
      await expect(append(id, offset, bytes())).rejects.toEqual(stale);
    }
    expect(await read(id, 0, 9)).toEqual(bytes(1, 2, 3));
  });

  it('let one of several writers write that begin at the same place', async () => {
    const id = await aLog();
    const writers = Array.from({ length: 5 }, (_, n) => append(id, 0, new Uint8Array(n + 1).fill(n)));
    const ended = await Promise.allSettled(writers);
    const refused = ended.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused).toEqual(Array.from({ length: 4 }, () => refusal('shared/stale-revision')));
    const winner = ended.findIndex(({ status }) => status === 'fulfilled');
    expect(await read(id, 0, 9)).toEqual(new Uint8Array(winner + 1).fill(winner));
  });

  it('are read from anywhere to anywhere, across what was appended', async () => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 });
    const ranges = fc.array(fc.tuple(fc.nat(40), fc.nat(40)), { minLength: 1, maxLength: 10 });
    const property = fc.asyncProperty(chunks, ranges, async (written, asked) => {
      const id = await aLog();
      for (const chunk of written) await append(id, await size(id), chunk);
      const whole = Uint8Array.from(written.flatMap((chunk) => [...chunk]));
      expect(await size(id)).toBe(whole.length);
      for (const [offset, limit] of asked) {
        expect(await read(id, offset, limit)).toEqual(whole.slice(offset, offset + limit));
      }
    });
    await fc.assert(property, { numRuns: 25 });
  });
});
