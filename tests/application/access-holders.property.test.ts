import { describe, expect, it } from '@jest/globals';
import { type Action, type FixedLevel, projectActions, type TeamId, workspaceActions } from '../../src/domain/index.js';
import { type Member, World } from '../support/application.js';
import { aTeamProject, giveGrant } from '../support/builders.js';
import { fc, runs } from '../support/properties.js';

const permissions = [
  'manage-workspaces',
  'read-projects',
  'manage-policies',
  'manage-vcs-settings',
  'manage-membership',
] as const;
const page = { number: 1, size: 100 };

const aTeam = fc.record({
  access: fc.subarray([...permissions]),
  level: fc.option(fc.constantFrom<FixedLevel>('read', 'plan', 'write', 'admin')),
  inProject: fc.option(fc.constantFrom('read', 'write', 'maintain', 'admin')),
});

const anOrganization = fc.record({
  teams: fc.array(aTeam, { minLength: 1, maxLength: 4 }),
  people: fc.array(fc.record({ teams: fc.subarray([0, 1, 2, 3]), suspended: fc.nat(4).map((n) => n === 0) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

describe('the people and teams who can do something', () => {
  it('are those whose effective access holds it, for every action on a workspace', async () => {
    await fc.assert(
      fc.asyncProperty(
        anOrganization,
        fc.shuffledSubarray([...workspaceActions], { minLength: 5, maxLength: 5 }),
        async (drawn, actions) => {
          const world = await World.create();
          const { useCases, owner, workspace } = world;
          const teamIds: TeamId[] = [];
          for (const [at, { access, level, inProject }] of drawn.teams.entries()) {
            const { id } = await world.newTeam(`team-${at}`, access);
            await world.unitOfWork.run(async (tx) => {
              if (level !== null) await giveGrant(tx, id, workspace.id, { access: level });
              if (inProject !== null) {
                await tx.projectAccess.add(
                  aTeamProject(id, workspace.projectId, { grant: { access: inProject } as never }),
                );
              }
            });
            teamIds.push(id);
          }
          const people: Member[] = [world.owner, world.member];
          for (const [at, { teams, suspended }] of drawn.people.entries()) {
            const person = await world.join(`person-${at}`, ...teams.flatMap((team) => teamIds[team] ?? []));
            if (suspended) await useCases.changeUserSuspension.execute(world.administrator, person.userId, true);
            people.push(person);
          }
          teamIds.push(world.owners.id);
          const holders = [
            ...people.map(({ userId }) => ({ kind: 'user', id: userId }) as const),
            ...teamIds.map((id) => ({ kind: 'team', id }) as const),
          ];
          for (const action of actions) {
            const query = { organizationName: 'acme', action, on: { workspaceId: workspace.id } };
            const found = await useCases.listAccessHolders.execute(owner, query, page);
            const expected: string[] = [];
            for (const holder of holders) {
              const { rights } = await useCases.showEffectiveAccess.execute(owner, workspace.id, holder);
              if (rights.find(({ right }) => right === action)?.held) expected.push(holder.id);
            }
            expect(found.items.map(({ holder }) => holder.id).sort()).toEqual(expected.sort());
            expect(found.total).toBe(expected.length);
            const paged: string[] = [];
            for (let number = 1; (number - 1) * 2 < found.total; number += 1) {
              const part = await useCases.listAccessHolders.execute(owner, query, { number, size: 2 });
              paged.push(...part.items.map(({ holder }) => holder.id));
            }
            expect(paged).toEqual(found.items.map(({ holder }) => holder.id));
          }
        },
      ),
      { numRuns: runs(120) },
    );
  });

  it('are asked for about a project and the organization too', async () => {
    const world = await World.create();
    const { useCases, owner, workspace } = world;
    const names = async (action: Action, on?: { readonly projectId: string }) =>
      (await useCases.listAccessHolders.execute(owner, { organizationName: 'acme', action, on }, page)).items.map(
        ({ name }) => name,
      );
    expect(await names('organizations/update')).toEqual(['olga', 'owners']);
    expect(await names('projects/delete', { projectId: workspace.projectId })).toEqual(['olga', 'owners']);
    for (const action of projectActions) {
      expect(await names(action, { projectId: workspace.projectId })).toContain('olga');
    }
  });
});
