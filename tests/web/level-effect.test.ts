import { describe, expect, it } from '@jest/globals';
import { effectiveAccess, type Grant, type TeamStanding } from '../../src/domain/index.js';
import { permissionsOf } from '../../src/domain/team-access/access-level.js';
import { type Chosen, effectOf } from '../../web/console/pages/access/level-effect.js';
import { custom, member } from '../domain/samples.js';

const fixed = (['read', 'plan', 'write', 'admin'] as const).map((access): Grant => ({ access }));

const grants: readonly (Grant | undefined)[] = [
  undefined,
  ...fixed,
  custom({ runs: 'read' }),
  custom({ runs: 'plan', variables: 'write', stateVersions: 'read-outputs' }),
  custom({ runs: 'apply', stateVersions: 'write', workspaceLocking: true, policyOverrides: true }),
];

/** Other sources of permissions of the team. */
const besides: readonly Partial<TeamStanding>[] = [
  {},
  { owners: true },
  { access: new Set(['read-workspaces']) },
  { access: new Set(['delegate-policy-overrides', 'manage-vcs-settings']) },
  { projectGrant: { access: 'write' } },
  { projectGrant: { access: 'maintain' } },
];

function chosenOf(grant: Grant | undefined): Chosen {
  if (grant === undefined) return { access: 'none' };
  if (grant.access !== 'custom') return { access: grant.access };
  const { runs, variables, stateVersions, workspaceLocking, policyOverrides } = permissionsOf(grant);
  return {
    access: 'custom',
    runs,
    variables,
    'state-versions': stateVersions,
    'workspace-locking': workspaceLocking,
    'policy-overrides': policyOverrides,
  };
}

const rightsWith = (has: Partial<TeamStanding>, grant: Grant | undefined) =>
  effectiveAccess(member({ ...has, ...(grant && { grant }) }));

describe('the effect of another access to a workspace', () => {
  it.each(besides)('is what the policy then allows and no longer allows, for a team with %j besides', (has) => {
    for (const before of grants) {
      for (const after of grants) {
        const held = rightsWith(has, before);
        const then = new Set(rightsWith(has, after).flatMap((right) => (right.held ? right.right : [])));
        expect(effectOf(held, chosenOf(after), has.access?.has('delegate-policy-overrides') === true)).toEqual({
          gained: held.filter((right) => !right.held && then.has(right.right)).map(({ right }) => right),
          lost: held.filter((right) => right.held && !then.has(right.right)).map(({ right }) => right),
        });
      }
    }
  });
});
