import { buffer } from 'node:stream/consumers';
import { beforeEach, expect } from '@jest/globals';
import { SignedCapabilityUrls } from '../../src/adapters/files/signed-capability-urls.js';
import { TarBundleInspector } from '../../src/adapters/files/tar-bundle-inspector.js';
import { inOneTransaction } from '../../src/adapters/persistence/knex/engine/open-snapshots.js';
import { FixedClock } from '../../src/adapters/system/fixed-clock.js';
import { RandomSecrets } from '../../src/adapters/system/random-secrets.js';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import type { Ports, Source } from '../../src/application/assembly.js';
import * as application from '../../src/application/index.js';
import type { Settings } from '../../src/application/ports/outside/settings.js';
import { useCases as table, type UseCases } from '../../src/application/use-cases.js';
import {
  type Actor,
  type AuditEvent,
  type BundleKey,
  ConfigurationVersion,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  type FixedLevel,
  type Grant,
  type Id,
  type IngressAttributes,
  type Instant,
  type OrganizationPermission,
  type RunStatus,
  type SoleTokenOwner,
  type Team,
  type TeamId,
  type Trigger,
  type Workspace,
  type WorkspaceId,
} from '../../src/domain/index.js';
import { aToken, giveGrant, keepToken } from './builders.js';
import { MemoryBundleStore } from './memory-bundle-store.js';
import { MemoryCommitFetcher } from './memory-commit-fetcher.js';
import { MemoryIdentityProvider } from './memory-identity-provider.js';
import { MemoryNotifier } from './memory-notifier.js';
import { MemoryRunTaskCaller } from './memory-run-task-caller.js';
import { RowsInMemory } from './rows-in-memory.js';
import { seedRun } from './seed-run.js';

/** Sequential ids: `team-1`, `team-2`, … */
export class CountedIds implements application.IdGenerator {
  private readonly counts = new Map<application.IdKind, number>();

  next<Kind extends application.IdKind>(kind: Kind): Id<Kind> {
    const number = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, number);
    return `${kind}-${number}`;
  }

  *ofAddress(email: string): Generator<string> {
    yield `user-of-${email.toLowerCase()}`;
    for (let nth = 2; ; nth += 1) yield `user-${nth}-of-${email.toLowerCase()}`;
  }

  continueAfter({ counts }: CountedIds): void {
    for (const [kind, count] of counts) this.counts.set(kind, count);
  }

  givenOut(kind: application.IdKind): readonly string[] {
    return Array.from({ length: this.counts.get(kind) ?? 0 }, (_, index) => `${kind}-${index + 1}`);
  }
}

export const limits = { maxArchiveBytes: 20_000, maxUnpackedBytes: 100_000, maxArchiveEntries: 10 };
export const lifetimes = {
  upload: 3600,
  'state-upload': 3600,
  'json-state-upload': 3600,
  download: 300,
  'state-download': 300,
  'json-state-download': 300,
  'policy-upload': 3600,
  'shared-states': 3600,
  'plan-log': 300,
  'apply-log': 300,
};
export const softDeleteDays = 7;
export const archiveAfterDays = 5;
export const sessionHours = 12;
export const settings: Settings = {
  softDeleteDays,
  archiveAfterDays,
  auditDays: 0,
  maxTokensPerUser: 0,
  maxOrganizationBytes: 0,
  sessionHours,
  createsUsersAtSignIn: false,
};
export const firstPage: application.PageRequest = { number: 1, size: 20 };

/** The error for a resource that is missing or hidden from the caller. */
export const missing = { code: 'resource/not-found', message: 'resource not found' };

/** The error for a caller who sees the resource and may not change it. */
export const lacking = (right: string) => ({
  code: 'resource/not-found',
  message: expect.stringMatching(`^not authorized: requires (.*\\b)?${right}\\b`) as unknown as string,
});

export const invalid = (attribute: string) => ({ code: 'attribute/invalid', details: { attribute } });
export const unauthenticated = { code: 'actor/unauthenticated' };

/** A user with a token: as an actor, and as others name them. */
export type Person = Extract<Actor, { kind: 'user' }> & {
  readonly username: string;
  readonly email: string;
  readonly secret: string;
};

