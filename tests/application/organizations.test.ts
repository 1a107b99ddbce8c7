import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Actor, TeamId } from '../../src/domain/index.js';
import { firstPage, invalid, type Member, missing, unauthenticated, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
beforeEach(async () => {
  world = await World.create();
});

const create = (actor: Actor, name: string, email = 'ops@example.com') =>
  world.useCases.createOrganization.execute(actor, { name, email });
const show = (actor: Actor, name = 'acme') => world.useCases.showOrganization.execute(actor, name);
const update = (actor: Actor, change: { name?: string; email?: string }, name = 'acme') =>
  world.useCases.updateOrganization.execute(actor, name, change);
const remove = (actor: Actor, name = 'acme') => world.useCases.removeOrganization.execute(actor, name);

const names = async (actor: Actor, page = firstPage) =>
  (await world.useCases.listOrganizations.execute(actor, page)).items.map(({ subject }) => subject.name);

const memberships = async (actor: Actor, organizationName = 'acme') =>
  (await world.useCases.listOrganizationMemberships.execute(actor, organizationName, firstPage)).items;
const membership = (actor: Actor, id: string) => world.useCases.showOrganizationMembership.execute(actor, id);
const add = (actor: Actor, email: string, ...teamIds: readonly TeamId[]) =>
  world.useCases.addOrganizationMembership.execute(actor, { organizationName: 'acme', email, teamIds });
const leave = (actor: Actor, id: string) => world.useCases.removeOrganizationMembership.execute(actor, id);

const teamsOf = async (member: Member) =>
  (await membership(world.owner, member.membershipId)).subject.teams.map(({ name }) => name);

describe('deleting an organization', () => {
  it('hides it and all that hangs on it at once', async () => {
    const version = await world.uploadedVersion(files);
    const team = await world.newTeam('robots');
    await remove(world.owner);
    const { useCases, owner, workspace } = world;
    await world.refuses(() => show(owner), missing);
    expect(await names(owner)).toEqual([]);
    await world.refuses(() => useCases.showWorkspace.execute(owner, { id: workspace.id }), missing);
    await world.refuses(() => useCases.showTeam.execute(owner, team.id), missing);
    await world.refuses(() => membership(owner, world.member.membershipId), missing);
    await world.refuses(() => useCases.locateBundle.execute(owner, { id: version.id }), missing);
    await world.refuses(() => remove(owner), missing);
  });

  it('makes the tokens of it and of its teams dead at once, and leaves its people theirs', async () => {
    const team = await world.newTokenOf({ kind: 'team', id: (await world.newTeam('robots')).id });
    await remove(world.owner);
    await expect(world.bearerOf(world.organizationSecret)).rejects.toMatchObject(unauthenticated);
    await expect(world.bearerOf(team.secret)).rejects.toMatchObject(unauthenticated);
    expect(await world.accepts(world.owner.secret)).toBe(true);
  });

  it('frees its name at once', async () => {
    await remove(world.owner);
    await create(world.administrator, 'acme');
    await world.performEffects();
    expect(await names(world.administrator)).toEqual(['acme', 'globex']);
    expect(await memberships(world.administrator)).toHaveLength(1);
  });

  it('leaves neither rows nor bundles behind once the worker was there', async () => {
    const { id: organizationId } = (await show(world.owner)).subject;
    const version = await world.uploadedVersion(files);
    const grantee = await world.grantee('admin');
    const [granted] = (await membership(world.owner, grantee.membershipId)).subject.teams;
    await world.newTokenOf({ kind: 'team', id: granted?.id ?? '' });
    await world.run(version.id, 'applied');
    await remove(world.owner);
    expect(world.ordered).toEqual([{ kind: 'remove-rows', target: { kind: 'organization', id: organizationId } }]);
    await world.performEffects();
    const gone = [
      organizationId,
      version.id,
      world.workspace.id,
      granted?.id,
      world.owners.id,
      world.member.membershipId,
    ];
    expect(gone.filter((id) => world.remembers(id ?? ''))).toEqual([]);
    expect(world.remembers('run-1')).toBe(false);
    expect(await world.bundles()).toEqual(new Map());
    expect(world.remembers(world.member.userId)).toBe(true);
    expect(await names(world.administrator)).toEqual(['globex']);
  });
});

describe('the token of an organization', () => {
  const issue = (actor: Actor, expiresAt: string | null = null) =>
    world.useCases.issueOrganizationToken.execute(actor, { organizationName: 'acme', kind: 'organization', expiresAt });
  const showToken = (actor: Actor) => world.useCases.showOrganizationToken.execute(actor, 'acme', 'organization');
  const revoke = (actor: Actor) => world.useCases.revokeOrganizationToken.execute(actor, 'acme', 'organization');

  it('may expire, but not in the past', async () => {
    await world.refuses(() => issue(world.owner, world.clock.now()), invalid('expiredAt'));
    expect(await world.accepts(world.organizationSecret)).toBe(true);
    const { secret } = await issue(world.owner, '2030-01-01T00:01:00.000Z');
    world.clock.advance(59);
    expect(await world.accepts(secret)).toBe(true);
    world.clock.advance(1);
    expect(await world.accepts(secret)).toBe(false);
  });

  it('is dead once revoked, and then missing', async () => {
    await revoke(world.owner);
    expect(await world.accepts(world.organizationSecret)).toBe(false);
    await world.refuses(() => showToken(world.owner), missing);
    await world.refuses(() => revoke(world.owner), missing);
  });
});

describe('the memberships of an organization', () => {
  it('show secret teams to those who are in them or may see them', async () => {
    const hidden = await world.newTeam('hidden', [], true);
    const insider = await world.join('ina', hidden.id);
    const seer = await world.holderOf('access-secret-teams');
    const sees = async (actor: Actor) =>
      (await membership(actor, insider.membershipId)).subject.teams.map(({ name }) => name);
    expect(await sees(world.member)).toEqual([]);
    for (const caller of [insider, seer, world.owner, world.organizationToken]) {
      expect(await sees(caller)).toEqual(['hidden']);
    }
    const listed = async (actor: Actor) =>
      (await memberships(actor)).find(({ id }) => id === insider.membershipId)?.teams.length;
    expect(await listed(world.member)).toBe(0);
    expect(await listed(seer)).toBe(1);
  });
});

/** The refusal of a team in the body, hidden or missing. */
const missingTeam = { ...missing, message: 'Team does not exist, or you cannot see it: check its id' };

describe('adding a member', () => {
  it('refuses what is not an address', async () => {
    await world.refuses(() => add(world.owner, 'nobody'), invalid('email'));
  });

  it('leaves nothing of an invitation that is taken back before', async () => {
    const robots = await world.newTeam('robots');
    const { id } = await add(world.owner, 'nova@example.com', robots.id);
    await world.useCases.removeOrganizationMembership.execute(world.owner, id);
    const nova = await world.user('nova');
    await world.refuses(() => show(nova), missing);
    expect((await world.useCases.showTeam.execute(world.owner, robots.id)).members).toEqual([]);
  });

  it('does not let an invited owner stand in for the last active one', async () => {
    const leave = () => world.useCases.removeOrganizationMembership.execute(world.owner, world.owner.membershipId);
    await add(world.owner, 'nova@example.com', world.owners.id);
    await add(world.owner, world.stranger.email, world.owners.id);
    await world.refuses(leave, { code: 'owners-team/protected' });
    await world.bearerOf(world.stranger.secret);
    await leave();
  });

  it('adds owners only through an owner', async () => {
    const manager = await world.holderOf('manage-membership', 'manage-teams', 'access-secret-teams');
    await world.refuses(() => add(manager, world.stranger.email, world.owners.id), missingTeam);
    await world.refuses(() => add(world.organizationToken, world.stranger.email, world.owners.id), missingTeam);
    await add(world.owner, world.stranger.email, world.owners.id);
    await update(world.stranger, { email: 'sam@acme.example' });
  });

  it('does not reach teams that hold a permission the caller lacks', async () => {
    const manager = await world.holderOf('manage-membership');
    const strong = await world.newTeam('strong', ['manage-workspaces']);
    await world.refuses(() => add(manager, world.stranger.email, strong.id), missingTeam);
  });

  it('does not reach teams that are secret to the caller, of another organization, or missing', async () => {
    const manager = await world.holderOf('manage-membership');
    const hidden = await world.newTeam('hidden', [], true);
    const { subject: foreign } = await world.useCases.createTeam.execute(world.administrator, 'globex', {
      name: 'sales',
    });
    for (const teamId of [hidden.id, foreign.id, 'team-99']) {
      await world.refuses(() => add(manager, world.stranger.email, teamId), missingTeam);
    }
  });

  it('does not mix organizations, not even for an owner of both', async () => {
    const { subject: foreign } = await world.useCases.createTeam.execute(world.administrator, 'globex', {
      name: 'sales',
    });
    await add(world.owner, world.administrator.email, world.owners.id);
    await world.refuses(() => add(world.administrator, world.stranger.email, foreign.id), missingTeam);
  });
});

describe('removing a member', () => {
  it('takes them out of the organization and of its teams', async () => {
    const team = await world.newTeam('robots', ['manage-workspaces']);
    const { membershipId, ...person } = await world.join('ada', team.id);
    await leave(world.owner, membershipId);
    await world.refuses(() => show(person), missing);
    await world.refuses(() => world.useCases.showWorkspace.execute(person, { id: world.workspace.id }), missing);
    expect((await world.useCases.showTeam.execute(world.owner, team.id)).members).toEqual([]);
    expect(await world.accepts(person.secret)).toBe(true);
    await world.refuses(() => leave(world.owner, membershipId), missing);
  });

  it('does not bring back old teams when they join again', async () => {
    const team = await world.newTeam('robots');
    const person = await world.join('ada', team.id);
    await leave(world.owner, person.membershipId);
    expect((await add(world.owner, person.email)).teams).toEqual([]);
    expect((await world.useCases.showTeam.execute(world.owner, team.id)).members).toEqual([]);
  });

  it('leaves their teams in other organizations as they are', async () => {
    await world.useCases.addOrganizationMembership.execute(world.administrator, {
      organizationName: 'globex',
      email: world.member.email,
      teamIds: [],
    });
    await leave(world.owner, world.member.membershipId);
    expect(await names(world.member)).toEqual(['globex']);
  });

  it('removes owners only through an owner', async () => {
    const second = await world.join('ada', world.owners.id);
    const manager = await world.holderOf('manage-membership', 'manage-teams', 'access-secret-teams');
    for (const caller of [manager, world.organizationToken]) {
      await world.refuses(() => leave(caller, second.membershipId), missing);
    }
    await leave(world.owner, second.membershipId);
  });

  it('does not reach members of teams that hold a permission the caller lacks', async () => {
    const manager = await world.holderOf('manage-membership');
    const strong = await world.holderOf('manage-workspaces');
    await world.refuses(() => leave(manager, strong.membershipId), missing);
    expect(await teamsOf(strong)).toEqual(['holders-manage-workspaces']);
  });

  it('never takes away the last owner', async () => {
    await world.refuses(() => leave(world.owner, world.owner.membershipId), {
      code: 'owners-team/protected',
      message: 'the owners team of acme must have at least one active member',
    });
  });

  it('keeps an owner when two owners remove each other at once', async () => {
    const second = await world.join('ada', world.owners.id);
    const outcomes = await Promise.allSettled([
      leave(world.owner, second.membershipId),
      leave(second, world.owner.membershipId),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const owner = outcomes[0].status === 'fulfilled' ? world.owner : second;
    expect((await world.useCases.showTeam.execute(owner, world.owners.id)).members).toHaveLength(1);
  });
});
