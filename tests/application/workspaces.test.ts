import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkspaceChange, WorkspaceReference } from '../../src/application/index.js';
import type { Actor, LockAction, Workspace } from '../../src/domain/index.js';
import { firstPage, lacking, missing, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';
import { giveGrant } from '../support/builders.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
let network: Workspace;
beforeEach(async () => {
  world = await World.create();
  network = world.workspace;
});

const byId = (): WorkspaceReference => ({ id: network.id });
const byName = (name = 'network', organizationName = 'acme'): WorkspaceReference => ({ organizationName, name });

const create = (actor: Actor, settings: WorkspaceChange & { readonly name: string }) =>
  world.useCases.createWorkspace.execute(actor, 'acme', settings);
const list = async (actor: Actor, page = firstPage) => world.useCases.listWorkspaces.execute(actor, 'acme', page);
const names = async (actor: Actor) => (await list(actor)).items.map(({ subject }) => subject.name);
const show = async (actor: Actor, reference = byId()) =>
  (await world.useCases.showWorkspace.execute(actor, reference)).subject;
const update = (actor: Actor, change: WorkspaceChange, reference = byId()) =>
  world.useCases.updateWorkspace.execute(actor, reference, change);
const remove = (actor: Actor, reference = byId()) => world.useCases.removeWorkspace.execute(actor, reference);
const change = async (actor: Actor, action: LockAction, reason: string | null = null) =>
  (await world.useCases.changeWorkspaceLock.execute(actor, network.id, { action, reason })).subject;

/** A member through whose team's token the workspace is administered. */
async function administeringToken(): Promise<Actor> {
  const team = await world.newTeam('robots');
  await world.unitOfWork.run((tx) => giveGrant(tx, team.id, network.id, { access: 'admin' }));
  return world.bearerOf((await world.newTokenOf({ kind: 'team', id: team.id })).secret);
}

describe('creating a workspace', () => {
  it('fills in what is not named', async () => {
    const { subject } = await create(world.owner, {
      name: 'storage',
      terraformVersion: '1.9.0',
      workingDirectory: 'infra',
    });
    expect(subject).toMatchObject({
      name: 'storage',
      organizationName: 'acme',
      description: null,
      autoApply: false,
      executionMode: null,
      terraformVersion: '1.9.0',
      workingDirectory: 'infra',
      lock: null,
      currentConfigurationVersionId: null,
      createdAt: world.clock.now(),
      updatedAt: world.clock.now(),
      revision: 0,
    });
    expect(await show(world.owner, { id: subject.id })).toEqual(subject);
  });

  it('does not mind a workspace of the same name in another organization', async () => {
    await world.useCases.createWorkspace.execute(world.administrator, 'globex', { name: 'network' });
  });
});

describe('listing workspaces', () => {
  it('says of each workspace what the caller holds there', async () => {
    const writer = await world.grantee('write');
    const [only] = (await list(writer)).items;
    expect(only?.standing.teams).toMatchObject([{ grant: { access: 'write' } }]);
  });
});

describe('showing a workspace', () => {
  it('finds it by id and by name, for everybody who may read its runs', async () => {
    const readers = [
      world.owner,
      world.organizationToken,
      await world.grantee('read'),
      await world.holderOf('manage-policies'),
      await administeringToken(),
    ];
    for (const caller of readers) {
      expect(await show(caller)).toEqual(network);
      expect(await show(caller, byName())).toEqual(network);
    }
  });

  it('tells everybody else that it is missing', async () => {
    const elsewhere = await world.grantee('admin', await world.newWorkspace('storage'));
    for (const caller of [world.member, elsewhere, ...world.outsiders]) {
      await world.refuses(() => show(caller), missing);
      await world.refuses(() => show(caller, byName()), missing);
    }
    await world.refuses(() => show(world.owner, { id: 'workspace-99' }), missing);
    await world.refuses(() => show(world.owner, byName('nothing')), missing);
    await world.refuses(() => show(world.owner, byName('network', 'globex')), missing);
  });
});

describe('updating a workspace', () => {
  it('changes what is named and keeps the rest', async () => {
    world.clock.advance(60);
    const { subject } = await update(world.owner, { name: 'networks', autoApply: true, description: 'subnets' });
    expect(subject).toEqual({
      ...network,
      name: 'networks',
      autoApply: true,
      description: 'subnets',
      updatedAt: world.clock.now(),
      revision: 1,
    });
    expect(await show(world.owner)).toEqual(subject);
    await update(world.owner, { execution: { executionMode: 'local' } }, byName('networks'));
    expect(await show(world.owner)).toMatchObject({ name: 'networks', executionMode: 'local', revision: 2 });
  });

  it('leaves its current configuration version and its lock alone', async () => {
    const { id } = await world.newVersion();
    await change(world.owner, 'lock');
    await update(world.owner, { autoApply: true });
    expect(await show(world.owner)).toMatchObject({
      currentConfigurationVersionId: id,
      lock: { by: { kind: 'user' } },
    });
  });
});

describe('deleting a workspace', () => {
  it('hides it with its versions at once, and frees its name', async () => {
    const { id } = await world.uploadedVersion(files);
    await remove(world.owner);
    await world.refuses(() => show(world.owner), missing);
    await world.refuses(() => remove(world.owner), missing);
    await world.refuses(() => world.useCases.locateBundle.execute(world.owner, { id: id }), missing);
    expect(await names(world.owner)).toEqual([]);
    const successor = await world.newWorkspace('network');
    await world.performEffects();
    expect(await show(world.owner, byName())).toEqual(successor);
    expect((await world.newVersion({ workspaceId: successor.id })).id).toBe('configuration-version-2');
  });

  it('leaves neither rows nor bundles behind once the worker was there', async () => {
    const kept = await world.newWorkspace('storage');
    const keptVersion = await world.uploadedVersion(files, { workspaceId: kept.id });
    const { id } = await world.uploadedVersion(files);
    await world.uploadedVersion(files, { speculative: true });
    await world.grantee('admin');
    await world.run(id, 'applied');
    await remove(world.owner, byName());
    expect(world.ordered).toEqual([{ kind: 'remove-rows', target: { kind: 'workspace', id: network.id } }]);
    await world.performEffects();
    expect([network.id, id, 'run-1'].filter((gone) => world.remembers(gone))).toEqual([]);
    expect([...(await world.bundles()).keys()]).toEqual([(await world.stateOf(keptVersion.id)).bundle?.key]);
    expect(world.ordered).toEqual([]);
  });

  it('takes any number of versions away', async () => {
    const versions = 250;
    for (let made = 0; made < versions; made += 1) await world.newVersion();
    await remove(world.owner);
    await world.performEffects();
    const left = world.ids.givenOut('configuration-version').filter((id) => world.remembers(id));
    expect(left).toEqual([]);
  });

  it('is refused while a run is in progress in it', async () => {
    const { id } = await world.newVersion();
    await world.run(id, 'planned');
    await world.refuses(() => remove(world.owner), {
      code: 'runs/in-progress',
      message: 'the workspace has a run in progress',
    });
    await world.run(id, 'canceled');
    await remove(world.owner);
  });

  it('is not hindered by runs elsewhere', async () => {
    const other = await world.newWorkspace('storage');
    const { id } = await world.newVersion({ workspaceId: other.id });
    await world.run(id, 'planning', { workspaceId: other.id });
    await remove(world.owner);
  });

  it('tells those who may only read which right is wanting, and others that it is missing', async () => {
    const writer = await world.grantee('write');
    await world.refuses(() => remove(writer), lacking('workspace admin'));
    for (const caller of [world.member, ...world.outsiders]) {
      await world.refuses(() => remove(caller), missing);
      await world.refuses(() => remove(caller, byName()), missing);
    }
  });
});

describe('locking a workspace', () => {
  const refused = (message: string) => ({ code: 'workspace/lock-refused', message });

  it('remembers who did it, when and why, until it is unlocked', async () => {
    const writer = await world.grantee('write');
    world.clock.advance(60);
    const lock = { by: { kind: 'user', id: writer.userId }, reason: 'moving house', at: world.clock.now() };
    expect(await change(writer, 'lock', 'moving house')).toMatchObject({ lock, updatedAt: world.clock.now() });
    expect((await show(world.owner)).lock).toEqual(lock);
    await change(writer, 'unlock');
    expect((await show(world.owner)).lock).toBeNull();
  });

  it('is refused twice, and unlocking too', async () => {
    await world.refuses(() => change(world.owner, 'unlock'), refused('workspace already unlocked'));
    await world.refuses(() => change(world.owner, 'force-unlock'), refused('workspace already unlocked'));
    await change(world.owner, 'lock');
    await world.refuses(() => change(world.owner, 'lock'), refused('workspace already locked'));
  });

  it('is lifted by who set it, or by force', async () => {
    const writer = await world.grantee('write');
    await change(writer, 'lock');
    await world.refuses(() => change(world.owner, 'unlock'), refused('workspace locked by somebody else'));
    await world.refuses(() => change(writer, 'force-unlock'), lacking('workspace admin'));
    expect((await change(world.owner, 'force-unlock')).lock).toBeNull();
  });

  it('is granted once of two asked for at once', async () => {
    const writer = await world.grantee('write');
    const outcomes = await Promise.allSettled([change(writer, 'lock'), change(world.owner, 'lock')]);
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason: refused('workspace already locked') },
    ]);
  });
});
