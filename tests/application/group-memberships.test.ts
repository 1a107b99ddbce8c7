import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Team } from '../../src/domain/index.js';
import { World } from '../support/application.js';

const request = { id: 'request-1', address: null, route: 'GET /session/callback' };

/** Two identities of one user. */
const subjects = ['ada', 'ada at work'] as const;

describe('groups at the provider', () => {
  let world: World;

  beforeEach(async () => {
    world = await World.create();
    for (const subject of subjects) {
      const identity = { userId: world.stranger.userId, issuer: 'https://provider.test', subject };
      await world.useCases.addIdentity.execute(world.administrator, identity);
    }
    await world.unitOfWork.run((tx) => tx.teamGroups.give(world.owners.organizationId, ['*']));
  });

  /** Null for a token without the claim. */
  async function signInAs(subject: string, groups: readonly string[] | null): Promise<void> {
    const { url, sealed } = await world.useCases.beginSignIn.execute('/app');
    world.provider.person = { subject, groups };
    const query = new URL(url).search.slice(1);
    await world.useCases.completeSignIn.execute({ query, sealed, secret: undefined, request });
  }

  const signIn = (...groups: readonly string[]) => signInAs('ada', groups);

  const map = (teamId: string, group: string | null) =>
    world.useCases.updateTeam.execute(world.owner, teamId, { ssoTeamId: group });

  const byHand = ({ id }: Team, change: 'add' | 'remove') =>
    world.useCases.changeTeamMembers.execute(world.owner, id, change, [world.stranger.userId]);

  /** The names of the teams of acme that the person is in; undefined if they are not a member of acme. */
  async function teams(): Promise<readonly string[] | undefined> {
    const { organizationId } = world.owners;
    const [membership] = await world.unitOfWork.read((tx) =>
      tx.memberships.ofUsers(organizationId, [world.stranger.userId]),
    );
    return membership?.teams.map(({ name }) => name);
  }

  it('move the person from team to team, and out of the organization', async () => {
    await map((await world.newTeam('blue')).id, 'b');
    await map((await world.newTeam('red')).id, 'r');
    await signIn('b');
    expect(await teams()).toEqual(['blue']);
    await signIn('b', 'r');
    expect(await teams()).toEqual(['blue', 'red']);
    await signIn('r');
    expect(await teams()).toEqual(['red']);
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it('leave alone what was made by hand', async () => {
    const [blue, red] = [await world.newTeam('blue'), await world.newTeam('red')];
    for (const team of [blue, red]) await map(team.id, team.name);
    const { email } = world.stranger;
    const command = { organizationName: 'acme', email, teamIds: [blue.id] };
    await world.useCases.addOrganizationMembership.execute(world.owner, command);
    await signIn('blue', 'red');
    await signIn();
    expect(await teams()).toEqual(['blue']);
    await signIn('red');
    await byHand(red, 'add');
    await signIn();
    expect(await teams()).toEqual(['blue', 'red']);
    for (const team of [blue, red]) await byHand(team, 'remove');
    await signIn();
    expect(await teams()).toEqual([]);
  });

  it('leave alone a team that the person joined by hand next to one that they gave', async () => {
    const [blue, red] = [await world.newTeam('blue'), await world.newTeam('red')];
    for (const team of [blue, red]) await map(team.id, team.name);
    await signIn('red');
    await byHand(blue, 'add');
    await signIn('blue', 'red');
    await signIn();
    expect(await teams()).toEqual(['blue']);
  });

  it('are recorded where they change a team, and only there', async () => {
    for (const name of ['blue', 'red']) await map((await world.newTeam(name)).id, name);
    const recorded = () =>
      world.unitOfWork.select("select * from audit_events where action = 'team-members/follow-groups'").length;
    await signIn('blue', 'red');
    expect(recorded()).toBe(2);
    await signIn('blue', 'red');
    expect([await teams(), recorded()]).toEqual([['blue', 'red'], 2]);
    await signIn('red');
    expect([await teams(), recorded()]).toEqual([['red'], 3]);
  });

  it('keep the organization while the person is in a team by hand', async () => {
    const [blue, red] = [await world.newTeam('blue'), await world.newTeam('red')];
    await map(blue.id, 'b');
    await signIn('b');
    await byHand(red, 'add');
    await signIn();
    expect(await teams()).toEqual(['red']);
    await byHand(red, 'remove');
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it.each([
    ['the person was removed from it', (team: Team) => byHand(team, 'remove')],
    ['it was deleted', (team: Team) => world.useCases.removeTeam.execute(world.owner, team.id)],
    ['it is mapped no more', (team: Team) => map(team.id, null)],
    ['it is mapped to another group', (team: Team) => map(team.id, 'other')],
  ])('leave no membership of the organization behind where a team gave it and %s', async (_, happens) => {
    const blue = await world.newTeam('blue');
    await map(blue.id, 'b');
    await signIn('b');
    await happens(blue);
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it('of two identities of a user each give and take their own', async () => {
    const [blue, red] = [await world.newTeam('blue'), await world.newTeam('red')];
    for (const team of [blue, red]) await map(team.id, team.name);
    await signInAs('ada', ['blue', 'red']);
    await signInAs('ada at work', ['red']);
    expect(await teams()).toEqual(['blue', 'red']);
    await signInAs('ada', []);
    expect(await teams()).toEqual(['red']);
    await signInAs('ada at work', []);
    expect(await teams()).toBeUndefined();
  });

  it('stay without effect where no owner mapped them', async () => {
    const blue = await world.newTeam('blue');
    await map(blue.id, 'b');
    await map(blue.id, null);
    await signIn('b', 'owners', 'acme', '');
    expect(await teams()).toBeUndefined();
  });

  it('stay without effect where one who only manages teams sends a stored group again', async () => {
    const [blue, managers] = [await world.newTeam('blue'), await world.newTeam('managers')];
    const stored = { ...blue, ssoTeamId: 'b', visibility: 'organization', revision: blue.revision + 1 } as const;
    await world.unitOfWork.run((tx) => tx.teams.save(stored));
    const access = { 'manage-teams': true };
    await world.useCases.updateTeam.execute(world.owner, managers.id, { access });
    await world.useCases.changeTeamMembers.execute(world.owner, managers.id, 'add', [world.member.userId]);
    const again = { ssoTeamId: 'b', visibility: 'organization' } as const;
    await world.useCases.updateTeam.execute(world.member, blue.id, again);
    await signIn('b');
    expect(await teams()).toBeUndefined();
    await world.useCases.updateTeam.execute(world.owner, blue.id, again);
    await signIn('b');
    expect(await teams()).toEqual(['blue']);
  });

  it('of the owners team give its rights, and leave it its last active owner', async () => {
    await map(world.owners.id, 'bosses');
    await signIn('bosses');
    expect(await teams()).toEqual(['owners']);
    await world.useCases.changeTeamMembers.execute(world.stranger, world.owners.id, 'remove', [world.owner.userId]);
    await signIn();
    expect(await teams()).toEqual(['owners']);
    await world.useCases.changeTeamMembers.execute(world.stranger, world.owners.id, 'add', [world.owner.userId]);
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it('of the owners team end the ownership while another owner is active, in any order of the list', async () => {
    await map(world.owners.id, 'bosses');
    await signIn('bosses');
    await world.join('zoe', world.owners.id);
    await world.useCases.changeTeamMembers.execute(world.stranger, world.owners.id, 'remove', [world.owner.userId]);
    await signIn();
    expect(await teams()).toBeUndefined();
  });

  it('of the owners team leave it its last owner where another was only invited', async () => {
    await map(world.owners.id, 'bosses');
    await signIn('bosses');
    const invited = { organizationName: 'acme', email: 'nobody@example.com', teamIds: [world.owners.id] };
    await world.useCases.addOrganizationMembership.execute(world.owner, invited);
    await world.useCases.changeTeamMembers.execute(world.stranger, world.owners.id, 'remove', [world.owner.userId]);
    await signIn();
    expect(await teams()).toEqual(['owners']);
  });

  it('are not looked at without the claim', async () => {
    await map((await world.newTeam('blue')).id, 'b');
    await signIn('b');
    await signInAs('ada', null);
    expect(await teams()).toEqual(['blue']);
  });
});
