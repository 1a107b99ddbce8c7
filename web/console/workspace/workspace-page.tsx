import type { ReactNode } from 'react';
import { addresses } from '../addresses.ts';
import type { Schemas } from '../api/client.ts';
import { useChanges } from '../api/live.ts';
import { useRead } from '../api/reading.ts';
import { NavLinks } from '../parts/nav-links.tsx';
import { Badge } from '../parts/status.tsx';
import { workspaceTabs } from '../sections.ts';
import { Page } from './page.tsx';

export type Workspace = Schemas['client.Workspace'];

interface Props {
  readonly organization: string;
  readonly name: string;
  /** The `path` of the tab, as in `sections.ts`. */
  readonly tab: string;
  /** The heading where the page is about one thing below the tab; the tab is then among the breadcrumbs. */
  readonly title?: string;
  readonly badges?: ReactNode;
  readonly actions?: (workspace: Workspace) => ReactNode;
  readonly children: (workspace: Workspace) => ReactNode;
}

/** The workspace of a page below its address. */
export const useWorkspace = (organization: string, name: string): Workspace =>
  useRead('/organizations/{organization}/workspaces/{name}', { path: { organization, name } }).data;

/** A page of a workspace: its tabs, of which the caller sees those that its permissions allow, and one tab's content. */
export function WorkspacePage({ organization, name, tab, title, badges, actions, children }: Props) {
  const workspace = useWorkspace(organization, name);
  useChanges(`/workspaces/${workspace.id}/changes`);
  const { permissions, locked } = workspace.attributes;
  const current = workspaceTabs.find(({ path }) => path === tab);
  const home = addresses.workspace(organization, name);
  const crumbs = [
    { label: organization, href: addresses.workspaces(organization) },
    { label: name, href: home },
    ...(title !== undefined && current !== undefined
      ? [{ label: current.label, href: addresses.inWorkspace(organization, name, tab) }]
      : []),
  ];
  return (
    <Page
      title={title ?? (tab === '' ? name : (current?.label ?? name))}
      crumbs={tab === '' ? crumbs.slice(0, 1) : crumbs}
      badges={
        <>
          {badges}
          {locked && <Badge tone="warn">locked</Badge>}
        </>
      }
      actions={actions?.(workspace)}
    >
      <NavLinks
        label="Workspace"
        links={workspaceTabs
          .filter(({ when }) => when === undefined || when(permissions))
          .map(({ path, label }) => ({
            href: addresses.inWorkspace(organization, name, path),
            label,
            current: path === tab ? (title === undefined ? 'page' : 'true') : undefined,
          }))}
      />
      {children(workspace)}
    </Page>
  );
}
