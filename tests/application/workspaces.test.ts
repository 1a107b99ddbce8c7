import { beforeEach, describe, expect, it } from '@jest/globals';
import type { WorkspaceChange, WorkspaceReference } from '../../src/application/index.js';
import type { Actor, LockAction, Workspace } from '../../src/domain/index.js';
import { firstPage, lacking, missing, World } from '../support/application.js';
import { archiveOf } from '../support/archives.js';

const files = await archiveOf({ 'main.tf': 'terraform {}' });

let world: World;
let network: Workspace;
beforeEach(async () => {
  world = await World.create();
  network = world.workspace;
});

const byId = (): WorkspaceReference => ({ id: network.id });
const byName = (name = 'network', organizationName = 'acme'): WorkspaceReference => ({ organizationName, name });

const list = async (actor: Actor, page = firstPage) => world.useCases.listWorkspaces.execute(actor, 'acme', page);
const names = async (actor: Actor) => (await list(actor)).items.map(({ subject }) => subject.name);
const show = async (actor: Actor, reference = byId()) =>
  (await world.useCases.showWorkspace.execute(actor, reference)).subject;
const update = (actor: Actor, change: WorkspaceChange, reference = byId()) =>
  world.useCases.updateWorkspace.execute(actor, reference, change);
const remove = (actor: Actor, reference = byId()) => world.useCases.removeWorkspace.execute(actor, reference);
const change = async (actor: Actor, action: LockAction, reason: string | null = null) =>
  (await world.useCases.changeWorkspaceLock.execute(actor, network.id, { action, reason })).subject;

describe('updating a workspace', () => {
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

  it('is not hindered by runs elsewhere', async () => {
    const other = await world.newWorkspace('storage');
    const { id } = await world.newVersion({ workspaceId: other.id });
    await world.run(id, 'planning', { workspaceId: other.id });
    await remove(world.owner);
  });
});

describe('locking a workspace', () => {
  const refused = (message: string) => ({ code: 'workspace/lock-refused', message });

  it('is lifted by who set it, or by force', async () => {
    const writer = await world.grantee('write');
    await change(writer, 'lock');
    const locked = `workspace is locked by User ${writer.userId}`;
    await world.refuses(() => change(world.owner, 'unlock'), refused(locked));
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
