import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TeamChange } from '../../src/application/index.js';
import { type Actor, may, type Team, type TeamId } from '../../src/domain/index.js';
import { firstPage, invalid, lacking, missing, taken, unauthenticated, World } from '../support/application.js';
import { giveGrant } from '../support/builders.js';

let world: World;
let robots: Team;
beforeEach(async () => {
  world = await World.create();
  robots = await world.newTeam('robots');
});

const create = async (actor: Actor, given: TeamChange & { readonly name: string }) =>
  (await world.useCases.createTeam.execute(actor, 'acme', given)).subject;
const list = async (actor: Actor, page = firstPage) => world.useCases.listTeams.execute(actor, 'acme', page);
const names = async (actor: Actor) => (await list(actor)).items.map(({ subject }) => subject.name);
const show = (actor: Actor, { id }: Pick<Team, 'id'>) => world.useCases.showTeam.execute(actor, id);
const membersOf = async (team: Team) => (await show(world.owner, team)).members.map(({ username }) => username);
const update = (actor: Actor, { id }: Team, change: TeamChange) => world.useCases.updateTeam.execute(actor, id, change);
const remove = (actor: Actor, { id }: Team) => world.useCases.removeTeam.execute(actor, id);
const change = (actor: Actor, { id }: Team, what: 'add' | 'remove', ...references: readonly string[]) =>
  world.useCases.changeTeamMembers.execute(actor, id, what, references);

const tokenOf = ({ id }: { readonly id: TeamId }) => world.newTokenOf({ kind: 'team', id });
const ownersProtected = (message: string) => ({ code: 'owners-team/protected', message });

describe('creating a team', () => {
  it('starts it empty, secret and without permissions', async () => {
    const team = await create(world.owner, { name: 'sre' });
    expect(team).toMatchObject({
      name: 'sre',
      organizationName: 'acme',
      visibility: 'secret',
      membersManageToken: true,
      owners: false,
      usersCount: 0,
      createdAt: world.clock.now(),
      revision: 0,
    });
    expect(team.access.size).toBe(0);
    expect(await show(world.owner, team)).toMatchObject({ subject: team, members: [] });
  });

  it('takes the settings and permissions that are named', async () => {
    const access = { 'manage-workspaces': true, 'manage-teams': false } as const;
    const team = await create(world.owner, {
      name: 'sre',
      visibility: 'organization',
      membersManageToken: false,
      access,
    });
    expect(team).toMatchObject({ visibility: 'organization', membersManageToken: false });
    expect([...team.access]).toEqual(['manage-workspaces']);
  });

  it('is for those who manage teams, and for the token of the organization', async () => {
    expect(await create(await world.holderOf('manage-teams'), { name: 'sre' })).toMatchObject({ name: 'sre' });
    expect(await create(world.organizationToken, { name: 'qa' })).toMatchObject({ name: 'qa' });
  });

  it('is not for anybody else', async () => {
    const others = [world.member, await world.holderOf('manage-membership'), ...world.outsiders];
    for (const caller of others) await world.refuses(() => create(caller, { name: 'sre' }), missing);
  });

  it('gives only permissions that the caller may give, and holds', async () => {
    const manager = await world.holderOf('manage-teams');
    const delegate = await world.holderOf('manage-teams', 'manage-organization-access', 'read-workspaces');
    const given = (permission: 'read-workspaces' | 'manage-workspaces') => ({
      name: 'sre',
      access: { [permission]: true },
    });
    const right = lacking('manage-organization-access');
    await world.refuses(() => create(manager, given('read-workspaces')), right);
    await world.refuses(() => create(world.organizationToken, given('read-workspaces')), right);
    await world.refuses(() => create(delegate, given('manage-workspaces')), missing);
    expect((await create(delegate, given('read-workspaces'))).access).toEqual(new Set(['read-workspaces']));
    expect((await create(manager, { name: 'qa', access: { 'manage-workspaces': false } })).access.size).toBe(0);
  });

  it('refuses a name that is taken, reserved or not well formed', async () => {
    await world.refuses(() => create(world.owner, { name: 'robots' }), taken('name'));
    await world.refuses(() => create(world.owner, { name: 'Owners' }), taken('name'));
    await world.refuses(() => create(world.owner, { name: 'ROBOTS' }), taken('name'));
    await world.refuses(() => create(world.owner, { name: 'two\nlines' }), invalid('name'));
  });

  it('does not mind a team of the same name in another organization', async () => {
    await world.useCases.createTeam.execute(world.administrator, 'globex', { name: 'robots' });
  });
});

