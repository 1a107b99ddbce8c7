import { describe, expect, it } from '@jest/globals';
import { outcomeFilters } from '../../src/adapters/http/policy-outcomes/policy-outcome-requests.js';
import { Query } from '../../src/adapters/http/routing/query.js';
import { RequestError } from '../../src/adapters/http/routing/request-error.js';
import { enforcementLevels, type OutcomeFilter, outcomeStatuses } from '../../src/domain/index.js';
import { fc, runs } from '../support/properties.js';

type Pair = readonly [name: string, value: string];

const read = (pairs: readonly Pair[]) =>
  outcomeFilters(new Query(new URLSearchParams(pairs.map(([...one]) => one)).toString()));

/** The error a query is refused with; undefined when it is accepted. */
const refusalOf = (pairs: readonly Pair[]) => {
  try {
    read(pairs);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(RequestError);
    const { status, title, faults } = error as RequestError;
    return { status, title, parameters: faults.map(({ parameter }) => parameter) };
  }
};

const refusedFor = (...parameters: string[]) => ({ status: 400, title: 'bad request', parameters });

/** A group of a filter with the spellings of the level it is written in. */
interface Written extends OutcomeFilter {
  readonly token: string;
  readonly spellings: readonly string[];
}

const token = fc
  .string({ minLength: 1, unit: 'grapheme' })
  .filter((text) => !/[[\]]/.test(text) && text.isWellFormed());

const group = fc.record({ token }).chain(({ token: given }) =>
  fc.oneof(
    fc.record({
      token: fc.constant(given),
      status: fc.constantFrom(...outcomeStatuses),
      enforcementLevel: fc.constant(null),
      spellings: fc.constant([]),
    }),
    fc.record({
      token: fc.constant(given),
      status: fc.constantFrom('passed' as const, 'failed' as const),
      enforcementLevel: fc.constantFrom(...enforcementLevels),
      spellings: fc.subarray(['enforcementLevel', 'enforcement_level'], { minLength: 1 }),
    }),
  ),
);

const groups = (maxLength: number, minLength = 0) =>
  fc.uniqueArray(group, { selector: (one) => one.token, minLength, maxLength, size: 'max' });

const pairsOf = ({ token: given, status, enforcementLevel, spellings }: Written): readonly Pair[] => [
  [`filter[${given}][status]`, status],
  ...spellings.map((word): Pair => [`filter[${given}][${word}]`, enforcementLevel ?? '']),
];

const shuffled = (pairs: readonly Pair[]) => fc.shuffledSubarray([...pairs], { minLength: pairs.length });

const inAnyOrder = (filters: readonly OutcomeFilter[]) =>
  filters.map(({ status, enforcementLevel }) => `${status} ${enforcementLevel}`).sort();

/** Parameters that no filter is made of. */
const strangers: readonly Pair[] = [
  ['page[size]', '5'],
  ['include', 'run'],
  ['filters[0][status]', 'x'],
  ['Filter[0][status]', 'x'],
  ['filter.0.status', 'x'],
  ['filterx', 'x'],
  ['', ''],
];

