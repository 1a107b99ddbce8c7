import type { Readable } from '../../api/client.ts';

/** The reads that an action on a run, or a change of its status, makes outdated. */
export const changed: readonly Readable[] = [
  '/runs/{id}',
  '/runs/{id}/run-events',
  '/runs/{runId}/task-stages',
  '/task-stages/{id}',
  '/workspaces/{workspaceId}/runs',
  '/organizations/{organization}/workspaces',
  '/organizations/{organization}/workspaces/{name}',
];
