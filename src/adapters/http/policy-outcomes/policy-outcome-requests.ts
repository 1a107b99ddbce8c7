import { z } from 'zod';
import { enforcementLevels, type OutcomeFilter, outcomeStatuses } from '../../../domain/index.js';
import { limits } from '../routing/limits.js';
import { include } from '../routing/parameters.js';
import type { Query } from '../routing/query.js';
import { RequestError } from '../routing/request-error.js';

export const taskStageParameters = {
  include: include({
    run: ['run'],
    'run.workspace': ['run', 'workspace'],
    policy_evaluations: ['policy-evaluations'],
    task_results: ['task-results'],
  }),
};

const maxGroups = limits.filterGroups.max;

/** The group is any text without brackets. */
const wellFormed = /^filter\[([^[\]]+)\]\[(status|enforcementLevel|enforcement_level)\]$/;

/**
 * For the description of the API, which cannot have parameters whose names the caller chooses: shown for one group,
 * `0`.
 */
export const outcomeFilterParameters = {
  'filter[0][status]': z.enum(outcomeStatuses).optional().meta({
    description: 'Only outcomes with this status. Add groups `1`, `2` and so on to combine alternatives.',
  }),
  'filter[0][enforcementLevel]': z.enum(enforcementLevels).optional().meta({
    description:
      'Only outcomes with this enforcement level. Requires `passed` or `failed` as the status of the same group.',
  }),
};

/** One parameter of a filter. */
interface Term {
  readonly parameter: string;
  readonly group: string;
  readonly asked: 'status' | 'level';
  readonly value: string;
}

const refused = (parameter: string, detail: string): RequestError =>
  new RequestError(400, 'bad request', [{ parameter, detail }]);

const oneOf = <Word extends string>(words: readonly Word[], { parameter, value }: Term): Word => {
  const word = words.find((known) => known === value);
  if (word === undefined) throw refused(parameter, `${parameter} must be one of ${words.join(', ')}`);
  return word;
};

/**
 * Parses `filter[<group>][status]` and `filter[<group>][enforcementLevel]`, group by group. Throws a 400 that names the
 * first invalid parameter: none of this grammar is ignored.
 */
export function outcomeFilters(query: Query): readonly OutcomeFilter[] {
  const terms = query
    .all()
    .filter(([name]) => name === 'filter' || name.startsWith('filter['))
    .map(termOf);
  terms.forEach(({ parameter }, index) => {
    if (terms.findIndex((other) => other.parameter === parameter) < index) {
      throw refused(parameter, `${parameter} may be given only once`);
    }
  });
  const groups = [...Map.groupBy(terms, ({ group }) => group).values()];
  const beyond = groups[maxGroups]?.[0];
  if (beyond !== undefined) throw refused(beyond.parameter, `filter may have at most ${maxGroups} groups`);
  return groups.map(filterOf);
}

function termOf([parameter, value]: readonly [string, string]): Term {
  const [, group, word] = wellFormed.exec(parameter) ?? [];
  if (group === undefined) {
    throw refused(parameter, 'filter must be written filter[<group>][status] or filter[<group>][enforcementLevel]');
  }
  return { parameter, group, asked: word === 'status' ? 'status' : 'level', value };
}

/** The level has two spellings, which may both be given. */
function filterOf(terms: readonly Term[]): OutcomeFilter {
  const [level, otherSpelling] = terms.filter(({ asked }) => asked === 'level');
  const stated = terms.find(({ asked }) => asked === 'status');
  const enforcementLevel = level === undefined ? null : oneOf(enforcementLevels, level);
  if (otherSpelling !== undefined && oneOf(enforcementLevels, otherSpelling) !== enforcementLevel) {
    throw refused(
      otherSpelling.parameter,
      `${otherSpelling.parameter} and ${level?.parameter} are the same parameter and must have the same value`,
    );
  }
  const status = stated && oneOf(outcomeStatuses, stated);
  if (status === undefined || (level !== undefined && status === 'errored')) {
    const parameter = level?.parameter ?? 'filter';
    throw refused(parameter, `${parameter} requires a status of passed or failed in the same group`);
  }
  return { status, enforcementLevel };
}
