import { describe, expect, it } from '@jest/globals';
import { verdictOf } from '../../src/agent/programs/opa.js';
import { countsOf, redacted, reportedCounts } from '../../src/agent/run/plan-json.js';
import { Secrets } from '../../src/agent/service/secrets.js';

const none = await Secrets.of([]);

const resource = (actions: string[], more: object = {}) => ({
  address: 'a',
  mode: 'managed',
  change: { actions, ...more },
});

describe('a plan as JSON', () => {
  it('counts what it adds, changes, destroys and imports', () => {
    const plan = {
      resource_changes: [
        resource(['create']),
        resource(['delete', 'create']),
        resource(['update'], { importing: { id: 'x' } }),
        resource(['delete']),
        resource(['no-op']),
        { ...resource(['read']), mode: 'data' },
      ],
    };
    expect(countsOf(plan)).toEqual({ additions: 2, changes: 1, destructions: 2, imports: 1 });
  });

  it('is redacted by leaving out every member but those that are rendered', () => {
    const plan = {
      format_version: '1.2',
      variables: { password: { value: 'hidden' } },
      planned_values: { outputs: { p: { value: 'hidden' } } },
      prior_state: { values: 'hidden' },
      configuration: { root_module: 'hidden' },
      resource_changes: [resource(['create'], { before: null, after: { a: 1 }, generated_config: 'shown' })],
    };
    const shown = redacted(plan, { format_version: '1.0', provider_schemas: { p: {} } }, none);
    expect(shown).toEqual({
      plan_format_version: '1.2',
      provider_format_version: '1.0',
      provider_schemas: { p: {} },
      resource_changes: [resource(['create'], { before: null, after: { a: 1 }, generated_config: 'shown' })],
      resource_drift: [],
      output_changes: {},
      relevant_attributes: [],
    });
  });

  it('has no sensitive value in it, however deep, and still says which of them change', () => {
    const change = {
      actions: ['update'],
      before: {
        open: 'x',
        list: ['hidden-1', 'y'],
        map: { k: 'hidden-2' },
        all: { z: 'hidden-3' },
        n: 7,
        same: 'hidden-4',
      },
      after: {
        open: 'x',
        list: ['hidden-5', 'y'],
        map: { k: 'hidden-6' },
        all: { z: 'hidden-7' },
        n: 8,
        same: 'hidden-4',
      },
      before_sensitive: { list: [true, false], map: { k: true }, all: true, n: true, same: true },
      after_sensitive: { list: [true, false], map: { k: true }, all: true, n: true, same: true },
    };
    const plan = {
      resource_changes: [{ mode: 'managed', change }],
      output_changes: { o: { ...change, before_sensitive: true, after_sensitive: true } },
    };
    const shown = JSON.stringify(redacted(plan, {}, none));
    expect(shown).not.toContain('hidden');
    expect(JSON.parse(shown).resource_changes[0].change).toMatchObject({
      before: { open: 'x', list: ['a value', 'y'], map: { k: 'a value' }, all: {}, n: 7, same: 'a value' },
      after: { open: 'x', list: ['another value', 'y'], map: { k: 'another value' }, all: {}, n: 13, same: 'a value' },
    });
  });

  it.each([
    ['a value', { before_sensitive: {}, after_sensitive: { text: true, list: [false, true], map: { k: true } } }],
    ['all of it', { before_sensitive: false, after_sensitive: true }],
    ['what was so before', { before_sensitive: { text: true, list: true, map: true }, after_sensitive: {} }],
  ])('hides on both sides what is sensitive on one: %s', (_, marks) => {
    const value = (n: number) => ({ text: `hidden-${n}`, list: ['x', `hidden-${n}`], map: { k: `hidden-${n}` } });
    const change = { actions: ['update'], before: value(1), after: value(2), ...marks };
    const shown = redacted(
      { resource_changes: [resource(['update'], change)], output_changes: { o: change } },
      {},
      none,
    );
    expect(JSON.stringify(shown)).not.toContain('hidden');
  });

  it('has no value of a sensitive variable in it, whatever the plan says of that, and keeps what finds the schema', async () => {
    const secrets = await Secrets.of(
      ['hidden', 'managed', 'update', '12345'].map((value) => ({
        key: 'v',
        value,
        category: 'terraform',
        hcl: false,
        sensitive: true,
      })),
    );
    const change = { actions: ['update'], before: { a: 'hidden', n: 12345 }, after: { a: ['x hidden'] } };
    const plan = {
      resource_changes: [
        { address: 'x["hidden"]', index: 'hidden', mode: 'managed', type: 'hidden', provider_name: 'hidden', change },
      ],
      output_changes: { o: { actions: ['update'], before: null, after: 'hidden' } },
      relevant_attributes: [{ resource: 'x["hidden"]', attribute: ['hidden'] }],
    };
    const shown = redacted(plan, { provider_schemas: { hidden: {} } }, secrets);
    expect(shown).toMatchObject({
      provider_schemas: { hidden: {} },
      resource_changes: [
        {
          address: 'x["***"]',
          index: '***',
          mode: 'managed',
          type: 'hidden',
          provider_name: 'hidden',
          change: { actions: ['update'], before: { a: '***', n: 0 }, after: { a: ['x ***'] } },
        },
      ],
      output_changes: { o: { after: '***' } },
      relevant_attributes: [{ resource: 'x["***"]', attribute: ['***'] }],
    });
  });

  it('is counted from the last line of an apply', () => {
    const said = 'x: Creating...\n\nApply complete! Resources: 3 imported, 2 added, 1 changed, 4 destroyed.\n';
    expect(reportedCounts(said)).toEqual({ additions: 2, changes: 1, destructions: 4, imports: 3 });
    expect(reportedCounts('Error: no')).toEqual({ additions: 0, changes: 0, destructions: 0, imports: 0 });
  });
});

describe('what a policy answers', () => {
  const answer = (...values: unknown[]) => ({ result: [{ expressions: values.map((value) => ({ value })) }] });

  it.each([
    ['undefined', {}],
    ['an empty set', answer([])],
  ])('passes: %s', (_, given) => {
    expect(verdictOf(given, '')).toEqual({ status: 'passed' });
  });

  it('fails with its elements', () => {
    expect(verdictOf(answer(['no', { message: 'neither' }]), '')).toEqual({
      status: 'failed',
      reasons: ['no', { message: 'neither' }],
    });
  });

  it.each([
    ['an object', answer({ deny: [] }), 'the query must return one set or list of messages, but returned {"deny":[]}'],
    ['a boolean', answer(false), 'the query must return one set or list of messages, but returned false'],
    ['several values', answer([], []), 'the query must return one set or list of messages, but returned [[],[]]'],
    ['errors', { errors: [{ message: 'var x is unsafe', location: { row: 3 } }] }, 'line 3: var x is unsafe'],
    ['nothing at all', undefined, 'out of memory'],
  ])('is an error: %s', (_, given, reason) => {
    expect(verdictOf(given, 'out of memory')).toEqual({ status: 'errored', reason });
  });
});
