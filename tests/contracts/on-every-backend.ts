import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Snapshots, Transaction } from '../../src/application/index.js';
import type {
  ApiToken,
  ConfigurationVersion,
  ConfigurationVersionState,
  Grant,
  Organization,
  OrganizationAccess,
  Team,
  TokenOwner,
  User,
  Workspace,
} from '../../src/domain/index.js';
import { type Backend, backends, type OpenBackend } from '../support/backends.js';
import {
  aConfigurationVersion,
  aMembership,
  anOrganization,
  aTeam,
  aToken,
  aUser,
  aWorkspace,
  giveGrant,
} from '../support/builders.js';
import { type SeededRun, seedRun } from '../support/seed-run.js';

/** A backend for the tests of one suite, with short ways to put things there. Everything it adds, it answers. */
export class Ground {
  private opened: OpenBackend | undefined;

  constructor(readonly backend: Backend) {}

  async open(): Promise<this> {
    this.opened = await this.backend.open();
    return this;
  }

  async close(): Promise<void> {
    await this.opened?.close();
  }

  run<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.unitOfWork.run(work);
  }

  read<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    return this.database.unitOfWork.read(work);
  }

  get snapshots(): Snapshots {
    return this.database.snapshots;
  }

  engine(): Promise<string> {
    return this.database.engine();
  }

  seedRun(run: SeededRun): Promise<void> {
    return seedRun(this.database.unitOfWork, run);
  }

  async analyze(): Promise<void> {
    await this.database.analyze?.();
  }

  rowCounts(): Promise<Readonly<Record<string, number>>> {
    return this.database.rowCounts();
  }

  async user(given: Partial<User> = {}): Promise<User> {
    const user = aUser(given);
    await this.run((tx) => tx.users.add(user));
    return user;
  }

  async organization(given: Partial<Organization> = {}): Promise<Organization> {
    const organization = anOrganization(given);
    await this.run((tx) => tx.organizations.add(organization));
    return organization;
  }

  async team(
    organization: Organization,
    given: Partial<Team> = {},
    members: readonly Pick<User, 'id'>[] = [],
  ): Promise<Team> {
    const team = aTeam(organization, given);
    await this.run(async (tx) => {
      await tx.teams.add(team);
      await tx.teams.addMembers(
        team,
        members.map(({ id }) => id),
      );
    });
    return { ...team, usersCount: members.length };
  }

  /** A team with organization-level permissions. */
  teamThatMay(
    organization: Organization,
    access: OrganizationAccess,
    members: readonly Pick<User, 'id'>[] = [],
  ): Promise<Team> {
    return this.team(organization, { access }, members);
  }

  async membership(organization: Organization, user: User) {
    const membership = aMembership(organization, user);
    await this.run((tx) => tx.memberships.add(membership));
    return membership;
  }

  /** A new user who is a member of the organization. */
  async member(organization: Organization, given: Partial<User> = {}): Promise<User> {
    const user = await this.user(given);
    await this.membership(organization, user);
    return user;
  }

  async workspace(organization: Organization, given: Partial<Workspace> = {}): Promise<Workspace> {
    const workspace = aWorkspace(organization, given);
    await this.run((tx) => tx.workspaces.add(workspace));
    return workspace;
  }

  async grant(team: Team, workspace: Workspace, grant: Grant): Promise<void> {
    await this.run((tx) => giveGrant(tx, team.id, workspace.id, grant));
  }

  /** The workspace's next version, which does not become its current one. */
  async version(
    workspace: Pick<Workspace, 'id'>,
    given: Partial<ConfigurationVersionState> = {},
  ): Promise<ConfigurationVersion> {
    const version = aConfigurationVersion(workspace, given);
    await this.run((tx) => tx.configurationVersions.add(version));
    return version;
  }

  async token<Owner extends TokenOwner>(owner: Owner, given: Partial<Omit<ApiToken, 'owner'>> = {}) {
    const token = aToken(owner, given);
    await this.run((tx) => tx.tokens.add(token));
    return token;
  }

  private get database(): OpenBackend {
    if (this.opened === undefined) throw new Error('the backend is not open');
    return this.opened;
  }
}

/** Runs the tests on each backend, and first makes sure that it is the one that answers. */
export function onEveryBackend(contract: string, tests: (on: Ground) => void, on = backends): void {
  for (const backend of on) {
    (backend.skip ? describe.skip : describe)(`${contract}, on ${backend.name}`, () => {
      const ground = new Ground(backend);
      beforeAll(async () => {
        await ground.open();
      });
      afterAll(() => ground.close());

      it('is answered by its own engine', async () => {
        expect(await ground.engine()).toMatch(backend.answers);
      });

      tests(ground);
    });
  }
}

/** The same work on a database in which there is nothing else. */
export async function onFreshGround(backend: Backend, work: (on: Ground) => Promise<void>): Promise<void> {
  const ground = await new Ground(backend).open();
  try {
    await work(ground);
  } finally {
    await ground.close();
  }
}

/** A refusal with this code, and whatever else is named. */
export const refusal = (code: string, details: object = {}) => expect.objectContaining({ code, ...details });

/** The refusal of what another one has. */
export const taken = (attribute: string, label = `${attribute[0]?.toUpperCase()}${attribute.slice(1)}`) =>
  refusal('attribute/taken', { details: { attribute }, message: `${label} has already been taken` });
