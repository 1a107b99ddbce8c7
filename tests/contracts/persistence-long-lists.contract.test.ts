import { expect, it } from '@jest/globals';
import type { Transaction, WorkspaceFilter } from '../../src/application/index.js';
import type { Run, Workspace, WorkspaceVisibility } from '../../src/domain/index.js';
import {
  aConfigurationVersion,
  afterNoon,
  aRun,
  aTagBinding,
  aWorkspace,
  giveGrant,
  unique,
} from '../support/builders.js';
import { onEveryBackend } from './on-every-backend.js';

const nobody = { actor: 'user', siteAdministrator: false, member: false, teams: [] } as const;

/** More workspaces than a list sorts at once. */
const many = 620;

/** Statements of pages of the second size, the default, may be built once. */
const sizes = [15, 20];

onEveryBackend('a long list of workspaces', (on) => {
  it('is counted, filtered and sorted as a short one is', async () => {
    const organization = await on.organization();
    const team = await on.team(organization);
    const all = Array.from({ length: many }, (_, index) =>
      // Not in the order of their creation.
      aWorkspace(organization, {
        id: unique('ws'),
        name: `${(index * 7919) % many}`.padStart(5, '0'),
        createdAt: afterNoon(index),
      }),
    );
    const every = (nth: number) => all.filter((_, index) => index % nth === 0);
    const allButFew = all.filter((_, index) => index % 20 > 0);
    const withRun = every(3);
    const runs = new Map<Workspace, Run>();
    await on.run(async (tx: Transaction) => {
      for (const workspace of all) await tx.workspaces.add(workspace);
      const ids = allButFew.map(({ id }) => id);
      await tx.tags.give(organization.id, ids, [{ id: unique('tag'), name: 'most' }], afterNoon(0));
      await tx.tags.give(
        organization.id,
        every(30).map(({ id }) => id),
        [{ id: unique('tag'), name: 'few' }],
        afterNoon(0),
      );
      for (const workspace of every(30)) {
        const binding = aTagBinding(workspace, { id: unique('tb'), key: 'stage', value: 'test' });
        await tx.tagBindings.bind(binding.owner, [binding]);
      }
      for (const workspace of allButFew) await giveGrant(tx, team.id, workspace.id, { access: 'read' });
      for (const [index, workspace] of withRun.entries()) {
        const version = aConfigurationVersion(workspace, { id: unique('cv') });
        await tx.configurationVersions.add(version);
        const { sequence } = await tx.runs.takeSequence(workspace.id);
        const status = index % 10 === 0 ? 'planning' : 'pending';
        const run = aRun(workspace, version.state, { sequence, status, createdAt: afterNoon((index * 31) % 1_000) });
        await tx.runs.add(run);
        runs.set(workspace, run);
      }
      // They wait to be removed, and are not in any list.
      for (const workspace of all.slice(-3)) await tx.workspaces.remove(workspace.id, afterNoon(0));
    });

    // A database in use does this on its own.
    await on.analyze();

    const living = new Set(all.slice(0, -3));
    const byText = (textOf: (workspace: Workspace) => string) => (one: Workspace, other: Workspace) =>
      textOf(one) < textOf(other) || (textOf(one) === textOf(other) && one.id < other.id) ? -1 : 1;
    const byName = byText(({ name }) => name);
    const runOf = (workspace: Workspace) => runs.get(workspace)?.state.createdAt ?? '';
    const expected = (among: readonly Workspace[], filter: WorkspaceFilter): readonly string[] => {
      const { key, descending } = filter.sort ?? { key: 'name', descending: false };
      const found = among.filter((workspace) => living.has(workspace));
      const order =
        key === 'name' ? byName : key === 'latest-change-at' ? byText(({ createdAt }) => createdAt) : byText(runOf);
      const sorted = found.toSorted((one, other) => (descending ? order(other, one) : order(one, other)));
      if (key !== 'current-run.created-at') return sorted.map(({ name }) => name);
      return [...sorted.filter((one) => runs.has(one)), ...sorted.filter((one) => !runs.has(one))].map(
        ({ name }) => name,
      );
    };
    const granted: WorkspaceVisibility = { throughTeams: [team.id] };
    const sorts = (['name', 'current-run.created-at', 'latest-change-at'] as const).map((key) => ({
      sort: { key, descending: key !== 'name' },
    }));
    const without = (some: readonly Workspace[]) => all.filter((workspace) => !some.includes(workspace));
    for (const [filter, visibility, among] of [
      [{}, 'all', all],
      [{}, granted, allButFew],
      [{ projectId: all[0]?.projectId }, granted, allButFew],
      [{ tags: ['most'] }, 'all', allButFew],
      [{ tags: ['MOST', 'stage'] }, 'all', every(30).filter((one) => allButFew.includes(one))],
      [{ excludedTags: ['few'] }, 'all', without(every(30))],
      [{ excludedTags: ['stage', 'unknown'] }, granted, allButFew.filter((one) => !every(30).includes(one))],
      [{ bindings: [{ key: 'stage' }] }, 'all', every(30)],
      [{ bindings: [{ value: 'test' }] }, granted, every(30).filter((one) => allButFew.includes(one))],
      [{ tags: ['most'], projectId: all[0]?.projectId }, 'all', allButFew],
      [{ tags: ['unknown'] }, 'all', []],
      [{ currentRun: ['planning'] }, 'all', withRun.filter((_, index) => index % 10 === 0)],
      [{ currentRun: ['pending', 'planning'] }, granted, withRun.filter((one) => allButFew.includes(one))],
      [{ search: '7' }, 'all', all.filter(({ name }) => name.includes('7'))],
      [{ search: '7', tags: ['most'] }, granted, allButFew.filter(({ name }) => name.includes('7'))],
    ] as readonly (readonly [WorkspaceFilter, WorkspaceVisibility, readonly Workspace[]])[]) {
      for (const sort of sorts) {
        const names = expected(among, sort);
        // The last page is short, and one about two thirds down may have some with a run and some without.
        for (const size of sizes) {
          const last = Math.max(1, Math.ceil(names.length / size));
          for (const number of new Set([1, Math.ceil(last / 3), last])) {
            const page = { number, size };
            const found = await on.read((tx) =>
              tx.workspaces.page(organization.id, nobody, visibility, page, { ...filter, ...sort }),
            );
            const asked = { ...filter, ...sort, visibility, number };
            expect({ ...asked, total: found.total, names: found.items.map(({ subject }) => subject.name) }).toEqual({
              ...asked,
              total: names.length,
              names: names.slice((number - 1) * size, number * size),
            });
          }
        }
      }
    }
  });
});
