import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type QueryOf, type Schemas } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { pageQuery, useAddressValues, type Values } from '../parts/address-values.ts';
import { SelectField } from '../parts/field.tsx';
import { FilterBar, FilterField } from '../parts/filters.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { useSettled } from '../parts/settled.ts';
import { StatusBadge } from '../parts/status.tsx';
import { runGroupChoices, runStatusesIn } from '../parts/status-words.ts';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { operations } from '../run/operations.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { WorkspacePage } from '../workspace/workspace-page.tsx';

type Query = QueryOf<'/workspaces/{workspaceId}/runs'>;

export const RunsPage = ({ params: { organization, workspace: name } }: Params<'organization' | 'workspace'>) => (
  <WorkspacePage organization={organization} name={name} tab="runs">
    {(workspace) => (
      <>
        <Filters />
        <Runs organization={organization} workspace={workspace} />
      </>
    )}
  </WorkspacePage>
);

function Filters() {
  const [values, change] = useAddressValues();
  return (
    <FilterBar of="Runs">
      <FilterField label="Message or ID" value={values.text} onChange={(text) => change({ text })} />
      <SelectField
        label="Status"
        value={values.status ?? ''}
        choices={runGroupChoices}
        onChange={(status) => change({ status })}
      />
      <SelectField label="Kind" value={values.kind ?? ''} choices={operations} onChange={(kind) => change({ kind })} />
    </FilterBar>
  );
}

/** The values of the address; the service refuses what is not among its own. */
const queryOf = (values: Values): Query => ({
  include: ['created_by'],
  'search[basic]': values.text ?? '',
  'filter[status]': runStatusesIn(values.status),
  ...(values.kind ? { 'filter[operation]': [values.kind] as NonNullable<Query['filter[operation]']> } : {}),
  ...pageQuery(values),
});

function Runs({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const [values] = useAddressValues();
  const options = useSettled({ path: { workspaceId: workspace.id }, query: queryOf(values) });
  const list = useRead('/workspaces/{workspaceId}/runs', options);
  const nameOf = ({ relationships }: Schemas['client.Run']) =>
    included<Schemas['client.Member']>(list, 'users', relationships['created-by'].data?.id)?.attributes.username;
  return (
    <>
      <Table
        caption="Runs"
        rows={list.data}
        keyOf={({ id }) => id}
        empty={<p>No runs.</p>}
        columns={[
          {
            head: 'Run',
            cell: ({ id, attributes }) => (
              <Link href={addresses.run(organization, workspace.attributes.name, id)}>{attributes.message || id}</Link>
            ),
          },
          { head: 'Status', cell: ({ attributes }) => <StatusBadge of="run" status={attributes.status} /> },
          { head: 'Created by', cell: (run) => nameOf(run) ?? <span className="quiet">the service</span> },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          { head: 'ID', cell: ({ id }) => <code>{id}</code> },
        ]}
      />
      <Pager pagination={list.meta.pagination} what="Runs" />
    </>
  );
}