describe('listing teams', () => {
  it('holds those that are visible, and the caller’s own', async () => {
    const hidden = await world.newTeam('Hidden', [], true);
    const insider = await world.join('ina', hidden.id);
    expect(await names(world.member)).toEqual(['robots']);
    expect(await names(insider)).toEqual(['Hidden', 'robots']);
    expect(await names(await world.bearerOf((await tokenOf(hidden)).secret))).toEqual(['Hidden', 'robots']);
    expect(await names(world.owner)).toEqual(['Hidden', 'owners', 'robots']);
    expect(await names(world.organizationToken)).toEqual(['Hidden', 'owners', 'robots']);
  });

  it('holds all teams for those who may access secret ones', async () => {
    const seer = await world.holderOf('access-secret-teams');
    expect(await names(seer)).toEqual(['holders-access-secret-teams', 'owners', 'robots']);
  });

  it('says of each team what the caller may do to it', async () => {
    const manager = await world.holderOf('manage-teams', 'access-secret-teams');
    const { items } = await list(manager);
    const changeable = items.filter(({ standing }) => may(standing, 'teams/update')).map(({ subject }) => subject.name);
    expect(changeable).toEqual(['holders-manage-teams-access-secret-teams', 'robots']);
  });

  it('goes by pages', async () => {
    expect(await list(world.owner, { number: 2, size: 1 })).toMatchObject({ total: 2, items: [{ subject: robots }] });
    expect(await list(world.member, { number: 2, size: 1 })).toMatchObject({ total: 1, items: [] });
  });

  it('tells everybody outside that the organization is missing', async () => {
    for (const caller of world.outsiders) await world.refuses(() => list(caller), missing);
  });
});

describe('showing a team', () => {
  it('names its members by user name', async () => {
    await world.join('zoe', robots.id);
    await world.join('Ada', robots.id);
    const shown = await show(world.member, robots);
    expect(shown.members.map(({ username }) => username)).toEqual(['Ada', 'zoe']);
    expect(shown.subject.usersCount).toBe(2);
  });

  it('tells who does not see it that it is missing', async () => {
    const hidden = await world.newTeam('hidden', [], true);
    for (const caller of [world.member, ...world.outsiders]) await world.refuses(() => show(caller, hidden), missing);
    for (const caller of world.outsiders) await world.refuses(() => show(caller, robots), missing);
    await world.refuses(() => show(world.owner, { id: 'team-99' }), missing);
  });
});

