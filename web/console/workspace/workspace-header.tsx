import type { RefObject } from 'react';
import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { NavLinks } from '../parts/nav-links.tsx';
import { Badge, StatusBadge } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { workspaceTabs } from '../sections.ts';
import { LockButtons, LockNotice } from './lock.tsx';
import { NewRun } from './new-run.tsx';
import { NewVersion } from './new-version.tsx';
import type { Workspace } from './workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
  /** The `path` of the tab, as in `sections.ts`. */
  readonly tab: string;
  /** Whether the page is about one thing below the tab. */
  readonly isBelow: boolean;
  /** Gets the name, where the page has no heading of its own. */
  readonly heading: RefObject<HTMLHeadingElement | null> | undefined;
}

/** Stands on every tab of a workspace: its name, lock and latest run, what starts a run, and the tabs. */
export function WorkspaceHeader({ organization, workspace, tab, isBelow, heading }: Props) {
  const { attributes, relationships } = workspace;
  const { name, locked, permissions } = attributes;
  const latest = relationships['latest-run']?.data?.id;
  return (
    <>
      <div className="heading workspace-heading">
        <h1 ref={heading} tabIndex={-1} className="workspace-name">
          {name}
        </h1>
        {locked && <Badge tone="warn">locked</Badge>}
        {/* The overview shows it with its stages. */}
        {latest !== undefined && tab !== '' && <LatestRun organization={organization} name={name} id={latest} />}
        <div className="actions">
          <LockButtons workspace={workspace} />
          {permissions['can-create-configuration-version'] && <NewVersion workspaceId={workspace.id} />}
          <NewRun organization={organization} workspace={workspace} kind={isBelow ? 'plain' : 'main'} />
        </div>
      </div>
      <LockNotice organization={organization} workspace={workspace} />
      <NavLinks
        label="Workspace"
        links={workspaceTabs
          .filter(({ when }) => when === undefined || when(permissions))
          .map(({ path, label }) => ({
            href: addresses.inWorkspace(organization, name, path),
            label,
            current: path === tab ? (isBelow ? 'true' : 'page') : undefined,
          }))}
      />
    </>
  );
}

interface LatestRunProps {
  readonly organization: string;
  /** The workspace's. */
  readonly name: string;
  readonly id: string;
}

function LatestRun({ organization, name, id }: LatestRunProps) {
  const [location] = useLocation();
  const run = useMaybeRead('/runs/{id}', { path: { id } }).data?.data.attributes;
  const href = addresses.run(organization, name, id);
  // Its own page says the same.
  if (run === undefined || location === href) return null;
  return (
    <p className="latest-run">
      <Link href={href}>
        Latest run <StatusBadge of="run" status={run.status} />
      </Link>{' '}
      <Time at={run['created-at']} />
    </p>
  );
}
