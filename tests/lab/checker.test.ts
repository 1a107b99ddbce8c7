import { describe, expect, it } from '@jest/globals';
import { type AtRest, check, type Noticed, type RunAtRest, type VersionAtRest } from '../../lab/torture/checker.js';
import type { Operation, Outcome } from '../../lab/torture/journal.js';

/** `begun-ended who kind object value outcome` as one line of a history. */
const told = (
  begun: number,
  ended: number,
  object: string,
  kind: string,
  value = '',
  outcome: Outcome = 'done',
  more = {},
): Operation => ({
  number: begun,
  client: 'client',
  instance: 0,
  object,
  kind,
  value,
  begun,
  ended,
  outcome,
  status: { done: 200, refused: 409, unknown: 0 }[outcome],
  retryAfter: 0,
  ...more,
});

const uploaded: VersionAtRest = {
  id: 'cv-1',
  status: 'uploaded',
  origin: 'api',
  autoQueue: true,
  stamps: { 'uploaded-at': '2026-01-01T00:00:02.000Z' },
  bundleKey: 'key-1',
  sha256: 'aa',
};
const archived: VersionAtRest = {
  ...uploaded,
  id: 'cv-2',
  status: 'archived',
  autoQueue: false,
  stamps: { 'uploaded-at': '2026-01-01T00:00:02.000Z', 'archived-at': '2026-01-01T00:00:03.000Z' },
  bundleKey: null,
  sha256: null,
};
const run: RunAtRest = {
  id: 'run-1',
  workspaceId: 'ws-1',
  versionId: 'cv-1',
  status: 'applied',
  source: 'tfe-configuration-version',
  planOnly: false,
};

/** A history without violations, with a fault or two. */
const operations: readonly Operation[] = [
  told(1, 2, 'version cv-1', 'create'),
  told(3, 6, 'version cv-1', 'upload', 'bb', 'unknown'),
  told(4, 5, 'version cv-1', 'break-off', 'cc', 'unknown'),
  told(7, 9, 'version cv-1', 'upload', 'aa'),
  told(8, 10, 'version cv-1', 'show', 'pending', 'unknown'),
  told(11, 12, 'version cv-1', 'download', 'aa'),
  told(13, 14, 'version cv-1', 'archive', '', 'refused'),
  told(1, 2, 'version cv-2', 'create'),
  told(3, 4, 'version cv-2', 'upload', 'dd'),
  told(5, 9, 'version cv-2', 'archive', '', 'unknown'),
  told(6, 7, 'version cv-2', 'show', 'uploaded'),
  told(10, 11, 'version cv-2', 'show', 'archived'),
  told(20, 21, 'run run-1', 'show', 'planning'),
  told(22, 23, 'run run-1', 'apply'),
  told(24, 25, 'run run-1', 'show', 'applying'),
  told(1, 2, 'token team-1', 'put', 'at-1'),
  told(3, 6, 'token team-1', 'put', 'at-2'),
  told(4, 5, 'token team-1', 'accepted', 'at-1'),
  told(7, 8, 'token team-1', 'put', '?', 'unknown'),
  told(9, 10, 'token team-1', 'rejected', 'at-1', 'done', { client: 'checker' }),
  told(9, 10, 'token team-1', 'read', 'at-never-heard-of'),
  told(1, 2, 'access team-1 ws-1', 'add', 'read'),
  told(3, 4, 'access team-1 ws-1', 'change', 'write', 'unknown'),
  told(5, 6, 'access team-1 ws-1', 'read', 'read'),
  told(9, 10, 'access team-1 ws-1', 'read', 'write'),
];

const atRest: AtRest = {
  versions: [uploaded, archived],
  runs: [run],
  states: [],
  bundles: new Map([['key-1', 'aa']]),
  leftovers: [],
  undone: [],
};
const noticed: Noticed = { holders: [], unexpected: [], bound: 1000 };

interface Told {
  readonly operations: readonly Operation[];
  readonly atRest: AtRest;
  readonly noticed: Noticed;
}

const without = (kind: string, object: string) =>
  operations.filter((one) => one.kind !== kind || one.object !== object);
const and = (...more: readonly Operation[]): Partial<Told> => ({ operations: [...operations, ...more] });
const rest = (change: Partial<AtRest>): Partial<Told> => ({ atRest: { ...atRest, ...change } });
const changed = (change: Partial<VersionAtRest>) => ({ versions: [{ ...uploaded, ...change }, archived] });

