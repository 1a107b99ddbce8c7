import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Transaction } from '../../src/application/index.js';
import {
  type Actor,
  type ConfigurationVersion,
  type Grant,
  type Membership,
  type Organization,
  type Standing,
  type Team,
  type TeamStanding,
  teamInQuestion,
  type User,
  type Workspace,
} from '../../src/domain/index.js';
import {
  aBundle,
  aCustomGrant,
  asOrganization,
  asTeam,
  asUser,
  noon,
  ownedBy,
  someIngressAttributes,
} from '../support/builders.js';
import { type Ground, onEveryBackend } from './on-every-backend.js';

const through = (team: Team, grant?: Grant): TeamStanding => ({
  teamId: team.id,
  owners: team.owners,
  access: team.access,
  ...(grant && { grant }),
});

const standing = (actor: Actor, member: boolean, ...teams: TeamStanding[]): Standing => ({
  actor: actor.kind,
  siteAdministrator: actor.kind === 'user' && actor.siteAdministrator,
  member,
  teams: teams.sort(byTeam),
});

const byTeam = (a: TeamStanding, b: TeamStanding) => (a.teamId < b.teamId ? -1 : 1);

const sorted = (found: Standing | undefined) => found && { ...found, teams: found.teams.toSorted(byTeam) };

