import { z } from 'zod';
import { maxOutcomeDays, outcomeGroups, type PolicyOutcomesQuery } from '../../../application/index.js';
import { oneOf, valuesOf } from '../routing/parameters.js';
import { type Call, parameter } from '../routing/route.js';

const isDay = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && new Date(text).toISOString().startsWith(text);

const flagged = z.enum(['true', 'false'], { error: 'must be true or false' }).optional();

export const outcomeCountParameters = {
  'filter[from]': z
    .string()
    .refine(isDay, 'must be a day, such as 2029-12-31')
    .optional()
    .meta({
      description: `The first day, in UTC, among the last ${maxOutcomeDays}; the last one is today. Default: 29 days ago.`,
      examples: ['2029-12-31'],
    }),
  'filter[speculative]': flagged.meta({
    description: 'Whether runs that cannot be applied count too. Default: `false`.',
  }),
};

export const groupParameter = { group: oneOf(outcomeGroups, 'The group of each count. Default: `policy`.') };

export function policyOutcomesQuery(call: Call): PolicyOutcomesQuery {
  const { 'filter[from]': from, 'filter[speculative]': speculative } = valuesOf(outcomeCountParameters, call.query);
  const { group = 'policy' } = valuesOf(groupParameter, call.query);
  return {
    organizationName: parameter(call, 'organization'),
    from,
    group,
    speculative: speculative === 'true',
  };
}