const lost = 'acknowledged changes are there';

/** Violations, each with the name of the rule that it breaks. */
const planted: readonly (readonly [string, string, Partial<Told>])[] = [
  [
    'an acknowledged upload that left the version pending',
    lost,
    rest(changed({ status: 'pending', stamps: {}, bundleKey: null, sha256: null })),
  ],
  ['an acknowledged version that is gone', lost, rest({ versions: [archived], bundles: new Map(), runs: [] })],
  [
    'a change that the answer said was refused',
    lost,
    rest(changed({ status: 'archived', stamps: { ...uploaded.stamps, 'archived-at': '2026-01-01T00:00:04.000Z' } })),
  ],
  ['a status that was left and seen again', lost, and(told(30, 31, 'version cv-2', 'show', 'uploaded'))],
  ['bytes of an upload that another one had replaced', lost, and(told(30, 31, 'version cv-1', 'download', 'bb'))],
  ['a status that no request led to', lost, { operations: without('archive', 'version cv-2') }],
  ['a run that went back', lost, and(told(30, 31, 'run run-1', 'show', 'planned'))],
  [
    'a run that was applied without being confirmed',
    lost,
    {
      ...and(told(30, 31, 'run run-2', 'show', 'planned_and_saved'), told(32, 33, 'run run-2', 'show', 'applying')),
      ...rest({ runs: [run, { ...run, id: 'run-2', source: 'tfe-api' }] }),
    },
  ],
  ['an acknowledged run that is gone', lost, and(told(30, 31, 'run run-3', 'create'))],
  ['a grant that did not last', lost, and(told(30, 31, 'access team-1 ws-1', 'read', 'none'))],
  [
    'a removed token that an instance still takes',
    lost,
    and(told(30, 31, 'token team-1', 'remove'), told(32, 33, 'token team-1', 'accepted', 'at-2')),
  ],
  ['a replaced token that an instance still takes', lost, and(told(30, 31, 'token team-1', 'accepted', 'at-1'))],
  ['a token that was never handed out', lost, { operations: [...operations.filter(({ value }) => value !== '?')] }],
  [
    'bytes that were broken off',
    'only bytes that were sent',
    rest({ ...changed({ sha256: 'cc' }), bundles: new Map([['key-1', 'cc']]) }),
  ],
  [
    'bytes that no client sent',
    'only bytes that were sent',
    rest({ ...changed({ sha256: 'zz' }), bundles: new Map([['key-1', 'zz']]) }),
  ],
  [
    'two tokens of one team',
    'one token per owner',
    and(...['at-1', 'at-2'].map((id) => told(30, 31, 'token team-1', 'accepted', id, 'done', { client: 'checker' }))),
  ],
  ['a run that was queued twice', 'every auto-queued run once', rest({ runs: [run, { ...run, id: 'run-2' }] })],
  [
    'a run that was not queued',
    'every auto-queued run once',
    { ...rest({ runs: [] }), operations: operations.filter(({ object }) => !object.startsWith('run')) },
  ],
  [
    'a run that no version queued',
    'every auto-queued run once',
    rest({ runs: [run, { ...run, id: 'run-2', versionId: 'cv-2' }] }),
  ],
  ['a live version without its archive', 'archives of live versions', rest({ bundles: new Map() })],
  ['a live version with a damaged archive', 'archives of live versions', rest({ bundles: new Map([['key-1', 'a']]) })],
  [
    'a bundle that no version references',
    'no orphans',
    rest({ bundles: new Map([...atRest.bundles, ['key-2', 'dd']]) }),
  ],
  ['an attempt that was never settled', 'no orphans', rest({ leftovers: ['unsettled/key-3'] })],
  ['work that was never done', 'ordered work is done', rest({ undone: ['queue-run of cv-1'] })],
  [
    'a status that the last stamp does not lead to',
    'history is a walk of the lifecycle',
    rest(changed({ stamps: { ...uploaded.stamps, 'archived-at': '2026-01-01T00:00:04.000Z' } })),
  ],
  [
    'a stamp without what comes before it',
    'history is a walk of the lifecycle',
    rest({ versions: [uploaded, { ...archived, stamps: { 'archived-at': '2026-01-01T00:00:03.000Z' } }] }),
  ],
  [
    'two runs that were seen to hold a workspace',
    'one run holds a workspace',
    { noticed: { ...noticed, holders: [{ workspaceId: 'ws-1', runs: ['run-1', 'run-2'] }] } },
  ],
  [
    'two runs that hold a workspace in the end',
    'one run holds a workspace',
    rest({ runs: ['run-2', 'run-3'].map((id) => ({ ...run, id, status: 'planning', source: 'tfe-api' })).concat(run) }),
  ],
  ['a 500', 'no unexpected fault', and(told(30, 31, '', 'create-run', '', 'unknown', { status: 500 }))],
  [
    'a 503 that does not say when to retry',
    '503 says when to retry',
    and(told(30, 31, '', 'create-run', '', 'unknown', { status: 503 })),
  ],
  ['a request that hung', 'every request ends', and(told(30, 2000, '', 'create-run', '', 'unknown'))],
  [
    'an error that no fault explains',
    'no unexpected error is logged',
    { noticed: { ...noticed, unexpected: ['TypeError'] } },
  ],
];