onEveryBackend('standing', (on) => {
  let organization: Organization;
  let owners: Team;
  let admins: Team;
  let readers: Team;
  let secret: Team;
  let workspace: Workspace;
  let neighbour: Workspace;
  let version: ConfigurationVersion;
  let membership: Membership;
  let elsewhere: Organization;
  let foreignTeam: Team;

  const custom = aCustomGrant({ runs: 'plan', variables: 'write', policyMocks: 'read', runTasks: true });

  beforeAll(async () => {
    organization = await on.organization();
    owners = await on.team(organization, { name: 'owners', owners: true }, [await on.member(organization)]);
    admins = await on.teamThatMay(organization, new Set(['manage-workspaces', 'manage-teams']));
    readers = await on.team(organization, { visibility: 'organization' });
    secret = await on.team(organization);
    workspace = await on.workspace(organization);
    neighbour = await on.workspace(organization);
    version = await on.version(workspace);
    const member = await on.user();
    membership = await on.membership(organization, member);
    elsewhere = await on.organization();
    foreignTeam = await on.team(elsewhere, { owners: true, access: new Set(['manage-workspaces']) });
  });

  /** The caller's standing wherever it is asked: on the workspace by its four ways, on the organization by its four. */
  async function standings(actor: Actor) {
    const seen = await on.read(async (tx) => ({
      byId: await tx.workspaces.findFor(actor, workspace.id),
      alone: await tx.workspaces.findIdFor(actor, workspace.id),
      byName: await tx.workspaces.findByNameFor(actor, organization.name, workspace.name),
      ofVersion: await tx.configurationVersions.findFor(actor, version.state.id),
      ofSummary: await tx.configurationVersions.findSummaryFor(actor, version.state.id),
      ofOrganization: await tx.organizations.findFor(actor, organization.name),
      ofMembership: await tx.memberships.findFor(actor, membership.id),
      ofTeam: await tx.teams.findFor(actor, secret.id),
      amongOrganizations: {
        standing: (await tx.organizations.standingIn(actor, [elsewhere.id, organization.id]))(organization.id),
      },
    }));
    return Object.fromEntries(Object.entries(seen).map(([name, found]) => [name, sorted(found?.standing)]));
  }

  /** The same everywhere, but for the grants, which are the workspace's, and the team in question. */
  const everywhere = (onWorkspace: Standing) => {
    const onOrganization = { ...onWorkspace, teams: onWorkspace.teams.map(({ grant: _, ...team }) => team) };
    return {
      byId: onWorkspace,
      alone: onWorkspace,
      byName: onWorkspace,
      ofVersion: onWorkspace,
      ofSummary: onWorkspace,
      ofOrganization: onOrganization,
      ofMembership: onOrganization,
      ofTeam: { ...onOrganization, team: teamInQuestion(secret) },
      amongOrganizations: onOrganization,
    };
  };

  const join = (user: User, ...teams: Team[]) =>
    on.run(async (tx) => {
      for (const team of teams) await tx.teams.addMembers(team, [user.id]);
    });

  it('is nothing for a stranger', async () => {
    const stranger = asUser(await on.user());
    expect(await standings(stranger)).toEqual(everywhere(standing(stranger, false)));
  });

  it('is nothing but the site for a site administrator who is not a member', async () => {
    const administrator = asUser(await on.user({ siteAdministrator: true }));
    expect(await standings(administrator)).toEqual(everywhere(standing(administrator, false)));
  });

  it('is nothing for a member of another organization, an owner there', async () => {
    const user = await on.member(elsewhere);
    await join(user, foreignTeam);
    expect(await standings(asUser(user))).toEqual(everywhere(standing(asUser(user), false)));
  });

  it('is membership alone for a member without teams', async () => {
    const actor = asUser(await on.member(organization));
    expect(await standings(actor)).toEqual(everywhere(standing(actor, true)));
  });

  it('names every team of a member in this organization, and none of another', async () => {
    const user = await on.member(organization);
    await on.membership(elsewhere, user);
    await join(user, owners, admins, readers, foreignTeam);
    const expected = standing(asUser(user), true, through(owners), through(admins), through(readers));
    expect(await standings(asUser(user))).toEqual(everywhere(expected));
  });

  const levels: readonly Grant[] = [
    { access: 'read' },
    { access: 'plan' },
    { access: 'write' },
    { access: 'admin' },
    custom,
  ];

  it.each(levels)('has the grant of each team on the workspace in question: $access', async (grant) => {
    const user = await on.member(organization);
    const [granted, bare] = [await on.team(organization, {}, [user]), await on.team(organization, {}, [user])];
    await on.grant(granted, workspace, grant);
    await on.grant(bare, neighbour, { access: 'admin' });
    const expected = standing(asUser(user), true, through(granted, grant), through(bare));
    expect(await standings(asUser(user))).toEqual(everywhere(expected));
    expect(await standings(asTeam(granted))).toEqual(
      everywhere(standing(asTeam(granted), true, through(granted, grant))),
    );
  });

  it('of a team’s token is the team, and not what its members hold besides', async () => {
    const user = await on.member(organization);
    await join(user, readers, secret);
    expect(await standings(asTeam(readers))).toEqual(everywhere(standing(asTeam(readers), true, through(readers))));
    expect(await standings(asTeam(owners))).toEqual(everywhere(standing(asTeam(owners), true, through(owners))));
    expect(await standings(asTeam(admins))).toEqual(everywhere(standing(asTeam(admins), true, through(admins))));
  });

  it('of a team’s token is nothing in another organization', async () => {
    expect(await standings(asTeam(foreignTeam))).toEqual(everywhere(standing(asTeam(foreignTeam), false)));
  });

  it('of an organization’s token is membership of that organization only', async () => {
    const [own, foreign] = [asOrganization(organization), asOrganization(elsewhere)];
    expect(await standings(own)).toEqual(everywhere(standing(own, true)));
    expect(await standings(foreign)).toEqual(everywhere(standing(foreign, false)));
  });

  it('loses a team that is removed, and the grants it held', async () => {
    const user = await on.member(organization);
    const [gone, kept] = [await on.team(organization, {}, [user]), await on.team(organization, {}, [user])];
    await on.grant(gone, workspace, { access: 'admin' });
    await on.run((tx) => tx.teams.remove(gone.id, noon));
    expect(await standings(asUser(user))).toEqual(everywhere(standing(asUser(user), true, through(kept))));
  });

  it('is nothing once the caller’s user is removed', async () => {
    const user = await on.member(organization);
    await join(user, owners, readers);
    await on.run((tx) => tx.users.remove(user.id, noon));
    expect(await standings(asUser(user))).toEqual(everywhere(standing(asUser(user), false)));
  });

  it('is nothing while the caller’s user is suspended', async () => {
    const user = await on.member(organization);
    await join(user, owners, readers);
    await on.run((tx) => tx.users.setSuspended(user.id, true));
    expect(await standings(asUser(user))).toEqual(everywhere(standing(asUser(user), false)));
    await on.run((tx) => tx.users.setSuspended(user.id, false));
    const expected = standing(asUser(user), true, through(owners), through(readers));
    expect(await standings(asUser(user))).toEqual(everywhere(expected));
  });

  it('of a team is found by the team’s id alone, and is nothing once the team is removed', async () => {
    const team = await on.team(organization);
    await on.grant(team, workspace, { access: 'plan' });
    const actor = { ...asTeam(team), organizationId: '' };
    expect(await standings(actor)).toEqual(everywhere(standing(actor, true, through(team, { access: 'plan' }))));
    await on.run((tx) => tx.teams.remove(team.id, noon));
    expect(await standings(actor)).toEqual(everywhere(standing(actor, false)));
  });

  it('is nothing once the membership is removed', async () => {
    const user = await on.user();
    const left = await on.membership(organization, user);
    await join(user, owners, readers);
    await on.run((tx) => tx.memberships.remove(left));
    expect(await standings(asUser(user))).toEqual(everywhere(standing(asUser(user), false)));
  });
});

