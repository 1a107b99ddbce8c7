import type { Prefix } from './api.js';

/** A word that is one in the contract and another one for clients. */
export type PerDialect = string | Readonly<Record<Prefix, string>>;

/** The contents of a response, besides its status. */
export type SpecifiedAnswer =
  /** A document of one resource, or of a list; where it matters, of an empty one or of one that is not. */
  | { readonly kind: 'one'; readonly type: PerDialect }
  | { readonly kind: 'list'; readonly type: PerDialect; readonly empty?: boolean }
  /** No body at all. */
  | { readonly kind: 'nothing' }
  /** No body, and a `Location`. */
  | { readonly kind: 'redirect' }
  /** A document of one error. */
  | { readonly kind: 'error'; readonly title: string; readonly detail: string | RegExp };

export interface SpecifiedEndpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** As the specification writes it. */
  readonly path: string;
  readonly mounts: readonly Prefix[];
  /** Whether it answers 401 to a caller without a token. */
  readonly token: boolean;
  /** Each by its status, and by when it is given where there is more than one of that status. */
  readonly answers: Readonly<Record<string, SpecifiedAnswer>>;
}

const both = ['', '/api/v2'] as const;
const clientsOnly = ['/api/v2'] as const;

const one = (type: PerDialect) => ({ kind: 'one', type }) as const;
const list = (type: PerDialect, empty?: boolean) =>
  ({ kind: 'list', type, ...(empty === undefined ? {} : { empty }) }) as const;
const nothing = { kind: 'nothing' } as const;
const redirect = { kind: 'redirect' } as const;

const error = (title: string, detail: string | RegExp) => ({ kind: 'error', title, detail }) as const;
const notFound = error('not found', 'resource not found');
const lacking = (right: string) => error('not found', `not authorized: requires ${right}`);
const badRequest = (detail: string) => error('bad request', detail);
const invalid = (detail: string | RegExp) => error('invalid attribute', detail);
const notAllowed = (detail: string) => error('transition not allowed', detail);

const configurationVersion = { '': 'configuration-version', '/api/v2': 'configuration-versions' } as const;
const listedTeamToken = { '': 'team-tokens', '/api/v2': 'authentication-tokens' } as const;

const inBody = error('not found', /^(Workspace|Team) does not exist, or you cannot see it: check its id$/);
const missingInBody = { '404 not found': inBody, '404 unauthorized': inBody } as const;
const missing = { '404 not found': notFound, '404 unauthorized': notFound } as const;

const backingData = (done: string, status: string) =>
  ({
    '200': nothing,
    '400 not in the right state': notAllowed(`configuration could not be ${done} because its status is ${status}`),
    ...missing,
  }) as const;

/**
 * The specification's list of endpoints, area by area, with every status it names; where it says that a refusal is not
 * shown, with the one that was decided on.
 */