describe('the filter of policy set outcomes', () => {
  it('says what its groups say, in whatever order they are written', () => {
    const written = groups(20).chain((all) =>
      fc.record({ all: fc.constant(all), pairs: shuffled([...all.flatMap(pairsOf), ...strangers]) }),
    );
    fc.assert(
      fc.property(written, ({ all, pairs }) => {
        expect(inAnyOrder(read(pairs))).toEqual(inAnyOrder(all));
      }),
    );
  });

  it('is refused whole for one thing that is wrong with it', () => {
    const wrong = (given: string): readonly (readonly Pair[])[] => {
      const [status, camel, snake] = ['status', 'enforcementLevel', 'enforcement_level'].map(
        (word) => `filter[${given}][${word}]`,
      ) as [string, string, string];
      const malformed = [
        'filter',
        'filter[',
        'filter[]',
        'filter[][status]',
        `filter[${given}]`,
        `filter[${given}][]`,
        `filter[${given}][other]`,
        `filter[${given}][Status]`,
        `filter[${given}][enforcement-level]`,
        `filter[${given}][status][x]`,
        `filter[${given}][status]x`,
        `filter[${given}][status`,
        `filter[[${given}]][status]`,
        `filter[${given}]status`,
      ].map((name): readonly Pair[] => [[name, 'passed']]);
      return [
        ...malformed,
        [[status, '']],
        [[status, 'Passed']],
        [[status, 'passed,failed']],
        [[status, 'overridden']],
        [[camel, 'advisory']],
        [[snake, 'mandatory']],
        // The pair at fault stands last.
        [
          [status, 'failed'],
          [camel, 'soft-mandatory'],
        ],
        [
          [status, 'failed'],
          [snake, ''],
        ],
        [
          [status, 'errored'],
          [camel, 'mandatory'],
        ],
        [
          [status, 'failed'],
          [camel, 'mandatory'],
          [snake, 'advisory'],
        ],
        [
          [status, 'failed'],
          [status, 'failed'],
        ],
        [
          [status, 'failed'],
          [snake, 'advisory'],
          [snake, 'advisory'],
        ],
      ];
    };
    const cases = groups(19).chain((all) =>
      token
        .filter((free) => all.every((one) => one.token !== free))
        .chain((free) => fc.record({ all: fc.constant(all), faulty: fc.constantFrom(...wrong(free)) })),
    );
    fc.assert(
      fc.property(cases, ({ all, faulty }) => {
        const good = all.flatMap(pairsOf);
        const parameter = faulty.at(-1)?.[0] ?? '';
        expect(refusalOf([...good, ...faulty])).toEqual(refusedFor(parameter));
        expect(refusalOf([...faulty, ...good])).toEqual(refusedFor(parameter));
      }),
      { numRuns: runs(300) },
    );
  });

  it('has twenty groups at most', () => {
    fc.assert(
      fc.property(groups(30, 21), (all) => {
        const first = all[20] as Written;
        expect(refusalOf(all.flatMap(pairsOf))).toEqual(refusedFor(`filter[${first.token}][status]`));
        expect(read(all.slice(0, 20).flatMap(pairsOf))).toHaveLength(20);
      }),
      { numRuns: 20 },
    );
  });

  it('is understood or refused, whatever is written', () => {
    const piece = fc.constantFrom('filter', '[', ']', '[0]', '[1]', '[status]', '[enforcement_level]', '=', '&', '%5B');
    const value = fc.constantFrom('passed', 'failed', 'errored', 'advisory', 'mandatory', '%', '+');
    const text = fc.array(fc.oneof(piece, value, fc.string()), { maxLength: 30 }).map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, (query) => {
        try {
          for (const { status, enforcementLevel } of outcomeFilters(new Query(query))) {
            expect(outcomeStatuses).toContain(status);
            expect([null, ...(status === 'errored' ? [] : enforcementLevels)]).toContain(enforcementLevel);
          }
        } catch (error) {
          expect(error).toMatchObject({ name: 'RequestError', status: 400, faults: [{ detail: expect.any(String) }] });
          expect((error as RequestError).faults[0]?.parameter).toMatch(/^filter(\[|$)/);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('is read with its brackets encoded and as they are', () => {
    const one = [{ status: 'failed', enforcementLevel: 'mandatory' }];
    for (const query of [
      'filter[0][status]=failed&filter[0][enforcementLevel]=mandatory',
      'filter%5B0%5D%5Bstatus%5D=failed&filter%5B0%5D%5Benforcement_level%5D=mandatory',
      'filter%5b0%5d%5bstatus%5d=%66ailed&filter[0][enforcement%5Flevel]=mandatory',
    ]) {
      expect(outcomeFilters(new Query(query))).toEqual(one);
    }
    expect(outcomeFilters(new Query(''))).toEqual([]);
  });
});