/** Everything that can hang on something else, and all the ways to find it. */
async function aHouse(on: Ground) {
  const organization = await on.organization();
  const user = await on.user();
  const membership = await on.membership(organization, user);
  const team = await on.team(organization, { owners: true }, [user]);
  const workspace = await on.workspace(organization);
  await on.grant(team, workspace, { access: 'admin' });
  const version = await on.version(workspace, { status: 'uploaded', bundle: aBundle() });
  const versionId = version.state.id;
  await on.run((tx) => tx.configurationVersions.addIngressAttributes(versionId, someIngressAttributes()));
  const userToken = await on.token(ownedBy('user', user));
  const teamToken = await on.token(ownedBy('team', team));
  const organizationToken = await on.token(ownedBy('organization', organization));

  // Who asks is never the one that is removed, where that is possible: what is missing must be missing for everyone.
  const caller = asOrganization(organization);
  const all = { number: 1, size: 100 };
  const none: Standing = { actor: 'organization', siteAdministrator: false, member: true, teams: [] };
  const finds = {
    organization: {
      'organizations.findFor': (tx) => tx.organizations.findFor(caller, organization.name),
      'organizations.page of a member': (tx) => tx.organizations.page(asUser(user), all),
      'organizations.page of a team': (tx) => tx.organizations.page(asTeam(team), all),
      'organizations.page of its token': (tx) => tx.organizations.page(caller, all),
      'its token': (tx) => tx.tokens.find(organizationToken.id),
      'the credential of its token': (tx) => tx.tokens.findCredential(organizationToken.secretDigest),
      'tokens.findOf it': (tx) => tx.tokens.findOf(organizationToken.owner),
      'workspaces.page': (tx) => tx.workspaces.page(organization.id, none, 'all', all),
      'teams.page': (tx) => tx.teams.page(organization.id, 'all', all),
      'memberships.page': (tx) => tx.memberships.page(organization.id, all),
      'memberships.findFor': (tx) => tx.memberships.findFor(caller, membership.id),
      'memberships.findUsers': (tx) => tx.memberships.findUsers(organization.id, [user.id]),
    },
    user: {
      'users.find': (tx) => tx.users.find(user.id),
      'the tokens of the user': (tx) => tx.tokens.pageOfUser(user.id, all),
      'a token of the user': (tx) => tx.tokens.find(userToken.id),
      'the credential of the user’s token': (tx) => tx.tokens.findCredential(userToken.secretDigest),
    },
    team: {
      'teams.findFor': (tx) => tx.teams.findFor(caller, team.id),
      'teams.findLimitedFor': (tx) => tx.teams.findLimitedFor(caller, team.id),
      'its token': (tx) => tx.tokens.find(teamToken.id),
      'tokens.findOf it': (tx) => tx.tokens.findOf(teamToken.owner),
      'the credential of its token': (tx) => tx.tokens.findCredential(teamToken.secretDigest),
      'teams.members': async (tx) => (await tx.teams.members([team.id])).get(team.id) ?? [],
    },
    workspace: {
      'workspaces.findFor': (tx) => tx.workspaces.findFor(caller, workspace.id),
      'workspaces.findIdFor': (tx) => tx.workspaces.findIdFor(caller, workspace.id),
      'workspaces.findByNameFor': (tx) => tx.workspaces.findByNameFor(caller, organization.name, workspace.name),
      'configurationVersions.find': (tx) => tx.configurationVersions.find(versionId),
      'configurationVersions.findFor': (tx) => tx.configurationVersions.findFor(caller, versionId),
      'configurationVersions.findSummaryFor': (tx) => tx.configurationVersions.findSummaryFor(caller, versionId),
      'configurationVersions.page': (tx) => tx.configurationVersions.page(workspace.id, all),
      'configurationVersions.ingressAttributes': async (tx) => [
        ...(await tx.configurationVersions.ingressAttributes([versionId])),
      ],
    },
  } as const satisfies Record<string, Record<string, Find>>;
  return { organization, user, membership, team, workspace, finds };
}