export type Member = Person & { readonly membershipId: string };

export interface WorldOptions {
  /** The storage limit of an organization in bytes; unlimited by default. */
  readonly maxOrganizationBytes?: number;
  /** Whether unknown people get a user; not by default. */
  readonly createsUsersAtSignIn?: boolean;
  readonly unitOfWork?: RowsInMemory;
  readonly store?: (now: () => number) => application.BundleStore;
}

/** Worlds are closed before the next test begins: until then, hooks look at them. */
const ofLastTest: World[] = [];
beforeEach(async () => {
  for (const { unitOfWork } of ofLastTest.splice(0)) await unitOfWork.close();
});

/**
 * The use cases on rows in memory, with data: the organization acme with its owner, a member in
 * no team, and a workspace; and the site administrator, a stranger to acme who owns another organization.
 */
export class World {
  readonly clock = new FixedClock();
  readonly ids = new CountedIds();
  readonly secrets = new RandomSecrets();
  readonly box = new SealedSecretBox(['a secret for tests that is long enough']);
  readonly repositories = new MemoryCommitFetcher();
  readonly provider = new MemoryIdentityProvider();
  readonly runTasks = new MemoryRunTaskCaller();
  readonly notifier = new MemoryNotifier();
  readonly urls = new SignedCapabilityUrls({
    publicUrl: 'http://gatehouse.test',
    signingSecrets: ['a secret for tests that is long enough'],
    seconds: lifetimes,
  });
  readonly unitOfWork: RowsInMemory;
  readonly store: application.BundleStore;
  readonly useCases: UseCases;
  readonly settings: Settings;

  administrator = {} as Person;
  stranger = {} as Person;
  owner = {} as Member;
  member = {} as Member;
  organizationToken = {} as Actor;
  organizationSecret = '';
  owners = {} as Team;
  workspace = {} as Workspace;

  private constructor({ unitOfWork, store, ...given }: WorldOptions) {
    this.settings = { ...settings, ...given };
    const now = () => Date.parse(this.clock.now());
    this.unitOfWork = unitOfWork ?? new RowsInMemory();
    this.store = store?.(now) ?? new MemoryBundleStore(now);
    this.useCases = this.processBeside();
  }

  /** A copy of the one that a file of tests populates. */
  static async create(options: WorldOptions = {}): Promise<World> {
    const world = new World(options);
    ofLastTest.push(world);
    world.beginAs(await world.unitOfWork.beginAs('world', (unitOfWork) => new World({ unitOfWork }).populate()));
    world.unitOfWork.follow(world.clock);
    // The search for lost agents gives them time, counted from its first pass.
    await world.useCases.reclaimLostRuns.execute();
    return world;
  }

  private beginAs(other: World): void {
    this.ids.continueAfter(other.ids);
    const { administrator, stranger, owner, member, organizationToken, organizationSecret, owners, workspace } = other;
    Object.assign(this, { administrator, stranger, owner, member, organizationToken, organizationSecret });
    Object.assign(this, { owners, workspace });
  }

  private async populate(): Promise<this> {
    const { useCases } = this;
    const first = { username: 'root', email: 'root@example.com' };
    const secret = this.secrets.generate();
    await useCases.createUser.first(first, async () => secret);
    this.administrator = await this.person(first.username, secret.secret);
    this.stranger = await this.user('sam');
    await useCases.createOrganization.execute(this.administrator, { name: 'acme', email: 'ops@acme.example' });
    await useCases.createOrganization.execute(this.administrator, { name: 'globex', email: 'ops@globex.example' });
    this.owner = await this.handOver('acme', await this.user('olga'));
    this.owners = await this.teamNamed('owners');
    this.member = await this.join('max');
    this.organizationSecret = await this.newOrganizationSecret();
    this.organizationToken = await this.bearerOf(this.organizationSecret);
    this.workspace = await this.newWorkspace('network');
    return this;
  }

