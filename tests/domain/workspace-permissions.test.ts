import { describe, expect, it } from '@jest/globals';
import { impliedBy, permissionsOf, scaleNames, scales, type WorkspacePermissions } from '../../src/domain/index.js';
import { nothing, reaches, strongest } from '../../src/domain/team-access/workspace-permissions.js';
import { fc } from '../support/properties.js';
import { anyPermissions, custom } from './samples.js';

const everything: WorkspacePermissions = {
  runs: 'apply',
  variables: 'write',
  stateVersions: 'write',
  policyMocks: 'read',
  workspaceLocking: true,
  runTasks: true,
  policyOverrides: true,
};

const law = (
  name: string,
  holds: (a: WorkspacePermissions, b: WorkspacePermissions, c: WorkspacePermissions) => void,
) => it(name, () => fc.assert(fc.property(anyPermissions, anyPermissions, anyPermissions, holds)));

describe('the scales of workspace permissions', () => {
  it('run from least to most', () => {
    expect(scales).toEqual({
      runs: ['none', 'read', 'plan', 'apply'],
      variables: ['none', 'read', 'write'],
      stateVersions: ['none', 'read-outputs', 'read', 'write'],
      policyMocks: ['none', 'read'],
      workspaceLocking: [false, true],
      runTasks: [false, true],
      policyOverrides: [false, true],
    });
    expect(scaleNames).toEqual(Object.keys(scales));
  });

  it('start at nothing', () => {
    expect(nothing).toEqual({
      runs: 'none',
      variables: 'none',
      stateVersions: 'none',
      policyMocks: 'none',
      workspaceLocking: false,
      runTasks: false,
      policyOverrides: false,
    });
  });
});

describe('the stronger and the weaker of two sets of permissions', () => {
  const [mine, yours]: readonly WorkspacePermissions[] = [
    { ...nothing, runs: 'plan', variables: 'write', workspaceLocking: true },
    { ...nothing, runs: 'apply', variables: 'read', stateVersions: 'read-outputs' },
  ] as const;

  it('are decided on each scale separately', () => {
    expect(strongest(mine ?? nothing, yours ?? nothing)).toEqual({
      runs: 'apply',
      variables: 'write',
      stateVersions: 'read-outputs',
      policyMocks: 'none',
      workspaceLocking: true,
      runTasks: false,
      policyOverrides: false,
    });
  });

  law('are the set itself when both are the same', (a) => {
    expect(strongest(a, a)).toEqual(a);
  });

  // A new set costs ten times as much as one of the two.
  law('return one of the two where it reaches the other', (a) => {
    for (const lower of [a, nothing]) expect(strongest(a, lower)).toBe(a);
    expect(strongest(nothing, a)).toEqual(a);
  });

  law('do not depend on the order of the two', (a, b) => {
    expect(strongest(a, b)).toEqual(strongest(b, a));
  });

  law('do not depend on how three are grouped', (a, b, c) => {
    expect(strongest(strongest(a, b), c)).toEqual(strongest(a, strongest(b, c)));
  });

  law('lie between nothing and everything', (a) => {
    expect(strongest(a, nothing)).toEqual(a);
    expect(strongest(a, everything)).toEqual(everything);
  });
});

describe('reaching what is needed', () => {
  it('looks only at the scales that are named', () => {
    const held = { ...nothing, runs: 'plan' } as const;
    expect(reaches(held, {})).toBe(true);
    expect(reaches(held, { runs: 'read' })).toBe(true);
    expect(reaches(held, { runs: 'plan' })).toBe(true);
    expect(reaches(held, { runs: 'apply' })).toBe(false);
    expect(reaches(held, { runs: 'plan', variables: 'read' })).toBe(false);
    expect(reaches(held, { workspaceLocking: false })).toBe(true);
    expect(reaches(held, { workspaceLocking: true })).toBe(false);
  });

  law('means adding what is needed changes nothing', (held, needed) => {
    expect(reaches(held, needed)).toBe(scaleNames.every((scale) => strongest(held, needed)[scale] === held[scale]));
  });

  law('carries over from one set to a third', (a, b, c) => {
    if (reaches(a, b) && reaches(b, c)) expect(reaches(a, c)).toBe(true);
  });

  law('both ways means being the same', (a, b) => {
    if (reaches(a, b) && reaches(b, a)) expect(a).toEqual(b);
  });

  law('holds between the stronger of two and each of them', (a, b) => {
    expect(reaches(strongest(a, b), a) && reaches(strongest(a, b), b)).toBe(true);
  });
});

describe('a fixed access level', () => {
  it.each([
    ['read', ['read', 'read', 'read', 'none', false, false]],
    ['plan', ['plan', 'read', 'read', 'none', false, false]],
    ['write', ['apply', 'write', 'write', 'read', true, false]],
    ['admin', ['apply', 'write', 'write', 'read', true, true]],
  ] as const)('%s implies its own permissions', (access, expected) => {
    const { runs, variables, stateVersions, policyMocks, workspaceLocking, runTasks } = permissionsOf({ access });
    expect([runs, variables, stateVersions, policyMocks, workspaceLocking, runTasks]).toEqual(expected);
    expect(Object.keys(permissionsOf({ access })).sort()).toEqual([...scaleNames].sort());
  });

  it('reaches every lower one', () => {
    expect(Object.keys(impliedBy)).toEqual(['read', 'plan', 'write', 'admin']);
    expect(reaches(impliedBy.admin, impliedBy.write)).toBe(true);
    expect(reaches(impliedBy.write, impliedBy.plan)).toBe(true);
    expect(reaches(impliedBy.plan, impliedBy.read)).toBe(true);
  });
});

describe('a custom grant', () => {
  it('allows exactly what it stores', () => {
    fc.assert(
      fc.property(anyPermissions, (permissions) => {
        expect(permissionsOf(custom(permissions))).toEqual(permissions);
      }),
    );
  });
});
