import { beforeEach, describe, expect, it } from '@jest/globals';
import type { TeamChange } from '../../src/application/index.js';
import type { Actor, Team, TeamId } from '../../src/domain/index.js';
import { firstPage, lacking, missing, unauthenticated, World } from '../support/application.js';
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
const update = (actor: Actor, { id }: Team, change: TeamChange) => world.useCases.updateTeam.execute(actor, id, change);
const remove = (actor: Actor, { id }: Team) => world.useCases.removeTeam.execute(actor, id);
const change = (actor: Actor, { id }: Team, what: 'add' | 'remove', ...references: readonly string[]) =>
  world.useCases.changeTeamMembers.execute(actor, id, what, references);

const tokenOf = ({ id }: { readonly id: TeamId }) => world.newTokenOf({ kind: 'team', id });
const ownersProtected = (message: string) => ({ code: 'owners-team/protected', message });

describe('creating a team', () => {
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
});

describe('showing a team', () => {
  it('names its members by user name', async () => {
    await world.join('zoe', robots.id);
    await world.join('Ada', robots.id);
    const shown = await show(world.member, robots);
    expect(shown.members.map(({ username }) => username)).toEqual(['Ada', 'zoe']);
    expect(shown.subject.usersCount).toBe(2);
  });
});

describe('giving a team permissions in the organization', () => {
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

  it('does not let members raise the permissions of their own team', async () => {
    const team = await world.newTeam('delegates', ['manage-organization-access', 'manage-teams']);
    const delegate = await world.join('dan', team.id);
    await world.refuses(() => update(delegate, team, { access: { 'manage-workspaces': true } }), missing);
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
      ownersProtected('the owners team already has every permission'),
    );
  });

  it('is shown to everybody once an owner makes it visible', async () => {
    await update(world.owner, world.owners, { visibility: 'organization' });
    expect(await names(world.member)).toEqual(['owners', 'robots']);
  });

  it('takes in and lets go members through owners, and owners’ tokens', async () => {
    const token = await world.bearerOf((await tokenOf(world.owners)).secret);
    await change(world.owner, world.owners, 'add', world.member.username);
    await change(token, world.owners, 'remove', world.owner.username);
    expect((await show(world.member, world.owners)).members).toMatchObject([{ username: 'max' }]);
  });

  it('is never left empty', async () => {
    const { owner, owners, member } = world;
    const leaves = ownersProtected('the owners team of acme must have at least one active member');
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
    await world.refuses(() => update(world.owner, robots, { visibility: 'organization' }), missing);
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
});
