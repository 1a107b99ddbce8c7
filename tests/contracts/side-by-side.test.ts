import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { SignedCapabilityUrls } from '../../src/adapters/files/signed-capability-urls.js';
import { TarBundleInspector } from '../../src/adapters/files/tar-bundle-inspector.js';
import { inOneTransaction } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';
import { type KnexDatabase, openPostgres } from '../../src/adapters/persistence/knex/knex-database.js';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { RandomIds } from '../../src/adapters/system/random-ids.js';
import { randomPause } from '../../src/adapters/system/random-pause.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import type { Ports } from '../../src/application/assembly.js';
import * as application from '../../src/application/index.js';
import type { UseCases } from '../../src/application/use-cases.js';
import {
  type Actor,
  type Agent,
  type BundleKey,
  type Organization,
  type RunId,
  type RunTask,
  runTaskLimits,
  type Team,
  type User,
  variableLimits,
  type Workspace,
} from '../../src/domain/index.js';
import { defaultRunOptions, Run } from '../../src/domain/supporting/runs/run.js';
import { inChunks, lifetimes, limits, objectIdOf, settings, useCasesOn } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import {
  aBundle,
  aConfigurationVersion,
  afterNoon,
  aMembership,
  anOrganization,
  aProject,
  aStateVersion,
  asOrganization,
  asTeam,
  asUser,
  aTeam,
  aUser,
  aVariable,
  aWorkspace,
  giveGrant,
  noon,
  someIngressAttributes,
  unique,
} from '../support/builders.js';
import { aClaim } from '../support/claims.js';
import { freshSchema, skipPostgres } from '../support/databases.js';
import { MemoryBundleStore } from '../support/memory-bundle-store.js';
import { MemoryCommitFetcher } from '../support/memory-commit-fetcher.js';
import { MemoryIdentityProvider } from '../support/memory-identity-provider.js';
import { MemoryNotifier } from '../support/memory-notifier.js';
import { MemoryRunTaskCaller } from '../support/memory-run-task-caller.js';
import {
  aManagedPolicy,
  anAgentPool,
  aPolicySet,
  aRunTask,
  aSiteAgentPool,
  aWorkspaceTask,
} from '../support/policy-builders.js';
import { type SeededRun, seedRun } from '../support/seed-run.js';
import { refusal } from './on-every-backend.js';

/** Holds its first transaction open, with its work done, until released. */
class Lingering implements application.UnitOfWork {
  private first = true;
  private reached: () => void = () => undefined;
  readonly lingers = new Promise<void>((resolve) => {
    this.reached = resolve;
  });
  letGo: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  constructor(private readonly inner: application.UnitOfWork) {}

