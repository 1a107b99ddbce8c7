import { expect, it } from '@jest/globals';
import { SealedSecretBox } from '../../src/adapters/system/sealed-secret-box.js';
import type {
  NotificationConfiguration,
  NotificationSubject,
  RunNotificationTrigger,
  Workspace,
} from '../../src/domain/index.js';
import { afterNoon, aProject, noon } from '../support/builders.js';
import { aNotificationConfiguration } from '../support/policy-builders.js';
import { type Ground, onEveryBackend, onFreshGround, refusal } from './on-every-backend.js';

const stale = refusal('shared/stale-revision');
const everything = { number: 1, size: 100 };
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);

const add = async (
  on: Ground,
  workspace: Pick<Workspace, 'id' | 'organizationId'>,
  given: Partial<NotificationConfiguration> = {},
) => {
  const configuration = aNotificationConfiguration(workspace, given);
  await on.run((tx) => tx.notificationConfigurations.add(configuration));
  return configuration;
};

onEveryBackend('notification configurations', (on) => {
  it('are listed and counted in the order in which they were created, until their workspace is removed', async () => {
    const organization = await on.organization();
    const [workspace, other] = [await on.workspace(organization), await on.workspace(organization)];
    const later = await add(on, workspace, { createdAt: afterNoon(2) });
    const sooner = await add(on, workspace, { createdAt: afterNoon(1) });
    await add(on, other);
    const listed = async (number = 1, size = 100) =>
      on.read((tx) => tx.notificationConfigurations.page({ kind: 'workspace', id: workspace.id }, { number, size }));
    expect(await listed()).toEqual({ ...everything, total: 2, items: [sooner, later] });
    expect(await listed(2, 1)).toMatchObject({ total: 2, items: [later] });
    expect(await on.read((tx) => tx.notificationConfigurations.count({ kind: 'workspace', id: workspace.id }))).toBe(2);
    expect(await on.read((tx) => tx.notificationConfigurations.find(later.id))).toEqual(later);
    await on.run((tx) => tx.workspaces.remove(workspace.id, noon));
    expect((await listed()).total).toBe(0);
    expect(await on.read((tx) => tx.notificationConfigurations.count({ kind: 'workspace', id: workspace.id }))).toBe(0);
    expect(await on.read((tx) => tx.notificationConfigurations.find(later.id))).toBeUndefined();
  });

  it('belong to a project until it is removed, or to a team until it is', async () => {
    const organization = await on.organization();
    const [project, team] = [aProject(organization), await on.team(organization)];
    await on.run((tx) => tx.projects.add(project));
    const place = { id: 'none', organizationId: organization.id };
    const cases: readonly (readonly [NotificationSubject, () => Promise<void>])[] = [
      [{ kind: 'project', id: project.id }, () => on.run((tx) => tx.projects.remove(project.id))],
      [{ kind: 'team', id: team.id }, () => on.run((tx) => tx.teams.remove(team.id, noon))],
    ];
    for (const [subject, remove] of cases) {
      const configuration = await add(on, place, { subject });
      const found = () => on.read((tx) => tx.notificationConfigurations.find(configuration.id));
      const listed = () => on.read((tx) => tx.notificationConfigurations.page(subject, everything));
      expect(await found()).toEqual(configuration);
      expect((await listed()).items).toEqual([configuration]);
      expect(await on.read((tx) => tx.notificationConfigurations.count(subject))).toBe(1);
      await remove();
      expect(await found()).toBeUndefined();
      expect((await listed()).total).toBe(0);
    }
  });

  it('are missing with their organization', async () => {
    const organization = await on.organization();
    const { id } = await add(on, await on.workspace(organization));
    await on.run((tx) => tx.organizations.remove(organization.id, noon));
    expect(await on.read((tx) => tx.notificationConfigurations.find(id))).toBeUndefined();
  });

  it('of a project are notified of the runs of its workspaces, after those that are older', async () => {
    const organization = await on.organization();
    const project = aProject(organization);
    await on.run((tx) => tx.projects.add(project));
    const [inside, outside] = [
      await on.workspace(organization, { projectId: project.id }),
      await on.workspace(organization),
    ];
    const given = { enabled: true, triggers: ['run:created'] } as const;
    const subject: NotificationSubject = { kind: 'project', id: project.id };
    const ofProject = await add(on, inside, { ...given, subject, createdAt: afterNoon(2) });
    const ofWorkspace = await add(on, inside, { ...given, createdAt: afterNoon(1) });
    await add(on, inside, { subject, triggers: ['run:created'] });
    const notified = ({ id }: Workspace) =>
      on.read((tx) => tx.notificationConfigurations.notifiedOf(id, 'run:created'));
    expect(await notified(inside)).toEqual([ofWorkspace.id, ofProject.id]);
    expect(await notified(outside)).toEqual([]);
  });

  it('are notified of their triggers while they are enabled', async () => {
    const organization = await on.organization();
    const [workspace, other] = [await on.workspace(organization), await on.workspace(organization)];
    const triggers: readonly RunNotificationTrigger[] = ['run:created', 'run:completed'];
    const later = await add(on, workspace, { enabled: true, triggers, createdAt: afterNoon(2) });
    const sooner = await add(on, workspace, { enabled: true, triggers: ['run:created'], createdAt: afterNoon(1) });
    await add(on, workspace, { triggers });
    await add(on, other, { enabled: true, triggers });
    const notified = (trigger: RunNotificationTrigger) =>
      on.read((tx) => tx.notificationConfigurations.notifiedOf(workspace.id, trigger));
    expect(await notified('run:created')).toEqual([sooner.id, later.id]);
    expect(await notified('run:completed')).toEqual([later.id]);
    expect(await notified('run:planning')).toEqual([]);
  });

  it('are saved on what was read, and removed once', async () => {
    const configuration = await add(on, await on.workspace(await on.organization()));
    const save = (revision: number) =>
      on.run((tx) => tx.notificationConfigurations.save({ ...configuration, name: 'Other', revision }));
    await expect(save(2)).rejects.toEqual(stale);
    await save(1);
    const remove = () => on.run((tx) => tx.notificationConfigurations.remove(configuration.id));
    await remove();
    await expect(remove()).rejects.toEqual(stale);
  });

  it('are found by the key that sealed their token', async () => {
    await onFreshGround(on.backend, async (fresh) => {
      const [box, other] = ['a', 'b'].map((letter) => new SealedSecretBox([letter.repeat(40)])) as [
        SealedSecretBox,
        SealedSecretBox,
      ];
      const workspace = await fresh.workspace(await fresh.organization());
      await add(fresh, workspace);
      await add(fresh, workspace, { sealedToken: box.seal('one') });
      const old = [1, 2].map(() => add(fresh, workspace, { sealedToken: other.seal('two') }));
      const ids = idsOf(await Promise.all(old)).sort();
      const found = (after: string) =>
        fresh.read(async (tx) =>
          idsOf(await tx.notificationConfigurations.sealedWithOtherKeys(box.fingerprints[0], after, 10)),
        );
      expect(await found('')).toEqual(ids);
      expect(await found(ids[0] ?? '')).toEqual(ids.slice(1));
    });
  });
});
