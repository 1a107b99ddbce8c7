import { describe, expect, it } from '@jest/globals';
import { redacted } from '../../src/agent/run/plan-json.js';
import { trialInput, unknownIn } from '../../src/agent/run/trial-input.js';
import { Secrets } from '../../src/agent/service/secrets.js';

const secret = { key: 'k', value: 'hidden-word', category: 'env' as const, hcl: false, sensitive: true };
const secrets = await Secrets.of([secret]);

const planOf = (change: object, more: object = {}) => ({
  format_version: '1.2',
  variables: { region: { value: 'eu' } },
  resource_changes: [{ address: 'a.b', mode: 'managed', type: 'a', change: { actions: ['create'], ...change } }],
  ...more,
});

const inputOf = (plan: object, changed = false) =>
  trialInput(
    JSON.parse(JSON.stringify(redacted(plan, {}, secrets))),
    {
      run: {
        id: 'run-1',
        message: 'Add a bucket',
        'plan-only': true,
        'is-destroy': false,
        refresh: true,
        'refresh-only': false,
        'target-addrs': null,
        'replace-addrs': null,
      },
      'workspace-changed': changed,
      url: '/agent/v1/policy-trials/x/plans/run-1',
    },
    {
      id: 'poltrial-1',
      'policy-set': {
        id: 'poltrial-1',
        name: 'policy trial',
        'policy-tool-version': null,
        policies: [],
        archive: null,
        parameters: [],
      },
      workspace: { id: 'ws-1', name: 'api', organization: 'acme', 'working-directory': '' },
      plans: [],
    },
  );

const changes = ['plan', 'resource_changes'];

describe('the input of a policy in a trial', () => {
  it('has what the redacted plan has, as terraform prints it, and the run', () => {
    const { input } = inputOf(planOf({ before: null, after: { size: 3 } }));
    expect(input).toMatchObject({
      plan: { format_version: '1.2', resource_changes: [{ address: 'a.b', change: { after: { size: 3 } } }] },
      run: { id: 'run-1', message: 'Add a bucket', speculative: true, workspace: { id: 'ws-1', name: 'api' } },
    });
    // terraform leaves out what is empty.
    expect(Object.keys((input as { plan: object }).plan)).toEqual(['format_version', 'resource_changes']);
  });

  it.each([
    ['a sensitive value', { before: null, after: { password: 'x' }, after_sensitive: { password: true } }],
    ['a value that was sensitive', { before: { a: [1] }, after: { a: [2] }, before_sensitive: { a: [true] } }],
    ['a resource that is sensitive as a whole', { before: null, after: { a: 1 }, after_sensitive: true }],
    ['a masked secret', { before: null, after: { text: 'the hidden-word' } }],
    ['a masked name', { before: null, after: { 'hidden-word': 1 } }],
    ['a number that lost digits', { before: null, after: { n: Number('12345678901234567890') } }],
  ])('is unknown where it has %s', (_, change) => {
    const input = inputOf(planOf(change));
    expect(unknownIn([changes], input)).toMatch(
      /^The policy reads input\.plan\.resource_changes, where .* was removed$/,
    );
    expect(unknownIn([['plan']], input)).toBeDefined();
    expect(unknownIn([[]], input)).toBeDefined();
    expect(unknownIn([[...changes, '0', 'address']], input)).toBeUndefined();
    expect(unknownIn([['plan', 'output_changes']], input)).toBeUndefined();
  });

  it('is known where nothing was removed', () => {
    const change = { before: null, after: { size: 3, text: 'x' }, after_sensitive: {}, before_sensitive: false };
    const nothing = { before: null, after: { password: null, n: 0.1 }, after_sensitive: { password: true } };
    for (const one of [change, nothing]) expect(unknownIn([changes], inputOf(planOf(one)))).toBeUndefined();
  });

  it('lacks what a redacted plan and a run do not keep', () => {
    const plan = planOf({ before: null, after: {} });
    const unknown = (...path: string[]) => unknownIn([path], inputOf(plan));
    for (const name of ['variables', 'planned_values', 'prior_state', 'configuration', 'timestamp']) {
      expect(unknown('plan', name)).toBe(`The policy reads input.plan.${name}, which is not kept`);
    }
    expect(unknown('run', 'variables')).toBeDefined();
    expect(unknown('run', 'organization', 'name')).toBeDefined();
    expect(unknown('run')).toBeDefined();
    expect(unknown('run', 'workspace', 'name')).toBeUndefined();
    expect(unknownIn([['run', 'workspace', 'name']], inputOf(plan, true))).toBeDefined();
    expect(unknownIn([['run', 'workspace', 'id']], inputOf(plan, true))).toBeUndefined();
    // No input has it.
    expect(unknown('resource_changes')).toBeUndefined();
  });
});