  /** Makes `user` the only owner of the administrator's organization. */
  private async handOver(organizationName: string, user: Person): Promise<Member> {
    const { useCases, administrator } = this;
    const teams = await useCases.listTeams.execute(administrator, organizationName, firstPage);
    const teamIds = teams.items.map(({ subject }) => subject.id);
    const command = { organizationName, email: user.email, teamIds };
    const { id } = await useCases.addOrganizationMembership.execute(administrator, command);
    // Accepts the invitation.
    await this.bearerOf(user.secret);
    const { items } = await useCases.listOrganizationMemberships.execute(administrator, organizationName, firstPage);
    const own = items.find((membership) => membership.userId === administrator.userId);
    await useCases.removeOrganizationMembership.execute(administrator, own?.id ?? '');
    return { ...user, membershipId: id };
  }

  async bearerOf(secret: string): Promise<Actor> {
    return this.useCases.authenticate.execute(secret);
  }

  /** Whether a secret is accepted. */
  async accepts(secret: string): Promise<boolean> {
    return this.bearerOf(secret).then(
      () => true,
      () => false,
    );
  }

  private async person(username: string, secret: string): Promise<Person> {
    const actor = await this.bearerOf(secret);
    if (actor.kind !== 'user') throw new Error('the secret does not belong to a user');
    return { ...actor, username, email: `${username}@example.com`, secret };
  }

  /** A user of the service, who belongs to no organization. */
  async user(username: string, siteAdministrator = false): Promise<Person> {
    const command = { username, email: `${username}@example.com`, siteAdministrator };
    const { secret } = await this.useCases.createUser.execute(this.administrator, command);
    return this.person(username, secret);
  }

  /** A new member of acme. */
  async join(username: string, ...teamIds: readonly TeamId[]): Promise<Member> {
    const user = await this.user(username);
    const command = { organizationName: 'acme', email: user.email, teamIds };
    const { id } = await this.useCases.addOrganizationMembership.execute(this.owner, command);
    await this.bearerOf(user.secret);
    return { ...user, membershipId: id };
  }

  /** A team of acme, visible to every member unless `secret`. */
  async newTeam(name: string, access: readonly OrganizationPermission[] = [], secret = false): Promise<Team> {
    const { subject } = await this.useCases.createTeam.execute(this.owner, 'acme', {
      name,
      visibility: secret ? 'secret' : 'organization',
      access: Object.fromEntries(access.map((permission) => [permission, true])),
    });
    return subject;
  }

  async teamNamed(name: string): Promise<Team> {
    const { items } = await this.useCases.listTeams.execute(this.owner, 'acme', firstPage);
    const found = items.find(({ subject }) => subject.name === name);
    if (found === undefined) throw new Error(`there is no team ${name}`);
    return found.subject;
  }

  /** A new member of acme whose only team holds these permissions. */
  async holderOf(...permissions: readonly OrganizationPermission[]): Promise<Member> {
    const name = `holders-${permissions.join('-')}`.slice(0, 60);
    return this.join(name, (await this.newTeam(name, permissions)).id);
  }

  /** A new member of acme whose only team has the grant on the workspace. */
  async grantee(given: FixedLevel | Grant, { id }: Pick<Workspace, 'id'> = this.workspace): Promise<Member> {
    const grant = typeof given === 'string' ? { access: given } : given;
    const name = `grantees-${grant.access}-${id}`;
    const team = await this.newTeam(name);
    await this.unitOfWork.run((tx) => giveGrant(tx, team.id, id, grant));
    return this.join(name, team.id);
  }

  /** Callers who must not learn that acme and its resources exist. */
  get outsiders(): readonly Actor[] {
    return [this.stranger, this.administrator];
  }

  async newOrganizationSecret(expiresAt: Instant | null = null): Promise<string> {
    const command = { organizationName: 'acme', kind: 'organization', expiresAt } as const;
    return (await this.useCases.issueOrganizationToken.execute(this.owner, command)).secret;
  }

  /** The secret of a new token of a kind that each owner has one of. */
  async newTokenOf(owner: SoleTokenOwner): Promise<{ readonly id: string; readonly secret: string }> {
    const { secret, digest } = this.secrets.generate();
    const createdAt = this.clock.now();
    const token = aToken(owner, { id: this.ids.next('token'), secretDigest: digest, createdAt });
    await this.unitOfWork.run((tx) => keepToken(tx, token));
    return { id: token.id, secret };
  }

