import { describe, expect, it } from '@jest/globals';
import {
  organizationActions,
  projectActions,
  workspaceActions,
} from '../../src/domain/authorization/effective-access.js';
import { policy } from '../../src/domain/authorization/policy.js';
import { actions, may, organizationPermissions, type Standing, scales } from '../../src/domain/index.js';
import { scaleNames } from '../../src/domain/team-access/workspace-permissions.js';
import {
  claimWords,
  customWords,
  organizationRightWords,
  permissionsInOrder,
  permissionsWithoutEffect,
  projectRightWords,
  rightWords,
} from '../../web/console/access/words.js';
import { custom, member, towards } from '../domain/samples.js';

/** The actions that the policy allows, towards a visible and a secret team. */
const allowed = (standing: Standing) => {
  const towardsTeams = [towards(standing), towards(standing, { secret: true })];
  return actions
    .filter((action) => towardsTeams.some((one) => may(one, action)))
    .concat(actions.filter((action) => towardsTeams.every((one) => may(one, action))));
};

const delegation = new Set(['delegate-policy-overrides'] as const);

describe('the permissions of the console', () => {
  it('are named by what they do: each right, and all that the policy asks for it', () => {
    expect(Object.keys(rightWords).sort()).toEqual([...workspaceActions].sort());
    expect(Object.keys(projectRightWords).sort()).toEqual([...projectActions].sort());
    expect(Object.keys(organizationRightWords).sort()).toEqual([...organizationActions].sort());
    const rights = [...workspaceActions, ...projectActions, ...organizationActions];
    const asked = new Set(rights.flatMap((right) => policy[right].flat()));
    expect(Object.keys(claimWords).sort()).toEqual([...asked].sort());
  });

  it('have those without effect last, which are those that change nothing in the policy', () => {
    const grants = [undefined, { access: 'admin' as const }, custom({ policyOverrides: true })];
    const withoutEffect = organizationPermissions.filter((permission) =>
      grants.every((grant) => {
        const given = grant === undefined ? {} : { grant };
        const having = allowed(member({ ...given, access: new Set([permission]) }));
        return having.length === allowed(member(given)).length;
      }),
    );
    expect(permissionsWithoutEffect.toSorted()).toEqual(withoutEffect.toSorted());
    expect(permissionsInOrder.slice(-withoutEffect.length)).toEqual(permissionsWithoutEffect);
    expect(permissionsInOrder.toSorted()).toEqual([...organizationPermissions].sort());
  });

  it('say of a custom permission that it has no effect, where that is so', () => {
    const before = allowed(member({ grant: custom({}), access: delegation })).length;
    const withoutEffect = scaleNames.filter(
      (scale) =>
        allowed(member({ grant: custom({ [scale]: scales[scale].at(-1) }), access: delegation })).length === before,
    );
    expect(withoutEffect).toEqual(['policyMocks']);
    const said = Object.entries(customWords).filter(([, words]) => words.includes('no effect'));
    expect(said.map(([name]) => name)).toEqual(['policy-mocks']);
  });
});