  run<Result>(work: (tx: application.Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.run(async (tx) => {
      const result = await work(tx);
      if (this.first) {
        this.first = false;
        this.reached();
        await this.released;
      }
      return result;
    });
  }

  read<Result>(work: (tx: application.Transaction) => Promise<Result>): Promise<Result> {
    return this.inner.read(work);
  }
}

const urls = new SignedCapabilityUrls({ publicUrl: '', signingSecrets: ['a secret'], seconds: lifetimes });

type Act = (useCases: UseCases) => Promise<unknown>;

(skipPostgres ? describe.skip : describe)('instances on one Postgres', () => {
  let drop: () => Promise<void>;
  let databases: KnexDatabase[];
  let looking: pg.Client;
  const application_name = unique('instances');
  let schemaUrl: string;
  const clock = new FixedClock(noon);
  const ids = new RandomIds('secret');
  const secrets = new RandomSecrets();
  const box = new SealedSecretBox(['a secret']);
  const options = { ...defaultRunOptions, message: '' };
  const identityProvider = new MemoryIdentityProvider();
  let store: MemoryBundleStore;
  beforeEach(() => {
    store = new MemoryBundleStore();
  });

  const instance = (index: number): application.UnitOfWork => {
    const database = databases[index];
    if (database === undefined) throw new Error('there are three');
    return new application.RetryingUnitOfWork(database.unitOfWork, randomPause);
  };

  const useCasesOf = (unitOfWork: application.UnitOfWork, given: Partial<Ports> = {}): UseCases =>
    useCasesOn({
      clock,
      ids,
      secrets,
      secretBox: box,
      capabilityUrls: urls,
      bundleInspector: new TarBundleInspector(limits),
      bundleStore: store,
      commitFetcher: new MemoryCommitFetcher(),
      identityProvider,
      runTaskCaller: new MemoryRunTaskCaller(),
      notifier: new MemoryNotifier(),
      settings,
      snapshots: inOneTransaction(unitOfWork),
      ...given,
      unitOfWork,
    });

  const on = (index: number, given: Partial<Ports> = {}) => useCasesOf(instance(index), given);

  beforeAll(async () => {
    const schema = await freshSchema();
    drop = schema.drop;
    schemaUrl = schema.url;
    looking = new pg.Client({ connectionString: schema.url });
    await looking.connect();
    const named = `${schema.url}&application_name=${application_name}`;
    databases = [1, 2, 3].map(() => openPostgres(named, { poolSize: 6 }));
    // All at once, as instances do.
    await Promise.all(databases.map((database) => database.migrate()));
  });

  afterAll(async () => {
    for (const database of databases) await database.close();
    await looking.end();
    await drop();
  });

  interface Place {
    readonly organization: Organization;
    readonly owner: User;
    readonly user: User;
    readonly team: Team;
    readonly workspace: Workspace;
    readonly membershipId: string;
    readonly pool: { readonly id: string };
    readonly agent: Agent;
    readonly siteAgent: Agent;
  }

  const newPlace = async (): Promise<Place> => {
    const poolId = unique('apool');
    const organization = anOrganization({ defaults: { executionMode: 'agent', agentPoolId: poolId } });
    const [owner, user] = [aUser({ siteAdministrator: true }), aUser({ siteAdministrator: true })];
    const owners = aTeam(organization, { owners: true });
    const team = aTeam(organization);
    const workspace = aWorkspace(organization);
    const version = aConfigurationVersion(workspace, { status: 'uploaded' });
    const [ofOwner, membership] = [aMembership(organization, owner), aMembership(organization, user)];
    const pool = anAgentPool(organization, { id: poolId });
    const sitePool = aSiteAgentPool();
    await instance(0).run(async (tx) => {
      await tx.organizations.add(organization);
      for (const each of [owner, user]) await tx.users.add(each);
      for (const each of [owners, team]) await tx.teams.add(each);
      for (const each of [ofOwner, membership]) await tx.memberships.add(each);
      await tx.teams.addMembers(owners, [owner.id]);
      await tx.teams.addMembers(team, [user.id]);
      await tx.workspaces.add(workspace);
      await tx.configurationVersions.add(version, true);
      await giveGrant(tx, team.id, workspace.id, { access: 'write' });
      await tx.agentPools.add(pool);
      await tx.agentPools.add(sitePool);
    });
    const agent = { tokenId: 'at-1', poolId, organizationId: organization.id };
    const siteAgent = { tokenId: 'at-2', poolId: sitePool.id, organizationId: null };
    return { organization, owner, user, team, workspace, membershipId: membership.id, pool, agent, siteAgent };
  };

  const createRun =
    ({ workspace }: Place, actor: Actor, configurationVersionId?: string): Act =>
    (useCases) =>
      useCases.createRun.execute(actor, {
        workspaceId: workspace.id,
        configurationVersionId,
        options,
        planOnly: false,
        savePlan: false,
        autoApply: undefined,
      });

  const claim =
    ({ agent }: Pick<Place, 'agent'>): Act =>
    (useCases) =>
      useCases.claimRun.execute(agent, 'agent-1');

  const queueApply = async (place: Place): Promise<void> => {
    await createRun(place, asUser(place.owner))(on(0));
    await instance(0).run(async (tx) => {
      const [state] = (await tx.runs.page(place.workspace.id, { number: 1, size: 1 })).items;
      if (state === undefined) throw new Error('there is no run');
      await tx.runs.save(Run.restore({ ...state, status: 'apply_queued', revision: state.revision + 1 }));
    });
  };

  const changeMembers =
    ({ owner, team, user }: Place): Act =>
    (useCases) =>
      useCases.changeTeamMembers.execute(asUser(owner), team.id, 'add', [user.id]);

  const removeUser =
    ({ owner, user }: Place): Act =>
    (useCases) =>
      useCases.removeUser.execute(asUser(owner), user.id);

  const removeTeam =
    ({ owner, team }: Place): Act =>
    (useCases) =>
      useCases.removeTeam.execute(asUser(owner), team.id);

  const removeOrganization =
    ({ owner, organization }: Place): Act =>
    (useCases) =>
      useCases.removeOrganization.execute(asUser(owner), organization.name);

  const removeWorkspace =
    ({ owner, workspace }: Place): Act =>
    (useCases) =>
      useCases.removeWorkspace.execute(asUser(owner), { id: workspace.id });

  const oldestVersion = async ({ workspace }: Place): Promise<string> => {
    const { items } = await instance(0).read((tx) =>
      tx.configurationVersions.page(workspace.id, { number: 1, size: 5 }),
    );
    return items.at(-1)?.id ?? '';
  };

  /** Pairs that exclude each other: one is done, and the other is refused with its own sentence. */
  const exclusions: readonly {
    readonly name: string;
    readonly prepare?: (place: Place) => Promise<unknown>;
    readonly removal: (place: Place) => Act;
    /** Null where the removal takes along what is done at the same time. */
    readonly refused: string | null;
    readonly use: (place: Place) => Act;
    /** Null where the other finds nothing to do. */
    readonly missing: string | null;
  }[] = [
    {
      name: 'a user is removed, and starts a run',
      removal: removeUser,
      refused: null,
      use: (place) => createRun(place, asUser(place.user)),
      missing: 'resource/not-found',
    },
    {
      name: 'a user is removed, and founds an organization',
      removal: removeUser,
      refused: 'owners-team/protected',
      use: (place) => (useCases) =>
        useCases.createOrganization.execute(asUser(place.user), {
          name: unique('org'),
          email: 'ops@example.com',
        }),
      missing: 'resource/not-found',
    },
    {
      name: 'a team is removed, and its token starts a run',
      removal: removeTeam,
      refused: null,
      use: (place) => createRun(place, asTeam(place.team)),
      missing: 'resource/not-found',
    },
    {
      name: 'an organization is removed, and a run starts in it',
      removal: removeOrganization,
      refused: null,
      use: (place) => createRun(place, asUser(place.owner)),
      missing: 'resource/not-found',
    },
    {
      name: 'a workspace is removed, and a run starts in it',
      removal: removeWorkspace,
      refused: null,
      use: (place) => createRun(place, asUser(place.owner)),
      missing: 'resource/not-found',
    },
    {
      name: 'an organization is removed, and an agent begins an apply in it',
      prepare: queueApply,
      removal: removeOrganization,
      refused: 'runs/in-progress',
      use: claim,
      missing: null,
    },
    {
      name: 'a workspace is removed, and an agent begins an apply in it',
      prepare: queueApply,
      removal: removeWorkspace,
      refused: 'runs/in-progress',
      use: claim,
      missing: null,
    },
    {
      name: 'an agent pool is removed, and its agent claims a run',
      prepare: async (place) => {
        const own = { executionMode: 'remote', revision: place.workspace.revision + 1 } as const;
        await instance(0).run((tx) => tx.workspaces.save({ ...place.workspace, ...own }));
        await createRun(place, asUser(place.owner))(on(0));
      },
      removal: (place) => (useCases) =>
        useCases.removeAgentPool.execute(asUser(place.owner), {
          id: place.siteAgent.poolId,
          of: 'site',
        }),
      refused: 'agent-pool/in-use',
      use: ({ siteAgent }) => claim({ agent: siteAgent }),
      missing: 'actor/unauthenticated',
    },
    {
      name: 'a version is archived, and a run is made of it',
      prepare: async ({ workspace }) => {
        // Another version is the current one, which may not be archived.
        const version = aConfigurationVersion(workspace);
        await instance(0).run((tx) => tx.configurationVersions.add(version, true));
      },
      removal: (place) => async (useCases) =>
        useCases.archiveConfigurationVersion.execute(asUser(place.owner), await oldestVersion(place)),
      refused: 'configuration-version/not-archivable',
      use: (place) => async (useCases) => createRun(place, asUser(place.owner), await oldestVersion(place))(useCases),
      missing: 'attribute/invalid',
    },
  ];

  /** Resolves when the work has ended or waits for a lock that another transaction holds. */
  async function orWaits(work: Promise<unknown>): Promise<void> {
    let ended = false;
    const end = () => {
      ended = true;
    };
    work.then(end, end);
    const waits = "select 1 from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
    while (!ended && (await looking.query(waits, [application_name])).rowCount === 0) await pause(5);
  }

  /** Begins the second while the first is done but not committed. */
  async function overlapping(first: Act, second: Act): Promise<PromiseSettledResult<unknown>[]> {
    const lingering = new Lingering(instance(0));
    const one = first(useCasesOf(lingering));
    await Promise.race([lingering.lingers, one.catch(() => undefined)]);
    const other = second(on(1));
    await orWaits(other);
    lingering.letGo();
    return Promise.allSettled([one, other]);
  }

  describe.each(exclusions)('$name', ({ prepare, removal, refused, use, missing }) => {
    it('is refused or goes on when the removal is second', async () => {
      const place = await newPlace();
      await prepare?.(place);
      const [used, removed] = await overlapping(use(place), removal(place));
      expect(used).toMatchObject({ status: 'fulfilled' });
      expect(removed).toMatchObject(refused === null ? { status: 'fulfilled' } : { status: 'rejected' });
      if (refused !== null) expect(removed).toEqual({ status: 'rejected', reason: refusal(refused) });
    });

    it('refuses the other when that is second', async () => {
      const place = await newPlace();
      await prepare?.(place);
      const [removed, used] = await overlapping(removal(place), use(place));
      expect(removed).toMatchObject({ status: 'fulfilled' });
      if (missing === null) expect(used).toEqual({ status: 'fulfilled', value: undefined });
      else expect(used).toEqual({ status: 'rejected', reason: refusal(missing) });
    });
  });

  /** An unused pool, an act that names it, and an act that issues its token to a caller without workspace rights. */
  const namedAndHanded = async () => {
    const { organization, owner, workspace } = await newPlace();
    const pool = anAgentPool(organization);
    await instance(0).run((tx) => tx.agentPools.add(pool));
    const naming: Act = (useCases) =>
      useCases.updateWorkspace.execute(asUser(owner), { id: workspace.id }, { execution: { agentPoolId: pool.id } });
    const issuing: Act = (useCases) =>
      useCases.issueAgentToken.execute(asOrganization(organization), { id: pool.id, of: 'organization' }, '');
    return { naming, issuing, creator: { kind: 'organization', id: organization.id } };
  };

  it('give who manages pools no token of a pool that a workspace has just named', async () => {
    const { naming, issuing } = await namedAndHanded();
    const [named, issued] = await overlapping(naming, issuing);
    expect(named).toMatchObject({ status: 'fulfilled' });
    expect(issued).toEqual({ status: 'rejected', reason: refusal('resource/not-found') });
  });

  it('show who names a pool to a caller who has just been issued a token of it', async () => {
    const { naming, issuing, creator } = await namedAndHanded();
    const [issued, named] = await overlapping(issuing, naming);
    expect(issued).toMatchObject({ status: 'fulfilled' });
    expect(named).toMatchObject({ status: 'fulfilled', value: { poolTokenCreators: [creator] } });
  });

  it('read the report of an organization once at a time', async () => {
    const { organization } = await newPlace();
    const reading = (index: number) =>
      databases[index]?.snapshots.read(organization.id, async function* (tx) {
        yield await tx.organizations.find(organization.id);
      });
    const first = await reading(0);
    await expect(reading(1)).rejects.toEqual(refusal('snapshots/busy'));
    await first?.return();
    const second = await reading(1);
    expect((await second?.next())?.value).toMatchObject({ id: organization.id });
    await second?.return();
  });

  it('make one version of a commit that is delivered twice at once', async () => {
    const { owner, workspace } = await newPlace();
    const cloneUrl = 'https://forge.example/harbour/network.git';
    const linkedBy = { kind: 'user', id: owner.id } as const;
    const webhook = { webhookId: ids.next('webhook'), sealedWebhookKey: box.seal('a key') };
    const repository = { ...webhook, cloneUrl, branch: 'main', credential: null, linkedBy };
    const linked = { ...workspace, repository, revision: workspace.revision + 1 };
    await instance(0).run((tx) => tx.workspaces.save(linked));
    const event = {
      forge: 'github',
      repositoryUrls: [cloneUrl],
      defaultBranch: 'main',
      ref: 'refs/heads/main',
      commit: someIngressAttributes({ isPullRequest: false }),
      changedFiles: null,
    };
    const receive =
      (id: string): Act =>
      (useCases) =>
        useCases.receiveWebhook.execute(repository.webhookId, () => ({
          id,
          event,
        }));
    const received = await overlapping(receive('delivery-1'), receive('delivery-2'));
    expect(received).toEqual([
      { status: 'fulfilled', value: true },
      { status: 'fulfilled', value: false },
    ]);
  });

  it('remove a policy set once, when two do it at once', async () => {
    const { owner, organization } = await newPlace();
    const policySet = aPolicySet(organization);
    await instance(0).run((tx) => tx.policySets.add(policySet));
    const removal: Act = (useCases) => useCases.removePolicySet.execute(asUser(owner), policySet.id);
    const [first, second] = await overlapping(removal, removal);
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toEqual({ status: 'rejected', reason: refusal('resource/not-found') });
  });

  const issueToken =
    ({ owner, team }: Place): Act =>
    (useCases) =>
      useCases.issueTeamToken.execute(asUser(owner), { teamId: team.id, expiresAt: null });

  it('issue no token of a team that has just been removed', async () => {
    const place = await newPlace();
    const [removed, issued] = await overlapping(removeTeam(place), issueToken(place));
    expect(removed).toMatchObject({ status: 'fulfilled' });
    expect(issued).toEqual({ status: 'rejected', reason: refusal('resource/not-found') });
  });

  it('keep the later of two tokens of a team that are issued at once, and list it by the name it has then', async () => {
    const place = await newPlace();
    const [first, second] = await overlapping(issueToken(place), issueToken(place));
    expect([first, second]).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    const rename: Act = ({ updateTeam }) => updateTeam.execute(asUser(place.owner), place.team.id, { name: 'renamed' });
    const [renamed, third] = await overlapping(rename, issueToken(place));
    expect(renamed).toMatchObject({ status: 'fulfilled' });
    const { items } = await instance(0).read((tx) =>
      tx.tokens.pageOfTeams(
        {
          organizationId: place.organization.id,
          visibility: 'all',
          search: 'renamed',
          sort: { key: 'team-name', descending: false },
        },
        { number: 1, size: 5 },
      ),
    );
    expect(third).toMatchObject({ status: 'fulfilled', value: { token: { id: items[0]?.id } } });
    expect(items).toHaveLength(1);
  });

  const leave =
    ({ owner, membershipId }: Place): Act =>
    (useCases) =>
      useCases.removeOrganizationMembership.execute(asUser(owner), membershipId);

  it.each([
    ['then leaves the organization', true],
    ['has just left the organization', false],
  ] as const)('never leave a user in a team who %s', async (_, joinsFirst) => {
    const place = await newPlace();
    await instance(0).run((tx) => tx.teams.removeMembers(place.team.id, [place.user.id]));
    const [join, leaving] = [changeMembers(place), leave(place)];
    const ended = await (joinsFirst ? overlapping(join, leaving) : overlapping(leaving, join));
    expect(ended[0]).toMatchObject({ status: 'fulfilled' });
    const second = ended[1];
    if (joinsFirst) expect(second).toMatchObject({ status: 'fulfilled' });
    else expect(second).toEqual({ status: 'rejected', reason: refusal('attribute/invalid') });
    const members = await instance(0).read((tx) => tx.teams.members([place.team.id]));
    expect(members.get(place.team.id) ?? []).toEqual([]);
  });

  it.each([
    ['is then removed', true],
    ['has just been removed', false],
  ] as const)('leave no policy set with a policy that %s', async (_, attachesFirst) => {
    const { owner, organization } = await newPlace();
    const [policy, policySet] = [aManagedPolicy(organization), aPolicySet(organization)];
    await instance(0).run(async (tx) => {
      await tx.policies.add(policy);
      await tx.policySets.add(policySet);
    });
    const attach: Act = (useCases) =>
      useCases.changePoliciesOfSet.execute(asUser(owner), policySet.id, 'attach', [policy.id]);
    const remove: Act = (useCases) => useCases.removePolicy.execute(asUser(owner), policy.id);
    const ended = await (attachesFirst ? overlapping(attach, remove) : overlapping(remove, attach));
    expect(ended[0]).toMatchObject({ status: 'fulfilled' });
    if (attachesFirst) expect(ended[1]).toMatchObject({ status: 'fulfilled' });
    else expect(ended[1]).toEqual({ status: 'rejected', reason: refusal('attribute/invalid') });
    const kept = await instance(0).read((tx) => tx.policySets.findFor(asOrganization(organization), policySet.id));
    expect(kept?.subject.policyIds).toEqual([]);
  });

  it.each([
    ['is then removed', true],
    ['has just been removed', false],
  ] as const)('leave no policy set with a project that %s', async (_, attachesFirst) => {
    const { owner, organization } = await newPlace();
    const [project, policySet] = [aProject(organization), aPolicySet(organization)];
    await instance(0).run(async (tx) => {
      await tx.projects.add(project);
      await tx.policySets.add(policySet);
    });
    const attach: Act = (useCases) =>
      useCases.attachPolicySet.execute(asUser(owner), policySet.id, 'attach', [project.id], 'projectIds');
    const remove: Act = (useCases) => useCases.removeProject.execute(asUser(owner), project.id);
    const ended = await (attachesFirst ? overlapping(attach, remove) : overlapping(remove, attach));
    expect(ended[0]).toMatchObject({ status: 'fulfilled' });
    if (attachesFirst) expect(ended[1]).toMatchObject({ status: 'fulfilled' });
    else expect(ended[1]).toEqual({ status: 'rejected', reason: refusal('attribute/invalid') });
    const kept = await instance(0).read((tx) => tx.policySets.findFor(asOrganization(organization), policySet.id));
    expect(kept?.subject.projectIds).toEqual([]);
  });

  it('leave no workspace with more in its variables than it may have', async () => {
    const { owner, workspace } = await newPlace();
    const { bytes } = variableLimits.ofWorkspace;
    const [held, another] = [aVariable(workspace, { size: bytes - 5 }), aVariable(workspace, { size: 0 })];
    await instance(0).run(async (tx) => {
      for (const variable of [held, another]) await tx.variables.add(variable);
    });
    const create: Act = (useCases) =>
      useCases.createVariable.execute(asUser(owner), workspace.id, {
        key: 'created',
        value: 'bytes',
        description: null,
        category: 'env',
        hcl: false,
        sensitive: false,
      });
    const update: Act = (useCases) =>
      useCases.updateVariable.execute(asUser(owner), workspace.id, another.id, {
        value: 'grown',
      });
    const ended = await overlapping(create, update);
    expect(ended[0]).toMatchObject({ status: 'fulfilled' });
    expect(ended[1]).toEqual({ status: 'rejected', reason: refusal('attribute/invalid') });
    const totals = await instance(0).read((tx) => tx.variables.totalsOf(workspace.id));
    expect(totals).toEqual({ count: 3, bytes });
  });

  it('attach no more run tasks to a workspace than it may have', async () => {
    const { owner, organization, workspace } = await newPlace();
    const tasks = Array.from({ length: runTaskLimits.perWorkspace + 1 }, () => aRunTask(organization));
    await instance(0).run(async (tx) => {
      for (const task of tasks) await tx.runTasks.add(task);
      for (const task of tasks.slice(2)) await tx.workspaceTasks.add(aWorkspaceTask(workspace, task));
    });
    const attach =
      (task: RunTask | undefined): Act =>
      (useCases) =>
        useCases.addWorkspaceTask.execute(asUser(owner), workspace.id, {
          taskId: task?.id ?? '',
          enforcementLevel: 'advisory',
          stages: ['pre_plan'],
        });
    const [first, second] = await overlapping(attach(tasks[0]), attach(tasks[1]));
    expect(first).toMatchObject({ status: 'fulfilled' });
    expect(second).toEqual({ status: 'rejected', reason: refusal('attribute/invalid') });
    expect(await instance(0).read((tx) => tx.workspaceTasks.count(workspace.id))).toBe(runTaskLimits.perWorkspace);
  });

  it('keep a state once that is uploaded to all of them at once, and number states without a gap', async () => {
    const place = await newPlace();
    await createRun(place, asUser(place.owner))(on(0));
    const claimed = async (): Promise<application.LeaseHolder> => {
      const job = (await claim(place)(on(0))) as application.Job;
      return { agent: place.agent, runId: job.run.id, leaseToken: job.leaseToken };
    };
    const planned = await claimed();
    const report = { outcome: 'finished', hasChanges: true, resources: null } as const;
    await on(0).reportPhase.execute(planned, 'plan', report);
    await on(0).changeRun.execute(asUser(place.owner), planned.runId, 'apply');
    const holder = await claimed();
    for (const serial of [1, 2]) {
      const bytes = Buffer.from(`state ${serial}`);
      const md5 = createHash('md5').update(bytes).digest('hex');
      const announced = { serial, lineage: 'lineage', md5, size: bytes.length, outputs: [] };
      const announce = (index: number) => on(index).announceState.execute(holder, announced);
      const versions = await Promise.all([0, 1, 2].map(announce));
      const [id = '', ...others] = new Set(versions.map(({ version }) => version.id));
      expect(others).toEqual([]);
      const upload = (index: number) => on(index).uploadState.execute(holder, id, Readable.from([bytes]));
      await Promise.all([0, 1, 2, 0, 1, 2].map(upload));
    }
    const { items, total } = await instance(1).read((tx) =>
      tx.stateVersions.page(place.workspace.id, { number: 1, size: 5 }),
    );
    expect(total).toBe(2);
    expect(items.map(({ serial }) => serial)).toEqual([2, 1]);
    const held: BundleKey[] = [];
    for await (const { key } of store.all()) held.push(key);
    expect(held.sort()).toEqual(items.map(({ bundle }) => bundle?.key).sort());
  });

  /** An upload that replaces the files of the workspace's current version, which the user of the place created. */
  async function replacing({ workspace, user }: Place) {
    const createdBy = { kind: 'user', id: user.id } as const;
    const version = aConfigurationVersion(workspace, { status: 'uploaded', bundle: aBundle(), createdBy });
    const { id, bundle } = version.state;
    await instance(0).run((tx) => tx.configurationVersions.add(version, true));
    const archive = await archiveOf({ 'main.tf': id });
    const upload: Act = (useCases) =>
      useCases.uploadConfigurationBundle.execute(
        objectIdOf(urls.issue('upload', id, clock.now())),
        Readable.from([archive]),
      );
    const kept = async () => (await instance(0).read((tx) => tx.configurationVersions.find(id)))?.state.bundle;
    return { upload, kept, bundle };
  }

  /** The writes the owner sends to the place's workspace, which the owner has locked. */
  const writing = async ({ workspace, owner }: Place) => {
    await on(0).changeWorkspaceLock.execute(asUser(owner), workspace.id, { action: 'lock', reason: null });
    const write =
      (serial: number): Act =>
      (useCases) => {
        const state = Buffer.from(JSON.stringify({ version: 4, serial }));
        const md5 = createHash('md5').update(state).digest('hex');
        const facts = { serial, md5, lineage: 'lineage', force: false, runId: undefined, jsonState: undefined };
        return useCases.createStateVersion.execute(asUser(owner), { ...facts, state, workspaceId: workspace.id });
      };
    const unlock: Act = (useCases) =>
      useCases.changeWorkspaceLock.execute(asUser(owner), workspace.id, {
        action: 'force-unlock',
        reason: null,
      });
    const kept = () => instance(2).read((tx) => tx.stateVersions.page(workspace.id, { number: 1, size: 20 }));
    return { write, unlock, kept };
  };

  it('keep no state of a client whose lock is taken away while it waits, and one that came before', async () => {
    const first = await writing(await newPlace());
    const [unlocked, refused] = await overlapping(first.unlock, first.write(1));
    expect(unlocked).toMatchObject({ status: 'fulfilled' });
    expect(refused).toEqual({ status: 'rejected', reason: refusal('workspace/lock-refused') });
    expect(await first.kept()).toMatchObject({ total: 0 });
    const second = await writing(await newPlace());
    const both = await overlapping(second.write(1), second.unlock);
    expect(both).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(await second.kept()).toMatchObject({ total: 1, items: [{ serial: 1, status: 'finalized' }] });
  });

  it('keep states of clients in the order of their serials, however many are sent at once', async () => {
    const { write, kept } = await writing(await newPlace());
    const serials = [3, 1, 2, 3, 1, 2];
    const ended = await Promise.allSettled(serials.map((serial, index) => write(serial)(on(index % 3))));
    const reasons = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    for (const reason of reasons) expect(reason).toEqual(refusal('state-version/conflict'));
    const { items, total } = await kept();
    expect(total).toBe(items.length);
    expect(items[0]?.serial).toBe(3);
    expect(items.map(({ serial }) => serial)).toEqual([...new Set(items.map(({ serial }) => serial))].sort().reverse());
    const held: BundleKey[] = [];
    for await (const { key } of store.all()) held.push(key);
    expect(held.sort()).toEqual(items.map(({ bundle }) => bundle?.key).sort());
  });

  it('take no other files for a version that a run begins to use', async () => {
    const place = await newPlace();
    const { upload, kept, bundle } = await replacing(place);
    const [run, uploaded] = await overlapping(createRun(place, asUser(place.owner)), upload);
    expect(run).toMatchObject({ status: 'fulfilled' });
    expect(uploaded).toEqual({ status: 'rejected', reason: refusal('configuration-version/upload-refused') });
    expect(await kept()).toEqual(bundle);
  });

  it('take no files from a creator who is suspended while the upload waits', async () => {
    const place = await newPlace();
    const { upload, kept, bundle } = await replacing(place);
    const lingering = new Lingering(instance(0));
    const turn = lingering.run(async (tx) => {
      await tx.workspaces.lockRow(place.workspace.id);
      await tx.workspaces.find(place.workspace.id);
    });
    await lingering.lingers;
    const ended = Promise.allSettled([upload(on(1))]);
    await orWaits(ended);
    await instance(2).run((tx) => tx.users.setSuspended(place.user.id, true));
    lingering.letGo();
    await turn;
    expect(await ended).toEqual([{ status: 'rejected', reason: refusal('resource/not-found') }]);
    expect(await kept()).toEqual(bundle);
  });

  it('keep no more than an organization may, however many upload, archive and fill up its workspaces at once', async () => {
    const { organization, owner, workspace } = await newPlace();
    const workspaces = [workspace, aWorkspace(organization), aWorkspace(organization)];
    await instance(0).run(async (tx) => {
      for (const more of workspaces.slice(1)) await tx.workspaces.add(more);
    });
    const max = 10_000;
    const of = { organizationId: organization.id };
    const kept = () => instance(0).read((tx) => tx.keptBytes.of(of));
    const outcomes = { taken: 0, refused: 0 };
    const uploadAndArchive = async (index: number) => {
      const useCases = on(index % 3, { settings: { ...settings, maxOrganizationBytes: max } });
      const { id: workspaceId } = workspaces[index % workspaces.length] as Workspace;
      const command = { autoQueueRuns: false, speculative: true, source: 'tfe-api' };
      const { version, uploadUrl } = await useCases.createConfigurationVersion.execute(asUser(owner), {
        ...command,
        workspaceId,
      });
      const archived = await archiveOf({ 'main.tf': randomBytes(1_000 + 100 * index).toString('hex') });
      await useCases.uploadConfigurationBundle.execute(objectIdOf(uploadUrl), inChunks([new Uint8Array(archived)]));
      if (index % 4 === 0) await useCases.archiveConfigurationVersion.execute(asUser(owner), version.id);
    };
    const outcomeOf = (error: unknown) => {
      expect(error).toMatchObject({ code: 'organization/over-quota' });
      outcomes.refused += 1;
    };
    for (let round = 0; round < 3; round += 1) {
      const tries = Array.from({ length: 12 }, (_, index) =>
        uploadAndArchive(index).then(() => {
          outcomes.taken += 1;
        }, outcomeOf),
      );
      await Promise.all(tries);
      expect(await kept()).toBeLessThanOrEqual(max);
      expect(await instance(0).read((tx) => tx.keptBytes.drifts())).toEqual([]);
    }
    expect(outcomes.taken).toBeGreaterThan(3);
    expect(outcomes.refused).toBeGreaterThan(3);
    await instance(0).run(async (tx) => {
      const ordered = await tx.effects.claim(aClaim('discards', { now: clock.now(), until: clock.now() }));
      for (const { id } of ordered) await tx.effects.done(id);
    });
  });

  it('set a counter that drifted right while others go on', async () => {
    const { organization, workspace } = await newPlace();
    const of = { organizationId: organization.id };
    const add = (bytes: number) => (tx: application.Transaction) => {
      const bundle = { key: unique('bundle'), bytes, sha256: 'a'.repeat(64) };
      return tx.configurationVersions.add(aConfigurationVersion(workspace, { bundle }));
    };
    await instance(0).run(add(1_000));
    const client = new pg.Client({ connectionString: schemaUrl });
    await client.connect();
    await client.query('update kept_bytes set bytes = 5 where organization_id = $1', [organization.id]);
    await client.end();
    const { id, name } = organization;
    expect(await instance(0).read((tx) => tx.keptBytes.drifts())).toEqual([{ id, name, bytes: 5, counted: 1_000 }]);
    await Promise.all([
      ...[1, 2, 3, 4, 5, 6].map((bytes) => instance(bytes % 3).run(add(bytes))),
      instance(1).run((tx) => tx.keptBytes.recount(organization.id)),
    ]);
    expect(await instance(0).read((tx) => tx.keptBytes.of(of))).toBe(1_021);
    expect(await instance(0).read((tx) => tx.keptBytes.drifts())).toEqual([]);
  });

  it('keep an owner of an organization, whichever way all owners leave at once', async () => {
    const { organization, owner, user, team } = await newPlace();
    const owners = await instance(0).read(async (tx) => (await tx.teams.ownedBy(owner.id))[0]);
    if (owners === undefined) throw new Error('there is an owners team');
    await on(0).changeTeamMembers.execute(asUser(owner), owners.id, 'add', [user.id]);
    const remove = (index: number, who: User) =>
      on(index).changeTeamMembers.execute(asOrganization(organization), owners.id, 'remove', [who.id]);
    const administrator = aUser({ siteAdministrator: true });
    await instance(0).run((tx) => tx.users.add(administrator));
    const ended = await Promise.allSettled([
      remove(0, owner),
      on(1).removeUser.execute(asUser(administrator), user.id),
      on(2).removeUser.execute(asUser(administrator), owner.id),
    ]);
    expect(ended.some(({ status }) => status === 'rejected')).toBe(true);
    const members = await instance(0).read((tx) => tx.teams.members([owners.id]));
    expect(members.get(owners.id)).toHaveLength(1);
    expect(team.owners).toBe(false);
  });

  /** The user of the place becomes an owner by a group, and the owner takes the organization's groups away. */
  const ownerByGroup = async ({ organization, owner, user }: Place) => {
    await instance(0).run((tx) => tx.teamGroups.give(organization.id, ['*']));
    const subject = unique('subject');
    const { issuer } = identityProvider;
    await on(0).addIdentity.execute(asUser(owner), { userId: user.id, issuer, subject });
    const owners = await instance(0).read(async (tx) => (await tx.teams.ownedBy(owner.id))[0]);
    if (owners === undefined) throw new Error('there is an owners team');
    const group = unique('group');
    await on(0).updateTeam.execute(asUser(owner), owners.id, { ssoTeamId: group });
    const signIn: Act = async (useCases) => {
      identityProvider.person = { subject, groups: [group] };
      const { url, sealed } = await useCases.beginSignIn.execute('/app');
      const query = new URL(url).search.slice(1);
      const request = { id: 'request-1', address: null, route: 'GET /session/callback' };
      return useCases.completeSignIn.execute({ query, sealed, secret: undefined, request });
    };
    const takeGroups: Act = (useCases) => useCases.giveOrganizationGroups.execute(asUser(owner), organization.name, []);
    const removeOwner: Act = (useCases) =>
      useCases.changeTeamMembers.execute(asUser(owner), owners.id, 'remove', [owner.id]);
    const members = async () => (await instance(0).read((tx) => tx.teams.members([owners.id]))).get(owners.id);
    return { signIn, takeGroups, removeOwner, members };
  };

  it.each([
    ['is then taken away', true],
    ['has just been taken away', false],
  ] as const)('leave no user in a team by a group that %s', async (_, signsInFirst) => {
    const place = await newPlace();
    const { signIn, takeGroups, members } = await ownerByGroup(place);
    const ended = await (signsInFirst ? overlapping(signIn, takeGroups) : overlapping(takeGroups, signIn));
    expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
    expect((await members())?.map(({ id }) => id)).toEqual([place.owner.id]);
  });

  it('keep an owner of an organization who leaves by a group while the other one is removed', async () => {
    const place = await newPlace();
    const { signIn, takeGroups, removeOwner, members } = await ownerByGroup(place);
    await signIn(on(0));
    const [taken, removed] = await overlapping(takeGroups, removeOwner);
    expect(taken).toMatchObject({ status: 'fulfilled' });
    expect(removed).toEqual({ status: 'rejected', reason: refusal('owners-team/protected') });
    expect((await members())?.map(({ id }) => id)).toEqual([place.owner.id]);
  });

  it.each([
    ['is revoked', 'first'],
    ['is revoked', 'last'],
    ['has a suspended user', 'first'],
    ['has a suspended user', 'last'],
  ] as const)('leave no session of a token that %s meanwhile, whichever is %s', async (what, order) => {
    const { owner, user } = await newPlace();
    const administrator = { ...asUser(owner), siteAdministrator: true };
    const given = { userId: user.id, description: 'x', expiresAt: null };
    const { token, secret } = await on(0).issueUserToken.execute(asUser(user), given);
    const request = { id: 'request-1', address: null, route: 'POST /session' };
    const signIn: Act = (useCases) => useCases.signInWithToken.execute({ secret, former: undefined, request });
    const end: Act = (useCases) =>
      what === 'is revoked'
        ? useCases.revokeToken.execute(asUser(user), token.id)
        : useCases.changeUserSuspension.execute(administrator, user.id, true);
    identityProvider.configured = false;
    const ended = await (order === 'first' ? overlapping(end, signIn) : overlapping(signIn, end)).finally(() => {
      identityProvider.configured = true;
    });
    for (const one of ended) {
      if (one.status === 'rejected') expect(one.reason).toEqual(refusal('actor/unauthenticated'));
    }
    await on(0).changeUserSuspension.execute(administrator, user.id, false);
    expect(await instance(0).read((tx) => tx.sessions.ofUser(user.id, token.createdAt))).toEqual([]);
  });

  it('leave a user of many who sign in at once 20 sessions', async () => {
    const { user } = await newPlace();
    const given = { userId: user.id, description: 'x', expiresAt: null };
    const { secret } = await on(0).issueUserToken.execute(asUser(user), given);
    const request = { id: 'request-1', address: null, route: 'POST /session' };
    identityProvider.configured = false;
    const signIns = Array.from({ length: 24 }, (_, nth) =>
      on(nth % 3).signInWithToken.execute({ secret, former: undefined, request }),
    );
    await Promise.all(signIns).finally(() => {
      identityProvider.configured = true;
    });
    expect(await instance(0).read((tx) => tx.sessions.ofUser(user.id, noon))).toHaveLength(20);
  });

  it('refuse none of many who change one thing at once', async () => {
    const { owner, workspace } = await newPlace();
    const outcomes: PromiseSettledResult<unknown>[] = [];
    for (let round = 0; round < 3; round += 1) {
      const change = async (_: unknown, n: number) =>
        on(n % 3).updateWorkspace.execute(asUser(owner), { id: workspace.id }, { description: `change ${round}/${n}` });
      outcomes.push(...(await Promise.allSettled(Array.from({ length: 12 }, change))));
    }
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    const kept = await instance(0).read((tx) => tx.workspaces.find(workspace.id));
    expect(kept?.revision).toBe(workspace.revision + outcomes.length);
  });

  const runOf = async ({ workspace }: Place, given: Pick<SeededRun, 'status'> & Partial<SeededRun>): Promise<RunId> => {
    const id = unique('run');
    const found = await instance(0).read((tx) => tx.workspaces.find(workspace.id));
    const configurationVersionId = found?.currentConfigurationVersionId ?? '';
    await seedRun(instance(0), { id, workspaceId: workspace.id, configurationVersionId, ...given });
    return id;
  };

  const changeRun =
    ({ owner }: Place, id: RunId, action: application.RunAction): Act =>
    (useCases) =>
      useCases.changeRun.execute(asUser(owner), id, action);

  it('queue one apply when two saved plans of a workspace are confirmed at once', async () => {
    const place = await newPlace();
    const saved = { status: 'planned_and_saved', savePlan: true, hasChanges: true } as const;
    const [first, second] = [await runOf(place, saved), await runOf(place, saved)];
    const ended = await overlapping(changeRun(place, first, 'apply'), changeRun(place, second, 'apply'));
    expect(ended).toEqual([1, 2].map(() => ({ status: 'fulfilled', value: undefined })));
    const runs = await instance(0).read((tx) => Promise.all([first, second].map((id) => tx.runs.find(id))));
    expect(runs.map((run) => run?.state.status)).toEqual(['apply_queued', 'confirmed']);
  });

  it('find no run to discard when its workspace is removed meanwhile', async () => {
    const place = await newPlace();
    const id = await runOf(place, { status: 'errored' });
    const [removed, discarded] = await overlapping(removeWorkspace(place), changeRun(place, id, 'discard'));
    expect(removed).toMatchObject({ status: 'fulfilled' });
    expect(discarded).toEqual({ status: 'rejected', reason: refusal('resource/not-found') });
  });

  it('take each run of a lost agent once, all of them between them', async () => {
    const place = await newPlace();
    const lost: RunId[] = [];
    for (let n = 0; n < 6; n += 1) {
      const workspace = aWorkspace(place.organization);
      const version = aConfigurationVersion(workspace, { status: 'uploaded' });
      await instance(0).run(async (tx) => {
        await tx.workspaces.add(workspace);
        await tx.configurationVersions.add(version, true);
      });
      const id = unique('run');
      const lease = { poolId: place.pool.id, agent: 'agent-1', digest: unique('digest'), expiresAt: noon };
      const given = { id, workspaceId: workspace.id, configurationVersionId: version.state.id, lease } as const;
      await seedRun(instance(0), { ...given, status: 'planning' });
      lost.push(id);
    }
    const later = new FixedClock(noon);
    const reclaimers = [0, 1, 2].map((index) => on(index, { clock: later }).reclaimLostRuns);
    await Promise.all(reclaimers.map((each) => each.execute()));
    later.advance(60);
    const taken = (await Promise.all(reclaimers.map((each) => each.execute()))).flat();
    expect(taken.filter((id) => lost.includes(id)).sort()).toEqual(lost.sort());
  });

  it('create each scheduled destroy run once, all of them between them', async () => {
    const place = await newPlace();
    const due: string[] = [];
    const by = { kind: 'user', id: place.owner.id } as const;
    const ofProject = { activityDuration: '1h', since: noon, nextCheckAt: noon, by };
    const project = aProject(place.organization, { autoDestroy: ofProject });
    await instance(0).run((tx) => tx.projects.add(project));
    for (let n = 0; n < 6; n += 1) {
      const own = { autoDestroy: { at: noon, activityDuration: null, by } };
      const workspace = aWorkspace(place.organization, n % 2 === 0 ? own : { projectId: project.id });
      const version = aConfigurationVersion(workspace, { status: 'uploaded' });
      const state = aStateVersion({ workspaceId: workspace.id, id: unique('run') }, { runId: null });
      await instance(0).run(async (tx) => {
        await tx.workspaces.add(workspace);
        await tx.configurationVersions.add(version, true);
        await tx.stateVersions.add(state, []);
        await tx.stateVersions.finalize(state, aBundle());
      });
      due.push(workspace.id);
    }
    const clock = new FixedClock(noon);
    clock.advance(3_600);
    const creating = [0, 1, 2].map((index) => on(index, { clock }).createScheduledDestroys);
    await Promise.all(creating.map((each) => each.execute()));
    for (const id of due) {
      const { total } = await instance(0).read((tx) => tx.runs.page(id, { number: 1, size: 10 }));
      expect(total).toBe(1);
    }
  });

  it('take away what was deleted, when two do it because one fell silent', async () => {
    const { organization, owner } = await newPlace();
    const versions = Array.from({ length: 25 }, (_, n) => n);
    const workspaces = [aWorkspace(organization), aWorkspace(organization)];
    const bundles: string[] = [];
    await instance(0).run(async (tx) => {
      for (const workspace of workspaces) {
        await tx.workspaces.add(workspace);
        for (const _ of versions) {
          const bundle = aBundle();
          bundles.push(bundle.key);
          await tx.configurationVersions.add(aConfigurationVersion(workspace, { bundle }));
        }
      }
    });
    const target = { kind: 'organization', id: organization.id } as const;
    await on(0).removeOrganization.execute(asUser(owner), organization.name);
    const named = new Set<string>();
    const takeAway = async (index: number) => {
      for (let finished = false; !finished; ) {
        const batch = await instance(index).run((tx) => tx.removals.removeBatch(target, 7));
        for (const key of batch.bundleKeys) named.add(key);
        finished = batch.finished;
      }
    };
    await Promise.all([0, 1, 2].map(takeAway));
    expect([...named].sort()).toEqual(bundles.sort());
    expect(
      await instance(0).run((tx) => tx.organizations.add({ ...organization, name: unique('org') })),
    ).toBeUndefined();
  });

  /** Records what it discarded, in order, and takes a turn or two for each. */
  class SlowStore extends MemoryBundleStore {
    readonly discarded: BundleKey[] = [];

    override async discard(key: BundleKey): Promise<void> {
      for (let turns = this.discarded.length % 3; turns > 0; turns -= 1) await setImmediate();
      this.discarded.push(key);
    }
  }

  it('perform each of some hundred effects once, in order of their subjects, and one that dies delays its own alone', async () => {
    const now = new FixedClock(noon);
    const slow = new SlowStore(() => Date.parse(now.now()));
    const subjects = Array.from({ length: 60 }, (_, n) => `subject-${n}`);
    const keyOf = (subject: string, n: number) => `${subject}/${n}`;
    await instance(0).run(async (tx) => {
      for (const subject of subjects) {
        const effects = [1, 2, 3, 4, 5].map((n) => ({ kind: 'discard-bundle', bundleKey: keyOf(subject, n) }) as const);
        await tx.effects.enqueue(subject, effects);
      }
    });
    const workers = [0, 1, 2, 0].map((index) => on(index, { clock: now, bundleStore: slow }).performEffects);
    // Takes some effects and never reports again.
    const died = await instance(1).run((tx) =>
      tx.effects.claim(
        aClaim('discards', { now: now.now(), limit: 7, until: afterNoon(application.effectLeaseSeconds) }),
      ),
    );
    const untilIdle = () =>
      Promise.all(
        workers.map(async (worker) => {
          for (let idle = 0; idle < 3; ) {
            const { done, failures } = await worker.execute('discards');
            expect(failures).toEqual([]);
            idle = done > 0 ? 0 : idle + 1;
          }
        }),
      );
    await untilIdle();
    expect(died).toHaveLength(7);
    expect(slow.discarded).toHaveLength((subjects.length - 7) * 5);
    now.advance(application.effectLeaseSeconds);
    await untilIdle();
    expect(slow.discarded).toHaveLength(subjects.length * 5);
    for (const subject of subjects) {
      const own = slow.discarded.filter((key) => key.startsWith(`${subject}/`));
      expect(own).toEqual([1, 2, 3, 4, 5].map((n) => keyOf(subject, n)));
    }
  });
});