  async newWorkspace(name: string): Promise<Workspace> {
    return (await this.useCases.createWorkspace.execute(this.owner, 'acme', { name })).subject;
  }

  /** A version created through the API, and the id at the end of its upload URL. */
  async newVersion(
    given: Partial<application.NewConfigurationVersion> = {},
  ): Promise<{ readonly id: ConfigurationVersionId; readonly objectId: string }> {
    const { version, uploadUrl } = await this.useCases.createConfigurationVersion.execute(this.owner, {
      workspaceId: this.workspace.id,
      autoQueueRuns: false,
      source: 'tfe-api',
      ...given,
    });
    return { id: version.id, objectId: objectIdOf(uploadUrl) };
  }

  /** A version that holds `bytes`. */
  async uploadedVersion(bytes: Buffer, given: Partial<application.NewConfigurationVersion> = {}) {
    const version = await this.newVersion(given);
    await this.upload(version, bytes);
    return version;
  }

  /** A version fetched from version control, as the commit fetcher leaves it. */
  async fetchedVersion(attributes: IngressAttributes): Promise<ConfigurationVersionId> {
    const id = this.ids.next('configuration-version');
    const created = ConfigurationVersion.create({
      id,
      workspaceId: this.workspace.id,
      origin: 'version-control',
      source: 'github',
      autoQueueRuns: false,
      provisional: true,
      ingressAttributesId: attributes.id,
      createdBy: null,
      createdAt: this.clock.now(),
    });
    await this.unitOfWork.run(async (tx) => {
      await tx.configurationVersions.add(created);
      await tx.configurationVersions.addIngressAttributes(id, attributes);
    });
    await this.fire(id, 'start-fetch');
    await this.fire(id, 'finish-fetch');
    return id;
  }

  upload({ objectId }: { readonly objectId: string }, ...chunks: readonly Uint8Array[]): Promise<void> {
    return this.useCases.uploadConfigurationBundle.execute(objectId, inChunks(chunks));
  }

  /** Forces a transition of a version, for states that no use case leads to. */
  async fire(id: ConfigurationVersionId, trigger: Trigger): Promise<void> {
    await this.unitOfWork.run(async (tx) => {
      const version = await tx.configurationVersions.find(id);
      if (version === undefined) throw new Error(`there is no version ${id}`);
      const { next, effects } = version.fire(trigger, await tx.runs.aboutVersion(id), this.clock.now());
      await tx.configurationVersions.save(next);
      await tx.effects.enqueue(id, effects);
    });
  }

  run(
    configurationVersionId: ConfigurationVersionId,
    status: RunStatus,
    given: { readonly workspaceId?: WorkspaceId; readonly createdBy?: string } = {},
  ): Promise<void> {
    const { workspaceId = this.workspace.id, createdBy = null } = given;
    return seedRun(this.unitOfWork, { id: 'run-1', workspaceId, configurationVersionId, status, createdBy });
  }

  async stateOf(id: ConfigurationVersionId): Promise<ConfigurationVersionState> {
    const version = await this.unitOfWork.read((tx) => tx.configurationVersions.find(id));
    if (version === undefined) throw new Error(`there is no version ${id}`);
    return version.state;
  }

  /** Performs effects until none is due. */
  async performEffects(): Promise<void> {
    for (let claimed = 1; claimed > 0; ) {
      claimed = 0;
      for (const lane of Object.keys(application.lanes) as application.Lane[]) {
        const { done, failures } = await this.useCases.performEffects.execute(lane);
        claimed += done + failures.length;
      }
    }
  }

  /** The use cases of another process with the same database and store. */
  processBeside(): UseCases {
    const { clock, ids, secrets, settings } = this;
    return useCasesOn({
      unitOfWork: new application.RetryingUnitOfWork(this.unitOfWork),
      snapshots: inOneTransaction(this.unitOfWork),
      clock,
      ids,
      secrets,
      secretBox: this.box,
      capabilityUrls: this.urls,
      bundleInspector: new TarBundleInspector(limits),
      bundleStore: this.store,
      commitFetcher: this.repositories,
      identityProvider: this.provider,
      runTaskCaller: this.runTasks,
      notifier: this.notifier,
      settings,
    });
  }

