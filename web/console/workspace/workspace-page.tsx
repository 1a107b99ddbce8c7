import type { ReactNode } from 'react';
import { addresses } from '../addresses.ts';
import { useChanges } from '../api/live.ts';
import { useRead } from '../api/reading.ts';
import { workspaceTabs } from '../sections.ts';
import { Page } from '../shell/page.tsx';
import type { Workspace } from './workspace.ts';
import { WorkspaceHeader } from './workspace-header.tsx';

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

/** A page of a workspace: its header with the tabs that the permissions of the caller allow, and one tab's content. */
export function WorkspacePage({ organization, name, tab, title, badges, actions, children }: Props) {
  const workspace = useWorkspace(organization, name);
  useChanges(`/workspaces/${workspace.id}/changes`);
  const current = workspaceTabs.find(({ path }) => path === tab);
  const isOverview = tab === '' && title === undefined;
  const home = addresses.workspace(organization, name);
  const crumbs = [
    { label: organization, href: addresses.home(organization) },
    { label: name, href: home },
    ...(title !== undefined && current !== undefined
      ? [{ label: current.label, href: addresses.inWorkspace(organization, name, tab) }]
      : []),
  ];
  return (
    <Page
      title={title ?? (isOverview ? name : (current?.label ?? name))}
      crumbs={isOverview ? crumbs.slice(0, 1) : crumbs}
      above={(heading) => (
        <WorkspaceHeader
          organization={organization}
          workspace={workspace}
          tab={tab}
          isBelow={title !== undefined}
          heading={isOverview ? heading : undefined}
        />
      )}
      isTitledAbove={isOverview}
      badges={badges}
      actions={actions?.(workspace)}
    >
      {children(workspace)}
    </Page>
  );
}
