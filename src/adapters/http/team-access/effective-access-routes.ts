import type { UseCases } from '../../../application/use-cases.js';
import { answerOne, answerPage } from '../routing/answering.js';
import type { Dialect } from '../routing/dialect.js';
import { pageParameters, pageRequest } from '../routing/pagination.js';
import { oneOf, valuesOf } from '../routing/parameters.js';
import { lists, serving, shows } from '../routing/reference.js';
import { get, ok, parameter, type Route } from '../routing/route.js';
import { bytesInHand } from '../routing/whole-list.js';
import { accessHolderParameters, accessHoldersQuery } from './access-holder-requests.js';
import { accessHoldersDocument, accessHoldersSchema } from './access-holder-resource.js';
import { type ReportFormat, reportFormats, reportText } from './access-report-format.js';
import {
  accessHolder,
  effectiveAccessesParameters,
  effectiveAccessParameters,
  teamsNamed,
} from './effective-access-requests.js';
import { effectiveAccessSchema, presentEffectiveAccess } from './effective-access-resource.js';

const formats = Object.keys(reportFormats) as readonly ReportFormat[];

const reportParameters = {
  format: oneOf(formats, '`csv` by default; `lines` for newline-delimited JSON.'),
};

export const effectiveAccessRoutes = (use: UseCases, dialect: Dialect): Route[] => [
  get(
    '/workspaces/:id/effective-access',
    'effective-access/read',
    shows('showEffectiveAccess', 'Show effective access to a workspace', () => effectiveAccessSchema(dialect), {
      about:
        'For one user or one team: each right on the workspace, whether it is held, and the teams, access levels and permissions that give it. Callers see their own; owners that of every member and team; a workspace admin that of teams with access to the workspace or its project.',
      parameters: effectiveAccessParameters,
    }),
    answerOne(presentEffectiveAccess(dialect), (call) => {
      const holder = accessHolder(call);
      return use.showEffectiveAccess.execute(call.actor, parameter(call, 'id'), holder);
    }),
  ),
  get(
    '/workspaces/:id/effective-access/teams',
    'workspaces/read',
    lists(
      'listEffectiveAccess',
      'List the effective access of teams to a workspace',
      () => effectiveAccessSchema(dialect),
      {
        about: 'By name: the teams whose effective access the caller may see, each as it is shown alone.',
        parameters: effectiveAccessesParameters,
      },
    ),
    answerPage(presentEffectiveAccess(dialect), (call) =>
      use.listEffectiveAccess.execute(call.actor, parameter(call, 'id'), teamsNamed(call), pageRequest(call.query)),
    ),
  ),
  get(
    '/organizations/:organization/who-can',
    'effective-access/list',
    serving(accessHolderParameters, () => ({
      operation: 'listRightHolders',
      summary: 'List who can do something',
      about:
        'People by name, then teams by name, who hold one right on a workspace, a project or the organization, and what gives it: the same as their effective access. Owners and organization tokens see all; a workspace admin sees teams with access to the workspace.',
      query: pageParameters,
      answers: { 200: accessHoldersSchema(dialect) },
      refusals: [400, 422],
    })),
    async (call) => {
      const page = await use.listAccessHolders.execute(call.actor, accessHoldersQuery(call), pageRequest(call.query));
      return ok(accessHoldersDocument(call, page));
    },
  ),
  get(
    '/organizations/:organization/access-report',
    'access-report/read',
    () => ({
      operation: 'readAccessReport',
      summary: 'Read the access report of an organization',
      about:
        'A line for each person and each grant that they have: the membership, permissions of the organization, and access to projects and workspaces. All of one moment. The last line counts the rows. One report at a time per organization; each is recorded in the audit trail.',
      query: reportParameters,
      answers: { 200: { mediaType: reportFormats.csv.mediaType, others: [reportFormats.lines.mediaType] } },
      refusals: [422, 'snapshots/busy'],
    }),
    async (call) => {
      const { format = 'csv' } = valuesOf(reportParameters, call.query);
      const name = parameter(call, 'organization');
      const parts = await use.readAccessReport.execute(call.actor, name);
      const check = async () => use.readAccessReport.recheck(await call.sameActor(), name);
      return {
        status: 200,
        parts: reportText(format, parts, check),
        takes: bytesInHand,
        headers: { 'Content-Type': reportFormats[format].mediaType },
      };
    },
  ),
];
