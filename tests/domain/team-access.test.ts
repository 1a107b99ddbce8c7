import { describe, expect, it } from '@jest/globals';
import {
  type AccessLevel,
  accessLevels,
  type Grant,
  impliedBy,
  type RequestedPermissions,
  scaleNames,
  TeamWorkspace,
  type Unnamed,
} from '../../src/domain/index.js';
import { customDefaults } from '../../src/domain/team-access/access-level.js';
import { aTeamWorkspace, unbounded } from '../support/builders.js';
import { fc } from '../support/properties.js';
import { anyGrant, anyPermissions, aTeam, custom, theOwnersTeam, thrownBy } from './samples.js';

const fixedLevels = ['read', 'plan', 'write', 'admin'] as const;

const anyRequest: fc.Arbitrary<RequestedPermissions> = fc
  .tuple(anyPermissions, fc.subarray([...scaleNames]))
  .map(([permissions, named]) => Object.fromEntries(named.map((scale) => [scale, permissions[scale]])));

const team = aTeam();
const workspace = { id: 'ws-1', organizationId: team.organizationId };

const newGrant = (access: AccessLevel, permissions: RequestedPermissions): Grant =>
  TeamWorkspace.grant('tws-1', team, workspace, { access, permissions }, unbounded).state.grant;

const held = (grant: Grant) => aTeamWorkspace(team.id, workspace.id, { grant });

const changedGrant = (
  current: Grant,
  access: AccessLevel | undefined,
  permissions: RequestedPermissions,
  unnamed: Unnamed = 'default',
): Grant => held(current).change({ access, permissions, unnamed }, unbounded).state.grant;

const anyLevel: fc.Arbitrary<AccessLevel> = fc.constantFrom(...accessLevels);

const refusal = (label: string, attribute: string, level: AccessLevel) => ({
  code: 'team-access/permissions-are-custom-only',
  message: `${label} is read-only when access level is '${level}'; use the 'custom' access level to set this attribute.`,
  details: { attribute },
});

describe('the access levels', () => {
  it('are the five that clients know', () => {
    expect(accessLevels).toEqual([...fixedLevels, 'custom']);
  });
});

describe('a new grant', () => {
  it.each(fixedLevels)('of %s is that level and nothing more', (access) => {
    expect(newGrant(access, {})).toEqual({ access });
  });

  it('of custom reads runs and nothing else unless more is asked for', () => {
    expect(newGrant('custom', {})).toEqual(custom({ runs: 'read' }));
    expect(customDefaults).toEqual({
      runs: 'read',
      variables: 'none',
      stateVersions: 'none',
      policyMocks: 'none',
      workspaceLocking: false,
      runTasks: false,
      policyOverrides: false,
    });
  });

  it('of custom allows what is asked for, and the default of what is not', () => {
    expect(newGrant('custom', { variables: 'write', runTasks: true })).toEqual(
      custom({ runs: 'read', variables: 'write', runTasks: true }),
    );
  });

  it.each<[RequestedPermissions, string, string]>([
    [{ runs: 'read' }, 'Runs', 'runs'],
    [{ variables: 'read' }, 'Variables', 'variables'],
    [{ stateVersions: 'read' }, 'State versions', 'stateVersions'],
    [{ policyMocks: 'none' }, 'Policy mocks', 'policyMocks'],
    [{ workspaceLocking: false }, 'Workspace locking', 'workspaceLocking'],
    [{ runTasks: false }, 'Run tasks', 'runTasks'],
    [{ policyOverrides: false }, 'Policy overrides', 'policyOverrides'],
  ])('of a fixed level refuses %o, even where the level implies it', (requested, label, attribute) => {
    for (const access of fixedLevels) {
      expect(thrownBy(() => newGrant(access, requested))).toMatchObject(refusal(label, attribute, access));
    }
  });
});

