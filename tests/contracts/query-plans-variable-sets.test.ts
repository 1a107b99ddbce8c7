import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Actor } from '../../src/domain/index.js';
import {
  anOrganization,
  aProject,
  aSetVariable,
  asOrganization,
  asTeam,
  asUser,
  aTeam,
  aUser,
  aVariableSet,
  aWorkspace,
} from '../support/builders.js';
import { QueryPlanner, type Work } from '../support/query-planner.js';

describe('statements about variable sets on SQLite', () => {
  const organization = anOrganization();
  const project = aProject(organization);
  const workspace = aWorkspace(organization, { projectId: project.id });
  const set = aVariableSet(organization, { workspaceIds: [workspace.id], projectIds: [project.id] });
  const variable = aSetVariable(set);
  let planner: QueryPlanner;

  beforeAll(async () => {
    planner = await QueryPlanner.open(async (tx) => {
      await tx.organizations.add(organization);
      await tx.projects.add(project);
      await tx.workspaces.add(workspace);
      await tx.variableSets.add(set);
      await tx.setVariables.add(variable);
    });
  });

  afterAll(() => planner.close());

  const callers: readonly Actor[] = [asUser(aUser()), asTeam(aTeam(organization)), asOrganization(organization)];
  const page = { number: 1, size: 20 };
  const everything = { ofOrganization: true, ofProjects: true };

  const finds: readonly (readonly [string, number, Work])[] = [
    ['the variables that apply to a workspace', 1, (tx) => tx.variables.applyingTo(workspace.id)],
    ['the sets of an organization', 2, (tx) => tx.variableSets.page(organization.id, everything, page)],
    ['the sets that apply to a workspace', 2, (tx) => tx.variableSets.pageOfWorkspace(workspace.id, page)],
    ['the sets that apply to a project', 2, (tx) => tx.variableSets.pageOfProject(project.id, page)],
    ['a variable of a set', 1, (tx) => tx.setVariables.find(set.id, variable.id)],
    ['the variables of sets', 1, (tx) => tx.setVariables.ofSets([set.id, 'varset-1'])],
    ['what the variables of all sets come to', 1, (tx) => tx.setVariables.totalsOf(organization.id)],
    ['variables sealed with another key', 1, (tx) => tx.setVariables.sealedWithOtherKeys('f', 'var-1', 10)],
    ...callers.map((actor): readonly [string, number, Work] => [
      `a set with the standing of a ${actor.kind}`,
      1,
      (tx) => tx.variableSets.findFor(actor, set.id),
    ]),
  ];

  it.each(finds)('find %s in %i of them, through indexes alone', async (_, count, work) => {
    const sql = await planner.statementsOf(work);
    expect(sql).toHaveLength(count);
    const plan = sql.flatMap((one) => planner.planOf(one));
    // A page of ids was found before it is gone through.
    expect(plan.filter((step) => step.startsWith('SCAN') && !/^SCAN (CONSTANT ROW|page)$/.test(step))).toEqual([]);
    expect(plan.filter((step) => step.startsWith('SEARCH')).length).toBeGreaterThan(0);
  });

  const changes: readonly (readonly [string, Work])[] = [
    ['save a set', (tx) => tx.variableSets.save({ ...set, revision: 1 })],
    ['remove a set', (tx) => tx.variableSets.remove('varset-1')],
    ['save a variable', (tx) => tx.setVariables.save({ ...variable, revision: 1 })],
    ['remove a variable', async (tx) => void (await tx.setVariables.remove('var-1'))],
    ['remove a project', (tx) => tx.projects.remove('prj-1')],
  ];

  it.each(changes)('%s through indexes alone', async (_, work) => {
    const sql = await planner.statementsOf(work, true);
    expect(sql.length).toBeGreaterThan(0);
    const plan = sql.flatMap((one) => planner.planOf(one));
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });
});
