import { createHmac, hash } from 'node:crypto';
import { randomText } from '../../../src/adapters/system/random-ids.js';
import { RandomSecrets } from '../../../src/adapters/system/random-secrets.js';

/** The columns of a version's document, in select order. */
export const versionColumns =
  'v.id, v.auto_queue_runs, v.error, v.error_message, v.provisional, v.source, v.speculative, v.status, v.status_timestamps, v.ingress_attributes_id';

/** Flags are 0 and 1 on SQLite. */
type Flag = number | boolean;

export type VersionRow = readonly [
  id: string,
  autoQueueRuns: Flag,
  error: string | null,
  errorMessage: string | null,
  provisional: Flag,
  source: string,
  speculative: Flag,
  status: string,
  statusTimestamps: string,
  ingressAttributesId: string | null,
];

const withoutFiles = new Set(['backing_data_soft_deleted', 'backing_data_permanently_deleted']);

/** Whether a version of this status can be read at all. */
export const readable = (row: VersionRow): boolean => !withoutFiles.has(row[7]);

export function versionDocument(row: VersionRow, uploadUrl?: string): object {
  const [id, autoQueueRuns, error, errorMessage, provisional, source, speculative, status, timestamps, ingress] = row;
  const self = `/configuration-versions/${id}`;
  const attributes = {
    'auto-queue-runs': Boolean(autoQueueRuns),
    error,
    'error-message': errorMessage,
    provisional: Boolean(provisional),
    source,
    speculative: Boolean(speculative),
    status,
    'status-timestamps': JSON.parse(timestamps),
  };
  return {
    id,
    type: 'configuration-version',
    attributes: uploadUrl === undefined ? attributes : { ...attributes, 'upload-url': uploadUrl },
    relationships: {
      'ingress-attributes': {
        data: ingress === null || !readable(row) ? null : { id: ingress, type: 'ingress-attributes' },
        links: { related: `${self}/ingress-attributes` },
      },
    },
    links: status === 'uploaded' ? { self, download: `${self}/download` } : { self },
  };
}

export const newVersionDocument = (
  id: string,
  { autoQueueRuns, speculative, provisional }: NewVersion,
  uploadUrl: string,
): object =>
  versionDocument(
    [id, autoQueueRuns, null, null, provisional, 'tfe-api', speculative, 'pending', '{}', null],
    uploadUrl,
  );

/** The links and metadata of a list, for a first page of twenty. */
export function firstPage(path: string, total: number, data: readonly object[]): object {
  const pages = Math.max(1, Math.ceil(total / pageSize));
  const next = pages > 1 ? 2 : null;
  return {
    data,
    links: {
      self: pageLink(path, 1),
      first: pageLink(path, 1),
      prev: null,
      next: next && pageLink(path, next),
      last: pageLink(path, pages),
    },
    meta: {
      pagination: {
        'current-page': 1,
        'page-size': pageSize,
        'prev-page': null,
        'next-page': next,
        'total-pages': pages,
        'total-count': total,
      },
    },
  };
}

export const pageSize = 20;

const pageLink = (path: string, number: number): string =>
  `${path}?page%5Bnumber%5D=${number}&page%5Bsize%5D=${pageSize}`;

export interface NewVersion {
  readonly autoQueueRuns: boolean;
  readonly speculative: boolean;
  readonly provisional: boolean;
}

export function newVersion(body: unknown): NewVersion {
  const given = (body as { data?: { attributes?: Record<string, unknown> } } | undefined)?.data?.attributes ?? {};
  return {
    autoQueueRuns: given['auto-queue-runs'] !== false,
    speculative: given.speculative === true,
    provisional: given.provisional === true,
  };
}

const signingKey = Buffer.alloc(32, 'a key that signs upload addresses');
const uploadSeconds = 90_000;

export function uploadUrlOf(base: string, id: string, now: number): string {
  const expiry = (Math.floor(now / 1_000) + uploadSeconds).toString(36);
  const signature = createHmac('sha256', signingKey).update(`upload.${id}.${expiry}`).digest('base64url');
  return `${base}/v1/object/${id}.${expiry}.${signature}`;
}

const secrets = new RandomSecrets();

export function newToken() {
  const { secret } = secrets.generate();
  return { id: `at-${randomText(16)}`, secret, digest: hash('sha256', secret), at: new Date().toISOString() };
}