describe('updating a team', () => {
  it('changes what is named and keeps the rest', async () => {
    const { subject } = await update(world.owner, robots, {
      visibility: 'secret',
      access: { 'manage-policies': true },
    });
    expect(subject).toEqual({
      ...robots,
      visibility: 'secret',
      access: new Set(['manage-policies']),
      revision: robots.revision + 1,
    });
    expect((await show(world.owner, robots)).subject).toEqual(subject);
    await update(world.owner, robots, { name: 'machines' });
    expect((await show(world.owner, robots)).subject).toMatchObject({ name: 'machines', visibility: 'secret' });
  });

  it('is for those who manage teams, and for the token of the organization', async () => {
    await update(await world.holderOf('manage-teams'), robots, { name: 'machines' });
    await update(world.organizationToken, robots, { name: 'engines' });
    expect(await names(world.member)).toContain('engines');
  });

  it('tells those who see it which right is wanting, and others that it is missing', async () => {
    const change = { name: 'mine' };
    const insider = await world.join('ina', robots.id);
    for (const caller of [world.member, insider]) {
      await world.refuses(() => update(caller, robots, change), lacking('manage-teams'));
      await world.refuses(() => update(caller, robots, {}), lacking('manage-teams'));
    }
    const hidden = await world.newTeam('hidden', [], true);
    const manager = await world.holderOf('manage-teams');
    await world.refuses(() => update(manager, hidden, change), missing);
    for (const caller of world.outsiders) await world.refuses(() => update(caller, robots, change), missing);
    await world.refuses(() => update(world.owner, { ...robots, id: 'team-99' }, change), missing);
  });

  it('refuses a name that is taken, reserved or not well formed', async () => {
    await world.newTeam('humans');
    await world.refuses(() => update(world.owner, robots, { name: 'humans' }), taken('name'));
    await world.refuses(() => update(world.owner, robots, { name: 'owners' }), taken('name'));
    await world.refuses(() => update(world.owner, robots, { name: '' }), invalid('name'));
  });

  it('does not reach a team that holds a permission the caller lacks', async () => {
    const manager = await world.holderOf('manage-teams');
    const strong = await world.newTeam('strong', ['manage-workspaces']);
    await world.refuses(() => update(manager, strong, { name: 'weak' }), lacking('manage-teams'));
    await world.refuses(() => update(manager, strong, { visibility: 'secret' }), lacking('manage-teams'));
    await update(world.organizationToken, strong, { visibility: 'secret' });
  });
});

describe('giving a team permissions in the organization', () => {
  it('is for owners, whatever the permission', async () => {
    const { subject } = await update(world.owner, robots, { access: { 'manage-vcs-settings': true } });
    expect(subject.access).toEqual(new Set(['manage-vcs-settings']));
  });

  it('is for delegates, as far as they hold the permission themselves', async () => {
    const delegate = await world.holderOf('manage-organization-access', 'read-workspaces');
    await update(delegate, robots, { access: { 'read-workspaces': true } });
    await world.refuses(() => update(delegate, robots, { access: { 'manage-workspaces': true } }), missing);
    await world.refuses(
      () => update(delegate, robots, { access: { 'read-workspaces': false, 'manage-teams': true } }),
      missing,
    );
    const { subject } = await update(delegate, robots, { access: { 'read-workspaces': false } });
    expect(subject.access.size).toBe(0);
  });

  it('takes nothing away that the delegate does not hold', async () => {
    const delegate = await world.holderOf('manage-organization-access', 'read-workspaces');
    const strong = await world.newTeam('strong', ['manage-workspaces']);
    await world.refuses(
      () => update(delegate, strong, { access: { 'manage-workspaces': false } }),
      lacking('manage-organization-access'),
    );
  });

  it('lets nobody raise their own team', async () => {
    const team = await world.newTeam('delegates', ['manage-organization-access', 'manage-teams']);
    const delegate = await world.join('dan', team.id);
    await world.refuses(() => update(delegate, team, { access: { 'manage-workspaces': true } }), missing);
  });

  it('takes a right of its own: managing teams is not enough, and gives none over other settings', async () => {
    const manager = await world.holderOf('manage-teams', 'read-workspaces');
    const delegate = await world.holderOf('manage-organization-access', 'read-workspaces');
    const access = { 'read-workspaces': true } as const;
    await world.refuses(() => update(manager, robots, { access }), lacking('manage-organization-access'));
    await world.refuses(
      () => update(world.organizationToken, robots, { access }),
      lacking('manage-organization-access'),
    );
    await world.refuses(() => update(delegate, robots, { name: 'mine' }), lacking('manage-teams'));
    await world.refuses(() => update(delegate, robots, { access, name: 'mine' }), lacking('manage-teams'));
  });
});

