import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AuditQuery } from '../../src/application/index.js';
import { anOrganization } from '../support/builders.js';
import { QueryPlanner } from '../support/query-planner.js';

describe('statements about the audit trail on SQLite', () => {
  const organization = anOrganization();
  let planner: QueryPlanner;

  beforeAll(async () => {
    planner = await QueryPlanner.open((tx) => tx.organizations.add(organization));
  });

  afterAll(() => planner.close());

  const query = { of: { organizationId: organization.id }, actorId: undefined, action: undefined } as const;
  const plansOf = async (given: Partial<AuditQuery>, after?: string) => {
    const whole: AuditQuery = { ...query, since: undefined, until: undefined, oldestFirst: false, ...given };
    const sql = await planner.statementsOf((tx) => tx.audit.slice(whole, after, 20));
    return sql.map((one) => planner.planOf(one));
  };

  const since = '2030-01-01T00:00:00.000Z';

  it.each([
    ['newest first', {}, undefined],
    ['oldest first', { oldestFirst: true }, undefined],
    ['from a place on', {}, 'ae-2030'],
    ['since and until', { since, until: since }, undefined],
    ['of the site', { of: 'site' }, undefined],
    ['of what was removed', { of: { removed: 'org-1' } }, undefined],
  ] as const)('find a page in an index, %s', async (_, given, after) => {
    const [plan = [], ...others] = await plansOf(given, after);
    expect(others).toEqual([]);
    expect(plan).toContainEqual(
      expect.stringMatching(/^SEARCH e USING INDEX audit_events_of_organization \(organization_id=\?/),
    );
    expect(plan.filter((step) => /^SCAN (?!CONSTANT)|TEMP B-TREE/.test(step))).toEqual([]);
  });

  it.each([
    ['an actor', { actorId: 'user-1' }, 'audit_events_actors (organization_id=? AND actor_id=?'],
    ['a workspace', { workspaceId: 'ws-1' }, 'audit_events_workspaces (organization_id=? AND workspace_id=?'],
    ['refusals', { outcome: 'refused' }, 'audit_events_refusals (organization_id=?'],
    ['what is not routine', { withoutRoutine: true }, 'audit_events_decisions (organization_id=?'],
  ] as const)('find %s in an index', async (_, given, index) => {
    for (const oldestFirst of [true, false]) {
      const [plan = [], ...others] = await plansOf({ ...given, since, oldestFirst });
      expect(others).toEqual([]);
      expect(plan).toContainEqual(expect.stringContaining(`SEARCH e USING INDEX ${index}`));
      expect(plan.filter((step) => /^SCAN (?!CONSTANT)|TEMP B-TREE/.test(step))).toEqual([]);
    }
  });

  it('look at a bounded part of it for a filter', async () => {
    const [matching = [], end = [], ...others] = await plansOf({ action: 'teams/update', since });
    expect(others).toEqual([]);
    for (const plan of [matching, end]) {
      expect(plan).toContainEqual(
        expect.stringMatching(/^SEARCH e USING (COVERING )?INDEX audit_events_of_organization/),
      );
    }
    expect(matching.filter((step) => step.startsWith('SCAN'))).toEqual(['SCAN l']);
  });

  it('forget the oldest by their ids', async () => {
    const sql = await planner.statementsOf((tx) => tx.audit.forget(since, 10), true);
    const plan = planner.planOf(sql.at(-1) ?? '');
    expect(plan.filter((step) => step.startsWith('SCAN'))).toEqual([]);
  });
});