  /** Effects that are ordered and not performed yet. */
  get ordered(): readonly application.Effect[] {
    const rows = this.unitOfWork.select<{ kind: application.Effect['kind']; payload: string }>(
      'select kind, payload from effects order by id',
    );
    return rows.map(({ kind, payload }) => ({ kind, ...JSON.parse(payload) }));
  }

  /** The audit events of the organization, newest first. */
  async recorded(): Promise<readonly AuditEvent[]> {
    const all = { action: undefined, actorId: undefined, since: undefined, until: undefined, oldestFirst: false };
    const part = { after: undefined, limit: 100 };
    return (await this.useCases.listAuditEvents.execute(this.owner, 'acme', all, part)).items;
  }

  /** Every bundle the store holds, by its key. */
  async bundles(): Promise<ReadonlyMap<BundleKey, Buffer>> {
    const held = new Map<BundleKey, Buffer>();
    for (const key of this.ids.givenOut('bundle')) {
      const bytes = await this.store.read(key);
      if (bytes !== undefined) held.set(key, await buffer(bytes));
    }
    return held;
  }

  /** Asserts that the attempt is refused with `told` and changes nothing. */
  async refuses(attempt: () => Promise<unknown>, told: object): Promise<void> {
    await this.keepsEverything(() => expect(attempt()).rejects.toMatchObject(told));
  }

  /** Asserts that `attempt` changes no row and no bundle. */
  async keepsEverything(attempt: () => Promise<unknown>): Promise<void> {
    const before = { tables: this.unitOfWork.tables, bundles: await this.bundles() };
    await attempt();
    expect({ tables: this.unitOfWork.tables, bundles: await this.bundles() }).toEqual(before);
  }

  /** Whether any row names the id. */
  remembers(id: string): boolean {
    const { audit_events: _, ...tables } = this.unitOfWork.tables;
    return new RegExp(`(?<![\\w-])${id}(?![\\w-])`).test(JSON.stringify(tables));
  }
}

export const objectIdOf = (url: string): string => url.slice(url.lastIndexOf('/') + 1);

export async function* inChunks(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

/** Bytes on a slow connection: the test decides when the second half arrives or the connection breaks. */
export class SlowBody implements AsyncIterable<Uint8Array> {
  private readonly half = Promise.withResolvers<void>();
  private readonly rest = Promise.withResolvers<void>();

  constructor(private readonly bytes: Buffer) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const middle = Math.floor(this.bytes.length / 2);
    yield this.bytes.subarray(0, middle);
    this.half.resolve();
    await this.rest.promise;
    yield this.bytes.subarray(middle);
  }

  /** Resolves when the first half has been read. */
  get halfway(): Promise<void> {
    return this.half.promise;
  }

  finish(): void {
    this.rest.resolve();
  }

  breakOff(error: Error): void {
    this.rest.reject(error);
  }
}

/** Commits can be made to fail, before or after the change is kept; the caller cannot know which. */
export class UncertainUnitOfWork extends RowsInMemory {
  failing: 'before it is kept' | 'after it is kept' | undefined;
  reason = new Error('the connection was lost');

  override async run<Result>(work: (tx: application.Transaction) => Promise<Result>): Promise<Result> {
    const { reason } = this;
    return super
      .run(async (tx) => {
        const result = await work(tx);
        if (this.failing === 'before it is kept') throw reason;
        return result;
      })
      .then((result) => {
        if (this.failing === 'after it is kept') throw reason;
        return result;
      });
  }
}

/** The use cases of one process on these ports. The service's container makes the same, in ten times the time. */
export function useCasesOn(ports: Ports): UseCases {
  const made = new Map<Source, unknown>(Object.entries(ports) as [keyof Ports, unknown][]);
  const make = (source: Source): unknown => {
    if (typeof source === 'string' || made.has(source)) return made.get(source);
    const thing = new source.Class(...(source.from.map(make) as never[]));
    made.set(source, thing);
    return thing;
  };
  return Object.fromEntries(Object.entries(table).map(([name, row]) => [name, make(row)])) as never;
}