describe('a changed grant', () => {
  const current = custom({ runs: 'apply', variables: 'write', workspaceLocking: true });

  it('that stays custom changes only what is named', () => {
    const changed = custom({ runs: 'plan', variables: 'write', workspaceLocking: true });
    expect(changedGrant(current, 'custom', { runs: 'plan' })).toEqual(changed);
    expect(changedGrant(current, undefined, { runs: 'plan' })).toEqual(changed);
    expect(current).toEqual(custom({ runs: 'apply', variables: 'write', workspaceLocking: true }));
  });

  it('that becomes custom gets the defaults, and keeps nothing that its fixed level implied', () => {
    expect(changedGrant({ access: 'admin' }, 'custom', {})).toEqual(custom({ runs: 'read' }));
    expect(changedGrant({ access: 'admin' }, 'custom', { runs: 'plan' })).toEqual(custom({ runs: 'plan' }));
  });

  it('that becomes custom keeps what its fixed level implied, where clients send only what changed', () => {
    for (const access of fixedLevels) {
      const changed = changedGrant({ access }, 'custom', { runs: 'plan' }, 'as-implied');
      expect(changed).toEqual({ access: 'custom', permissions: { ...impliedBy[access], runs: 'plan' } });
    }
    expect(changedGrant(current, undefined, { runs: 'plan' }, 'as-implied')).toEqual(
      changedGrant(current, undefined, { runs: 'plan' }),
    );
    expect(changedGrant({ access: 'admin' }, 'write', {}, 'as-implied')).toEqual({ access: 'write' });
  });

  it('that becomes fixed forgets its custom permissions', () => {
    expect(changedGrant(current, 'plan', {})).toEqual({ access: 'plan' });
  });

  it('refuses permissions together with a fixed level, and alone while the level is fixed', () => {
    expect(thrownBy(() => changedGrant(current, 'read', { runs: 'read' }))).toMatchObject(
      refusal('Runs', 'runs', 'read'),
    );
    expect(thrownBy(() => changedGrant({ access: 'write' }, undefined, { stateVersions: 'read' }))).toMatchObject(
      refusal('State versions', 'stateVersions', 'write'),
    );
  });

  it('is the same again when nothing is named', () => {
    fc.assert(fc.property(anyGrant, (grant) => expect(changedGrant(grant, undefined, {})).toEqual(grant)));
  });

  it('is the same whether asked for once or twice', () => {
    fc.assert(
      fc.property(anyGrant, anyLevel, anyRequest, (grant, access, requested) => {
        const ask = (from: Grant) => changedGrant(from, access, access === 'custom' ? requested : {});
        expect(ask(ask(grant))).toEqual(ask(grant));
      }),
    );
  });

  it('stores detailed permissions when custom and never otherwise', () => {
    fc.assert(
      fc.property(anyGrant, fc.option(anyLevel, { nil: undefined }), anyRequest, (grant, access, requested) => {
        const fixed = (access ?? grant.access) !== 'custom';
        if (fixed && Object.keys(requested).length > 0) {
          expect(() => changedGrant(grant, access, requested)).toThrow('is read-only when access level is');
          return;
        }
        const changed = changedGrant(grant, access, requested);
        expect('permissions' in changed).toBe(!fixed);
        if (changed.access === 'custom') expect(changed.permissions).toMatchObject(requested);
      }),
    );
  });
});

describe('the access of a team to a workspace', () => {
  it('is granted once, and changed revision by revision', () => {
    const granted = TeamWorkspace.grant('tws-1', team, workspace, { access: 'read', permissions: {} }, unbounded);
    const { state } = granted;
    expect(state).toEqual({
      id: 'tws-1',
      teamId: team.id,
      workspaceId: 'ws-1',
      grant: { access: 'read' },
      revision: 0,
    });
    const changed = granted.change({ access: 'plan', permissions: {}, unnamed: 'default' }, unbounded);
    expect(changed.state).toEqual({ ...state, grant: { access: 'plan' }, revision: 1 });
    expect(granted.state).toEqual(state);
    expect(() => Object.assign(changed.state, { revision: 0 })).toThrow(TypeError);
  });

  it('is refused to the owners team, which has access to every workspace', () => {
    const { organizationId } = theOwnersTeam;
    const granted = () =>
      TeamWorkspace.grant(
        'tws-1',
        theOwnersTeam,
        { id: 'ws-1', organizationId },
        { access: 'read', permissions: {} },
        unbounded,
      );
    expect(thrownBy(granted)).toMatchObject({
      code: 'owners-team/protected',
      message: 'the owners team already has access to every workspace',
    });
  });

  it('is refused to a team of another organization, as to one that does not exist', () => {
    const elsewhere = { ...workspace, organizationId: 'org-other' };
    const granted = () => TeamWorkspace.grant('tws-1', team, elsewhere, { access: 'read', permissions: {} }, unbounded);
    expect(thrownBy(granted)).toMatchObject({ code: 'resource/not-found' });
  });
});
