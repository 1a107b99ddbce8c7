import type { Readable } from '../api/client.ts';

/** The reads that an action on a run, or a change of its status, makes outdated. */
export const outdatedByRuns: readonly Readable[] = [
  '/runs/{id}',
  '/runs/{id}/run-events',
  '/runs/{id}/deciding-teams',
  '/runs/{runId}/task-stages',
  '/task-stages/{id}',
  '/workspaces/{workspaceId}/runs',
  '/organizations/{organization}/workspaces',
  '/organizations/{organization}/workspaces/{name}',
  '/organizations/{organization}/runs',
  '/organizations/{organization}/attention',
  '/attention',
];

/** The same for an action on a configuration version. */
export const outdatedByVersions: readonly Readable[] = [
  '/workspaces/{workspaceId}/configuration-versions',
  '/organizations/{organization}/workspaces/{name}',
  '/workspaces/{workspaceId}/runs',
];
