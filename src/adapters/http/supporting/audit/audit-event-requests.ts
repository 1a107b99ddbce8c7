import { z } from 'zod';
import type { AuditFilter, PageRequest } from '../../../../application/index.js';
import type { Instant } from '../../../../domain/index.js';
import { errorTable } from '../../routing/error-table.js';
import { limits } from '../../routing/limits.js';
import { pageParameters, pageRequest } from '../../routing/pagination.js';
import { oneOf, textual, valuesOf } from '../../routing/parameters.js';
import { invalidParameter } from '../../routing/request-error.js';
import type { Call } from '../../routing/route.js';

const wellFormedId = /^ae-[0-9A-Za-z-]{1,60}$/;
const dateTime = z.iso.datetime({ offset: true });

const instantIn = ({ query }: Call, name: string): Instant | undefined => {
  const text = query.one(name);
  if (text === undefined) return undefined;
  if (!dateTime.safeParse(text).success) {
    throw invalidParameter(name, `${name} must be an ISO 8601 date-time, such as 2030-01-31T09:00:00Z`);
  }
  return new Date(text).toISOString();
};

/** A change, any refusal, or the code of one. */
const outcomes = ['done', 'refused', ...(Object.keys(errorTable) as (keyof typeof errorTable)[])] as const;

const servedFilters = {
  'filter[actor]': textual('The id of the actor: a user, a team, an organization or an agent pool.'),
  'filter[user]': textual('The username of the person who acted, also of a deleted one.'),
  'filter[workspace]': textual(
    'The id of the workspace that the events concern. Events recorded before the release that introduced this filter are left out.',
  ),
  'filter[action]': textual('The action, such as `team-access/update`.'),
  'filter[outcome]': oneOf(outcomes, '`done` for changes, `refused` for refusals, or the code of a refusal.'),
  'filter[routine]': oneOf(
    ['hidden', 'shown'],
    '`hidden` leaves out routine: what agents claim and report. Refusals are always shown. Default: `shown`.',
  ),
};

/** Throws a 422 for a value that is not a date-time or not one of those served. */
export const auditFilter = (call: Call, oldestFirst: boolean): AuditFilter => {
  const values = valuesOf(servedFilters, call.query);
  return {
    actorId: values['filter[actor]'],
    username: values['filter[user]'],
    workspaceId: values['filter[workspace]'],
    action: values['filter[action]'],
    outcome: values['filter[outcome]'],
    withoutRoutine: values['filter[routine]'] === 'hidden',
    since: instantIn(call, 'since'),
    until: instantIn(call, 'until'),
    oldestFirst,
  };
};

/** Throws a 422 for a cursor that no page of this service ends with. */
export const auditPart = ({ query }: Call): { readonly after: string | undefined; readonly limit: number } => {
  const after = query.one('page[after]');
  if (after !== undefined && !wellFormedId.test(after)) {
    throw invalidParameter('page[after]', 'page[after] must be the id of an audit event');
  }
  return { after, limit: pageRequest(query).size };
};

const instant = (description: string) =>
  z.string().optional().meta({ description, format: 'date-time', example: '2030-01-31T09:00:00Z' });

export const filterParameters = servedFilters;

export const siteFilterParameters = {
  ...filterParameters,
  'filter[organization]': textual(
    'The id of a deleted organization. Returns its remaining events instead of those of the site.',
  ),
};

/** For the description of the API. */
export const timeParameters = {
  since: instant('Only events at or after this time.'),
  until: instant('Only events before this time.'),
};

/** Collectors of audit trails request pages of 1000, which is therefore the default. */
const trailsPerPage = limits.auditTrails.max;

/** The requested page of the audit trails. Throws a 422 for a value that is out of range or not a date-time. */
export const trailsRequest = (call: Call): { readonly since: Instant | undefined; readonly page: PageRequest } => ({
  since: instantIn(call, 'since'),
  page: pageRequest(call.query, trailsPerPage, trailsPerPage),
});

/** For the description of the API. */
export const trailParameters = {
  since: timeParameters.since,
  'page[number]': pageParameters['page[number]'],
  'page[size]': z
    .int()
    .min(1)
    .max(trailsPerPage)
    .optional()
    .meta({
      description: `Events per page (default ${trailsPerPage}, at most ${trailsPerPage}).`,
      example: trailsPerPage,
    }),
};