export const specifiedEndpoints = [
  // Policy evaluations and their outcomes.
  {
    method: 'GET',
    path: '/task-stages/:task_stage_id/policy-evaluations',
    mounts: both,
    token: true,
    answers: { '200': list('policy-evaluations', false), ...missing },
  },
  {
    method: 'GET',
    path: '/policy-evaluations/:policy_evaluation_id/policy-set-outcomes',
    mounts: both,
    token: true,
    answers: {
      '200': list('policy-set-outcomes', false),
      '400 bad filter': badRequest('filter[0][status] must be one of passed, failed, errored'),
      ...missing,
    },
  },
  {
    method: 'GET',
    path: '/policy-set-outcomes/:policy_set_outcome_id',
    mounts: both,
    token: true,
    answers: { '200': one('policy-set-outcomes'), ...missing },
  },

  // Team tokens.
  {
    method: 'POST',
    path: '/teams/:team_id/authentication-token',
    mounts: both,
    token: true,
    answers: {
      '201': one('authentication-tokens'),
      ...missing,
      '422': invalid('Expired at must be an ISO 8601 date-time in UTC, such as 2030-01-31T09:00:00Z'),
    },
  },
  {
    method: 'DELETE',
    path: '/teams/:team_id/authentication-token',
    mounts: both,
    token: true,
    answers: { '204': nothing, ...missing, '404 no token': notFound },
  },
  {
    method: 'GET',
    path: '/organizations/:organization_name/team-tokens',
    mounts: both,
    token: true,
    answers: {
      '200 with tokens': list(listedTeamToken, false),
      '200 without tokens': list(listedTeamToken, true),
      ...missing,
    },
  },
  {
    method: 'GET',
    path: '/teams/:team_id/authentication-token',
    mounts: both,
    token: true,
    answers: { '200': one('authentication-tokens'), ...missing, '404 no token': notFound },
  },
  {
    method: 'GET',
    path: '/authentication-tokens/:token_id',
    mounts: both,
    token: true,
    answers: { '200': one('authentication-tokens'), ...missing },
  },

  // Configuration versions.
  {
    method: 'GET',
    path: '/workspaces/:workspace_id/configuration-versions',
    mounts: both,
    token: true,
    answers: { '200': list(configurationVersion, false), ...missing },
  },
  {
    method: 'GET',
    path: '/configuration-versions/:configuration-id',
    mounts: both,
    token: true,
    answers: {
      '200': one(configurationVersion),
      '400 bad include': badRequest('Invalid include parameter'),
      ...missing,
    },
  },
  {
    method: 'GET',
    path: '/configuration-versions/:configuration-id/ingress-attributes',
    mounts: both,
    token: true,
    answers: { '200': one('ingress-attributes'), ...missing, '404 not from version control': notFound },
  },
  {
    method: 'POST',
    path: '/workspaces/:workspace_id/configuration-versions',
    mounts: both,
    token: true,
    answers: {
      '201': one(configurationVersion),
      ...missing,
      '404 organization token': lacking('runs: plan'),
      '422': invalid('Speculative must be a boolean'),
    },
  },
  {
    method: 'PUT',
    path: '{upload_url}/v1/object/<object_id>',
    mounts: both,
    token: false,
    answers: {
      '200': nothing,
      '404': error('not found', /^the upload URL has expired or was altered/),
      '409': notAllowed(
        'configuration could not be uploaded because its status is archived; upload to a new configuration version',
      ),
      '413': error('payload too large', /larger than/),
      '422': error('invalid archive', /./),
    },
  },
  {
    method: 'POST',
    path: '/configuration-versions/:configuration-id/actions/archive',
    mounts: both,
    token: true,
    answers: {
      '202': nothing,
      ...missing,
      '409 non-archivable state': notAllowed('configuration could not be archived because its status is pending'),
      '409 version control': notAllowed(
        'configuration could not be archived because it was created from version control',
      ),
      '409 current': notAllowed('configuration could not be archived because it is current'),
      '409 run in progress': notAllowed('configuration could not be archived because a run in progress uses it'),
    },
  },
  {
    method: 'GET',
    path: '/configuration-versions/:configuration-id/download',
    mounts: both,
    token: true,
    answers: { '302': redirect, ...missing, '404 not uploaded': notFound },
  },
  {
    method: 'GET',
    path: '/runs/:run_id/configuration-version/download',
    mounts: both,
    token: true,
    answers: { '302': redirect, ...missing, '404 not uploaded': notFound },
  },
  {
    method: 'POST',
    path: '/configuration-versions/:configuration-id/actions/soft_delete_backing_data',
    mounts: clientsOnly,
    token: true,
    answers: {
      ...backingData('soft deleted', 'pending'),
      '400 version control': notAllowed(
        'configuration could not be soft deleted because it was created from version control',
      ),
      '400 current': notAllowed('configuration could not be soft deleted because it is current'),
      '400 run in progress': notAllowed('configuration could not be soft deleted because a run in progress uses it'),
    },
  },
  {
    method: 'POST',
    path: '/configuration-versions/:configuration-id/actions/restore_backing_data',
    mounts: clientsOnly,
    token: true,
    answers: backingData('restored', 'uploaded'),
  },
  {
    method: 'POST',
    path: '/configuration-versions/:configuration-id/actions/permanently_delete_backing_data',
    mounts: clientsOnly,
    token: true,
    answers: backingData('permanently deleted', 'uploaded'),
  },

  // Team access.
  {
    method: 'GET',
    path: '/team-workspaces',
    mounts: both,
    token: true,
    answers: {
      '200': list('team-workspaces', false),
      ...missing,
      '422 missing filter': invalid('filter[workspace][id] is required'),
    },
  },
  {
    method: 'GET',
    path: '/team-workspaces/:id',
    mounts: both,
    token: true,
    answers: { '200': one('team-workspaces'), ...missing },
  },
  {
    method: 'POST',
    path: '/team-workspaces',
    mounts: both,
    token: true,
    answers: { '200': one('team-workspaces'), ...missingInBody, '422': invalid(/^Access must be one of /) },
  },
  {
    method: 'PATCH',
    path: '/team-workspaces/:id',
    mounts: both,
    token: true,
    answers: { '200': one('team-workspaces'), ...missing, '422': invalid(/^Access must be one of /) },
  },
  {
    method: 'DELETE',
    path: '/team-workspaces/:id',
    mounts: both,
    token: true,
    answers: { '204': nothing, ...missing },
  },
] as const satisfies readonly SpecifiedEndpoint[];

type Row = (typeof specifiedEndpoints)[number];

/** For each endpoint and each of its answers one `Way`; a missing one and one too many do not compile. */
export type ForEveryAnswer<Way> = {
  readonly [R in Row as `${R['method']} ${R['path']}`]: Readonly<Record<keyof R['answers'] & string, Way>>;
};

export const nameOf = ({ method, path }: Pick<SpecifiedEndpoint, 'method' | 'path'>): string => `${method} ${path}`;
