import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type QueryOf, type Schemas } from '../api/client.ts';
import { useOrganizationChanges } from '../api/live.ts';
import { useRead } from '../api/reading.ts';
import { useAddressValues, type Values } from '../parts/address-values.ts';
import { Chips } from '../parts/chips.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { useSettled } from '../parts/settled.ts';
import { StatusBadge } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';
import { NewWorkspace } from './new-workspace.tsx';
import { WorkspaceFilters } from './workspace-filters.tsx';

type Workspace = Schemas['client.Workspace'];
type Statuses = QueryOf<'/organizations/{organization}/workspaces'>['filter[current-run][status]'];

export function WorkspacesPage({ params: { organization } }: Params<'organization'>) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  useOrganizationChanges(organization);
  const mayCreate = data.attributes.permissions?.['can-create-workspace'] === true;
  return (
    <Page
      title="Workspaces"
      crumbs={[
        { label: 'Organizations', href: addresses.organizations },
        { label: organization, href: addresses.workspaces(organization) },
      ]}
      actions={mayCreate && <NewWorkspace organization={organization} />}
    >
      <WorkspaceFilters organization={organization} />
      <Workspaces organization={organization} />
    </Page>
  );
}

const queryOf = (values: Values) => ({
  include: ['current_run' as const, 'project' as const],
  'search[name]': values.name ?? '',
  'search[tags]': values.tags?.split(',') ?? [],
  'filter[project][id]': values.project ?? '',
  'filter[current-run][status]': (values.status?.split(',') ?? []) as NonNullable<Statuses>,
  'page[number]': Number(values.page ?? 1),
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
  const isFiltered = Object.keys(values).some((name) => name !== 'page');
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
                {attributes.locked && <StatusBadge status="locked" />}
              </>
            ),
          },
          {
            head: 'Current run',
            cell: (workspace) => {
              const run = runOf(workspace);
              if (run === undefined) return <span className="quiet">none</span>;
              return (
                <Link href={addresses.run(organization, workspace.attributes.name, run.id)}>
                  <StatusBadge status={run.attributes.status} />
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