type Find = (tx: Transaction) => Promise<unknown>;

/** Whether anything came back: not nothing, not an empty list, not a page of a list that is empty. */
async function finds(on: Ground, find: Find): Promise<boolean> {
  const found = await on.read(find);
  if (found === undefined) return false;
  if (Array.isArray(found)) return found.length > 0;
  if (found instanceof Map) return found.size > 0;
  const { total, items } = found as { total?: number; items?: readonly unknown[] };
  return total === undefined || total > 0 || (items ?? []).length > 0;
}

async function expectAll(on: Ground, each: Readonly<Record<string, Find>>, expected: boolean): Promise<void> {
  const outcome: Record<string, boolean> = {};
  for (const [name, find] of Object.entries(each)) outcome[name] = await finds(on, find);
  expect(outcome).toEqual(Object.fromEntries(Object.keys(each).map((name) => [name, expected])));
}

onEveryBackend('what hangs on something removed', (on) => {
  describe('is hidden at once', () => {
    it('with its organization, all of it', async () => {
      const { organization, finds: all } = await aHouse(on);
      const inside = { ...all.organization, ...all.team, ...all.workspace };
      await expectAll(on, { ...inside, ...all.user }, true);
      await on.run((tx) => tx.organizations.remove(organization.id, noon));
      await expectAll(on, inside, false);
      await expectAll(on, all.user, true);
    });

    it('with its workspace: versions and their commits', async () => {
      const { workspace, organization, finds: all } = await aHouse(on);
      await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
      await expectAll(on, all.workspace, false);
      const none: Standing = { actor: 'organization', siteAdministrator: false, member: true, teams: [] };
      const page = (tx: Transaction) => tx.workspaces.page(organization.id, none, 'all', { number: 1, size: 20 });
      await expectAll(on, { 'workspaces.page': page }, false);
      const { 'workspaces.page': _, ...rest } = all.organization;
      await expectAll(on, { ...rest, ...all.team, ...all.user }, true);
    });

    it('with its team: its token, its places and its grants', async () => {
      const { team, user, membership, workspace, finds: all } = await aHouse(on);
      await on.run((tx) => tx.teams.remove(team.id, noon));
      await expectAll(on, all.team, false);
      const { 'teams.page': page, ...rest } = all.organization;
      await expectAll(on, { page }, false);
      await expectAll(on, { ...rest, ...all.user, ...all.workspace }, true);
      const seen = await on.read((tx) => tx.memberships.findFor(asUser(user), membership.id));
      expect(seen).toMatchObject({ subject: { teams: [] }, standing: { member: true, teams: [] } });
      const place = await on.read((tx) => tx.workspaces.findFor(asUser(user), workspace.id));
      expect(place?.standing.teams).toEqual([]);
      expect(await on.read((tx) => tx.teams.ownedBy(user.id))).toEqual([]);
    });

    it('with its user: tokens, memberships and places in teams', async () => {
      const { user, team, finds: all } = await aHouse(on);
      await on.run((tx) => tx.users.remove(user.id, noon));
      const {
        'organizations.page of a member': ofMember,
        'memberships.page': page,
        'memberships.findFor': findFor,
        'memberships.findUsers': findUsers,
        ...rest
      } = all.organization;
      const { 'teams.members': members, ...ofTeam } = all.team;
      await expectAll(on, { ...all.user, ofMember, page, findFor, findUsers, members }, false);
      await expectAll(on, { ...rest, ...ofTeam, ...all.workspace }, true);
      const seen = await on.read((tx) => tx.teams.findFor(asTeam(team), team.id));
      expect(seen?.subject.usersCount).toBe(0);
    });
  });
});