describe('the owners team', () => {
  it('is not renamed, not deleted and not given permissions, not even by an owner', async () => {
    const { owner, owners } = world;
    await world.refuses(
      () => update(owner, owners, { name: 'bosses' }),
      ownersProtected('the owners team cannot be renamed'),
    );
    await world.refuses(() => remove(owner, owners), ownersProtected('the owners team cannot be deleted'));
    await world.refuses(
      () => update(owner, owners, { access: { 'manage-teams': false } }),
      ownersProtected('the owners team holds every right already'),
    );
  });

  it('is shown to everybody once an owner makes it visible', async () => {
    await update(world.owner, world.owners, { visibility: 'organization' });
    expect(await names(world.member)).toEqual(['owners', 'robots']);
  });

  it('is out of everybody else’s reach', async () => {
    await update(world.owner, world.owners, { visibility: 'organization' });
    const manager = await world.holderOf('manage-teams', 'manage-membership', 'manage-organization-access');
    for (const caller of [manager, world.organizationToken]) {
      await world.refuses(() => update(caller, world.owners, { visibility: 'secret' }), lacking('manage-teams'));
      await world.refuses(() => remove(caller, world.owners), lacking('manage-teams'));
      await world.refuses(() => change(caller, world.owners, 'add', world.member.userId), missing);
      await world.refuses(() => change(caller, world.owners, 'remove', world.owner.userId), missing);
    }
    await world.refuses(
      () => update(manager, world.owners, { access: { 'manage-teams': true } }),
      lacking('manage-organization-access'),
    );
  });

  it('takes in and lets go members through owners, and owners’ tokens', async () => {
    const token = await world.bearerOf((await tokenOf(world.owners)).secret);
    await change(world.owner, world.owners, 'add', world.member.username);
    await change(token, world.owners, 'remove', world.owner.username);
    expect((await show(world.member, world.owners)).members).toMatchObject([{ username: 'max' }]);
  });

  it('is never left empty', async () => {
    const { owner, owners, member } = world;
    const leaves = ownersProtected('the owners team of acme cannot be left without an active member');
    await world.refuses(() => change(owner, owners, 'remove', owner.userId), leaves);
    await change(owner, owners, 'add', member.userId);
    await world.refuses(() => change(owner, owners, 'remove', owner.userId, member.membershipId), leaves);
    await change(owner, owners, 'remove', owner.userId);
  });

  it('keeps an owner when two owners remove each other at once', async () => {
    const second = await world.join('ada', world.owners.id);
    const outcomes = await Promise.allSettled([
      change(world.owner, world.owners, 'remove', second.userId),
      change(second, world.owners, 'remove', world.owner.userId),
    ]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('changing the members of a team', () => {
  it('takes them by user id, user name or membership', async () => {
    const ada = await world.join('ada');
    const bob = await world.join('bob');
    await change(world.owner, robots, 'add', ada.userId, 'BOB', world.member.membershipId);
    expect(await membersOf(robots)).toEqual(['ada', 'bob', 'max']);
    await change(world.owner, robots, 'remove', ada.membershipId, bob.userId, 'max');
    expect(await membersOf(robots)).toEqual([]);
  });

  it('keeps those who are in it already, and does not mind removing who is not', async () => {
    await change(world.owner, robots, 'add', 'max', 'max');
    await change(world.owner, robots, 'add', 'max', 'olga');
    expect(await membersOf(robots)).toEqual(['max', 'olga']);
    await change(world.owner, robots, 'remove', 'max', 'sam', 'nobody');
    expect(await membersOf(robots)).toEqual(['olga']);
  });

  it('gives and takes what the team may do, at once', async () => {
    const { workspace, member, useCases } = world;
    await world.unitOfWork.run((tx) => giveGrant(tx, robots.id, workspace.id, { access: 'read' }));
    await change(world.owner, robots, 'add', 'max');
    await expect(useCases.showWorkspace.execute(member, { id: workspace.id })).resolves.toBeDefined();
    await change(world.owner, robots, 'remove', 'max');
    await world.refuses(() => useCases.showWorkspace.execute(member, { id: workspace.id }), missing);
  });

  it('adds nobody when one of them is no member of the organization', async () => {
    const refused = { code: 'attribute/invalid', details: { member: 'data' } };
    await world.refuses(() => change(world.owner, robots, 'add', 'max', 'sam'), refused);
    await world.refuses(() => change(world.owner, robots, 'add', 'nobody'), refused);
  });

  it('is for those who manage memberships, and for the token of the organization', async () => {
    await change(await world.holderOf('manage-membership'), robots, 'add', 'max');
    await change(world.organizationToken, robots, 'remove', 'max');
    expect(await membersOf(robots)).toEqual([]);
  });

  it('is not for anybody else, not even for members of the team', async () => {
    const insider = await world.join('ina', robots.id);
    const others = [world.member, insider, await world.holderOf('manage-teams'), ...world.outsiders];
    for (const caller of others) {
      await world.refuses(() => change(caller, robots, 'add', 'max'), missing);
      await world.refuses(() => change(caller, robots, 'remove', 'ina'), missing);
    }
  });

  it('does not reach teams that hold a permission the caller lacks, or that are secret to them', async () => {
    const manager = await world.holderOf('manage-membership', 'read-workspaces');
    const strong = await world.newTeam('strong', ['manage-workspaces']);
    const hidden = await world.newTeam('hidden', [], true);
    const equal = await world.newTeam('equal', ['read-workspaces']);
    await world.refuses(() => change(manager, strong, 'add', manager.userId), missing);
    await world.refuses(() => change(manager, hidden, 'add', manager.userId), missing);
    await change(manager, equal, 'add', 'max');
  });
});

describe('deleting a team', () => {
  it('makes its token and its grants void at once', async () => {
    const { workspace, useCases } = world;
    const { secret } = await tokenOf(robots);
    const insider = await world.join('ina', robots.id);
    await world.unitOfWork.run((tx) => giveGrant(tx, robots.id, workspace.id, { access: 'admin' }));
    await useCases.showWorkspace.execute(insider, { id: workspace.id });
    await remove(world.owner, robots);
    await expect(world.bearerOf(secret)).rejects.toMatchObject(unauthenticated);
    await world.refuses(() => useCases.showWorkspace.execute(insider, { id: workspace.id }), missing);
    await world.refuses(() => show(world.owner, robots), missing);
    await world.refuses(() => remove(world.owner, robots), missing);
    expect(await names(insider)).toEqual([]);
  });

  it('frees its name at once', async () => {
    await remove(world.owner, robots);
    const successor = await world.newTeam('robots');
    await world.performEffects();
    expect((await show(world.owner, successor)).members).toEqual([]);
  });

  it('leaves nothing behind once the worker was there', async () => {
    await world.unitOfWork.run((tx) => giveGrant(tx, robots.id, world.workspace.id, { access: 'admin' }));
    const insider = await world.join('ina', robots.id);
    const { id: tokenId } = await tokenOf(robots);
    await remove(world.owner, robots);
    expect(world.ordered).toEqual([{ kind: 'remove-rows', target: { kind: 'team', id: robots.id } }]);
    await world.performEffects();
    expect([robots.id, tokenId].filter((id) => world.remembers(id))).toEqual([]);
    expect(world.remembers(insider.userId)).toBe(true);
    expect(await names(world.owner)).toEqual(['owners']);
  });

  it('is refused while a run of its token is in progress', async () => {
    const { id } = await world.newVersion();
    await world.run(id, 'planning', { createdBy: robots.id });
    await world.refuses(() => remove(world.owner, robots), {
      code: 'runs/in-progress',
      message: 'the team has a run in progress',
    });
    await world.run(id, 'errored', { createdBy: robots.id });
    await remove(world.owner, robots);
  });

  it('is for those who manage teams, and for the token of the organization', async () => {
    const humans = await world.newTeam('humans');
    await remove(await world.holderOf('manage-teams'), robots);
    await remove(world.organizationToken, humans);
  });

  it('tells those who see it which right is wanting, and others that it is missing', async () => {
    const manager = await world.holderOf('manage-teams');
    const strong = await world.newTeam('strong', ['manage-workspaces']);
    const hidden = await world.newTeam('hidden', [], true);
    await world.refuses(() => remove(world.member, robots), lacking('manage-teams'));
    await world.refuses(() => remove(manager, strong), lacking('the team is within reach'));
    await world.refuses(() => remove(manager, hidden), missing);
    for (const caller of world.outsiders) await world.refuses(() => remove(caller, robots), missing);
  });
});
