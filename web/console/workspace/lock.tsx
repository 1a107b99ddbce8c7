import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { api, included, type Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Time } from '../parts/time.tsx';
import type { Workspace } from './workspace.ts';

const reads = ['/organizations/{organization}/workspaces/{name}', '/organizations/{organization}/workspaces'] as const;

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** Who has locked the workspace, since when and why; or the run that works on it. */
export function LockNotice({ organization, workspace: { attributes, relationships } }: Props) {
  const { name, locked } = attributes;
  const [location] = useLocation();
  const { data } = useMaybeRead(
    '/organizations/{organization}/workspaces/{name}',
    { path: { organization, name }, query: { include: ['locked_by'] } },
    { enabled: locked },
  );
  const holder = relationships['locked-by']?.data ?? null;
  if (!locked || holder === null) return null;
  if (holder.type === 'runs') {
    const run = included<Schemas['client.Run']>(data, 'runs', holder.id);
    const href = addresses.run(organization, name, holder.id);
    // Its own page says what it waits for.
    if (location === href) return null;
    return (
      <p className="notice">
        Locked by the run <Link href={href}>{run?.attributes.message || holder.id}</Link>
      </p>
    );
  }
  const person = included<Schemas['client.Member']>(data, 'users', holder.id)?.attributes.username;
  const team = included<Schemas['client.Team']>(data, 'teams', holder.id)?.attributes.name;
  return (
    <p className="notice">
      Locked by <bdi>{person ?? (team === undefined ? holder.id : `the team ${team}`)}</bdi>{' '}
      <Time at={attributes['locked-at']} />
      {attributes['locked-reason'] !== null && (
        <>
          : <bdi>{attributes['locked-reason']}</bdi>
        </>
      )}
    </p>
  );
}

/** Locks the workspace with a reason, and unlocks it where the caller can: a run unlocks it by its end alone. */
export function LockButtons({ workspace: { id, attributes, relationships } }: { readonly workspace: Workspace }) {
  const { locked, permissions } = attributes;
  const account = useMaybeRead('/account/details', {}).data?.data.id;
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
  const holder = relationships['locked-by']?.data ?? null;
  if (holder === null || holder.type === 'runs') return null;
  if (holder.id === account) {
    return (
      permissions['can-unlock'] && (
        <Confirm
          trigger="Unlock"
          title="Unlock this workspace?"
          confirm="Unlock workspace"
          onConfirm={() => unlock.run(undefined)}
        />
      )
    );
  }
  return (
    permissions['can-force-unlock'] && (
      <Confirm
        trigger="Force unlock"
        title="Force-unlock this workspace?"
        confirm="Force unlock"
        isDanger
        typed={attributes.name}
        onConfirm={() => force.run(undefined)}
      >
        <p>Its holder may be changing the state right now.</p>
      </Confirm>
    )
  );
}