describe('the checker of the torture', () => {
  it('has nothing to say where all went well', () => {
    expect(check(operations, atRest, noticed)).toEqual([]);
  });

  it('does not blame the service for what the file store answered itself', () => {
    const refused = told(30, 31, '', 'read-from-store', '', 'unknown', { status: 503 });
    expect(check([...operations, refused], atRest, noticed)).toEqual([]);
  });

  it.each(planted)('finds %s', (_, rule, change) => {
    const story: Told = { operations, atRest, noticed, ...change };
    const found = check(story.operations, story.atRest, story.noticed);
    expect(found.map((one) => one.rule)).toContain(rule);
  });

  it('takes an unknown change for done, or for not done, and says which answers cannot both be right', () => {
    const story = [
      told(1, 2, 'access team-2 ws-1', 'add', 'read', 'unknown'),
      told(5, 6, 'access team-2 ws-1', 'read', 'none'),
      told(7, 8, 'access team-2 ws-1', 'read', 'read'),
    ];
    expect(check([...operations, ...story], atRest, noticed)).toEqual([]);
    const [found] = check(
      [...operations, ...story, told(9, 10, 'access team-2 ws-1', 'read', 'none')],
      atRest,
      noticed,
    );
    expect(found?.evidence.at(-1)).toMatchObject({ begun: 9, value: 'none' });
  });

  it('keeps its head over a long history with many unknown ends', () => {
    const long = Array.from({ length: 400 }, (_, at) => {
      const outcome = at % 5 === 4 ? 'unknown' : 'done';
      return told(10 * at, 10 * at + 15, 'member team-1 user-1', at % 2 === 0 ? 'put' : 'drop', 'member', outcome);
    });
    expect(
      check(
        [...long, told(9000, 9001, 'member team-1 user-1', 'read', 'member')],
        { ...atRest, versions: [], bundles: new Map(), runs: [] },
        noticed,
      ),
    ).toEqual([]);
  });

  it('finds which of many unknown changes explain the end of a history that is longer than the stack', () => {
    const object = 'token team team-1';
    const long = Array.from({ length: 20_000 }, (_, at) => {
      if (at % 500 === 250) return told(10 * at, 10 * at + 5, object, 'put', '?', 'unknown');
      if (at % 500 === 375) return told(10 * at, 10 * at + 5, object, 'remove', '', 'unknown');
      return told(10 * at, 10 * at + 5, object, at % 2 === 0 ? 'put' : 'accepted', `token-${at - (at % 2)}`);
    }).filter(({ kind, value }, at, all) => kind !== 'accepted' || all[at - 1]?.value === value);
    const end = [
      told(900_000, 900_001, object, 'rejected', 'token-19998'),
      told(900_002, 900_003, object, 'read', 'token-unheard'),
      told(900_004, 900_005, object, 'read', 'none'),
    ];
    const broken = (history: readonly Operation[]) =>
      check(history, { ...atRest, versions: [], bundles: new Map(), runs: [] }, noticed).map(({ what }) => what);
    expect(broken([...long, ...end])).toEqual([]);
    expect(broken([...long.slice(0, 1_000), ...end, told(900_006, 900_007, object, 'accepted', 'token-998')])).toEqual([
      expect.stringContaining('its history is impossible'),
    ]);
  });
});
