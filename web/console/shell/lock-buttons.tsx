import { api } from '../api/client.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import type { Workspace } from './workspace-page.tsx';

const reads = ['/organizations/{organization}/workspaces/{name}', '/organizations/{organization}/workspaces'] as const;

/** Locks the workspace with a reason, and unlocks it. */
export function LockButtons({ workspace: { id, attributes } }: { readonly workspace: Workspace }) {
  const { locked, permissions } = attributes;
  const lock = useChange(
    (reason: string) => api.post('/workspaces/{id}/actions/lock', { path: { id }, body: { reason } }),
    { done: 'The workspace is locked.', outdates: reads },
  );
  const unlock = useChange(() => api.post('/workspaces/{id}/actions/unlock', { path: { id } }), {
    done: 'The workspace is unlocked.',
    outdates: reads,
  });
  const force = useChange(() => api.post('/workspaces/{id}/actions/force-unlock', { path: { id } }), {
    done: 'The workspace is unlocked.',
    outdates: reads,
  });
  if (!locked) {
    return (
      permissions['can-lock'] && (
        <Confirm
          trigger="Lock"
          title="Lock this workspace?"
          confirm="Lock workspace"
          comment="Reason (optional)"
          onConfirm={lock.run}
        >
          <p>While it is locked, no run changes its state.</p>
        </Confirm>
      )
    );
  }
  return (
    <>
      {permissions['can-unlock'] && (
        <Confirm
          trigger="Unlock"
          title="Unlock this workspace?"
          confirm="Unlock workspace"
          onConfirm={() => unlock.run(undefined)}
        />
      )}
      {permissions['can-force-unlock'] && (
        <Confirm
          trigger="Force unlock"
          title="Unlock this workspace for another?"
          confirm="Force unlock"
          isDanger
          typed={attributes.name}
          onConfirm={() => force.run(undefined)}
        >
          <p>The lock may belong to a person or run that is changing the state right now.</p>
        </Confirm>
      )}
    </>
  );
}
