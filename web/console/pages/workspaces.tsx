import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type Schemas } from '../api/client.ts';
import { useOrganizationChanges } from '../api/live.ts';
import { useRead } from '../api/reading.ts';
import { pageQuery, useAddressValues, type Values } from '../parts/address-values.ts';
import { Chips } from '../parts/chips.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { useSettled } from '../parts/settled.ts';
import { Badge, StatusBadge } from '../parts/status.tsx';
import { runStatusesIn } from '../parts/status-words.ts';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';
import { NewWorkspace } from '../workspace/new-workspace.tsx';
import { sortIn, WorkspaceFilters } from './workspaces/workspace-filters.tsx';

type Workspace = Schemas['client.Workspace'];

export function WorkspacesPage({ params: { organization } }: Params<'organization'>) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  useOrganizationChanges(organization);
  const mayCreate = data.attributes.permissions?.['can-create-workspace'] === true;
  return (
    <Page
      title="Workspaces"
      crumbs={[{ label: organization, href: addresses.home(organization) }]}
      actions={mayCreate && <NewWorkspace organization={organization} />}
    >
      <WorkspaceFilters organization={organization} />
      <Workspaces organization={organization} />
    </Page>
  );
}

const queryOf = (values: Values, sort = sortIn(values)) => ({
  ...(sort !== undefined && { sort }),
  include: ['current_run' as const, 'project' as const],
  'search[name]': values.name ?? '',
  'search[tags]': values.tags?.split(',') ?? [],
  'filter[project][id]': values.project ?? '',
  'filter[current-run][status]': runStatusesIn(values.status),
  ...pageQuery(values),
});

function Workspaces({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const list = useRead(
    '/organizations/{organization}/workspaces',
    useSettled({ path: { organization }, query: queryOf(values) }),
  );
  const runOf = ({ relationships }: Workspace) =>
    included<Schemas['client.Run']>(list, 'runs', relationships['current-run']?.data?.id);
  const projectOf = ({ relationships }: Workspace) =>
    included<Schemas['client.Project']>(list, 'projects', relationships.project.data.id);
  const isFiltered = Object.keys(values).some((name) => name !== 'page' && name !== 'sort');
  return (
    <>
      <Table
        caption="Workspaces"
        rows={list.data}
        keyOf={({ id }) => id}
        empty={<p>{isFiltered ? 'No workspace matches the filters.' : 'There are no workspaces yet.'}</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ attributes }) => (
              <>
                <Link href={addresses.workspace(organization, attributes.name)}>{attributes.name}</Link>
                {attributes.locked && <Badge tone="warn">locked</Badge>}
              </>
            ),
          },
          {
            head: 'Latest run',
            cell: (workspace) => {
              const run = runOf(workspace);
              if (run === undefined) return <WithoutEffect organization={organization} workspace={workspace} />;
              return (
                <Link href={addresses.run(organization, workspace.attributes.name, run.id)}>
                  <StatusBadge of="run" status={run.attributes.status} />
                </Link>
              );
            },
          },
          { head: 'Project', cell: (workspace) => projectOf(workspace)?.attributes.name },
          { head: 'Tags', cell: ({ attributes }) => <Chips texts={attributes['tag-names']} /> },
          { head: 'Changed', cell: ({ attributes }) => <Time at={attributes['updated-at']} /> },
        ]}
      />
      <Pager pagination={list.meta.pagination} what="Workspaces" />
    </>
  );
}

/** For a workspace whose runs all planned only, or ended before it was their turn: the last of them. */
function WithoutEffect({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const { attributes, relationships } = workspace;
  const latest = relationships['latest-run']?.data?.id;
  if (latest === undefined) return <span className="quiet">none</span>;
  return <Link href={addresses.run(organization, attributes.name, latest)}>planned only, or discarded</Link>;
}