export const tokenDocument = (id: string, secret: string, userId: string, teamId: string, at: string): object => ({
  id,
  type: 'authentication-tokens',
  attributes: { 'created-at': at, 'last-used-at': null, description: null, token: secret, 'expired-at': null },
  relationships: {
    team: { data: { id: teamId, type: 'teams' } },
    'created-by': { data: { id: userId, type: 'users' } },
  },
});

/** The access, and the detailed permissions if it is `custom`. */
export type GrantRow = readonly [id: string, teamId: string, access: string, ...permissions: (string | number)[]];

/** Computed, because an object with this member looks like a promise. */
const fallback = 'then';

const levels: Readonly<Record<string, readonly [string, string, string, string, boolean, boolean]>> = {
  read: ['read', 'read', 'read', 'none', false, false],
  plan: ['plan', 'read', 'read', 'none', false, false],
  write: ['apply', 'write', 'write', 'read', true, false],
  admin: ['apply', 'write', 'write', 'read', true, true],
};

export function grantDocument(workspaceId: string, workspacePath: string, row: GrantRow): object {
  const [id, teamId, access] = row;
  const [runs, variables, stateVersions, policyMocks, workspaceLocking, runTasks] = levels[access] ?? [
    row[3],
    row[4],
    row[5],
    row[6],
    Boolean(row[7]),
    Boolean(row[8]),
  ];
  return {
    id,
    type: 'team-workspaces',
    attributes: {
      access,
      runs,
      variables,
      'state-versions': stateVersions,
      'policy-mocks': policyMocks,
      'workspace-locking': workspaceLocking,
      'run-tasks': runTasks,
      'policy-overrides': false,
      'expires-at': null,
      [fallback]: null,
    },
    relationships: {
      team: { data: { id: teamId, type: 'teams' }, links: { related: `/teams/${teamId}` } },
      workspace: { data: { id: workspaceId, type: 'workspaces' }, links: { related: workspacePath } },
    },
    links: { self: `/team-workspaces/${id}` },
  };
}

export const changedAccess = (body: unknown): string =>
  (body as { data: { attributes: { access: string } } }).data.attributes.access;

/** The ids of the workspace and the version in a document that creates a run. */
export function newRun(body: unknown): readonly [workspaceId: string, versionId: string] {
  const { relationships } = (
    body as { data: { relationships: Record<'workspace' | 'configuration-version', { data: { id: string } }> } }
  ).data;
  return [relationships.workspace.data.id, relationships['configuration-version'].data.id];
}

export const runOptions = JSON.stringify({
  message: 'Queued by the API',
  isDestroy: false,
  refresh: true,
  refreshOnly: false,
  allowEmptyApply: false,
  allowConfigGeneration: false,
  targetAddrs: null,
  replaceAddrs: null,
  variables: [],
  debuggingMode: false,
  terraformVersion: 'latest',
});

export const noResults = JSON.stringify({ advisoryFailed: 0, mandatoryFailed: 0, passed: 0, errored: 0 });

/** The timestamps of a plan-only run, which is queued as it is created, and of its stage. */
export const runTimes = (at: string) => ({
  run: JSON.stringify({ 'plan-queueable-at': at, 'plan-queued-at': at }),
  stage: JSON.stringify({ 'pending-at': at }),
});

export const runDocument = (
  id: string,
  workspaceId: string,
  versionId: string,
  stageId: string,
  at: string,
): object => ({
  id,
  type: 'runs',
  attributes: {
    ...JSON.parse(runOptions),
    'created-at': at,
    'has-changes': false,
    'plan-only': true,
    'save-plan': false,
    'auto-apply': false,
    source: 'tfe-api',
    status: 'plan_queued',
    'status-timestamps': { 'plan-queueable-at': at, 'plan-queued-at': at },
    actions: { 'is-cancelable': true, 'is-confirmable': false, 'is-discardable': false },
  },
  relationships: {
    workspace: { data: { id: workspaceId, type: 'workspaces' } },
    'configuration-version': { data: { id: versionId, type: 'configuration-versions' } },
    'task-stages': { data: [{ id: stageId, type: 'task-stages' }] },
  },
  links: { self: `/runs/${id}` },
});
