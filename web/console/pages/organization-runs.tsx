import { useState } from 'react';
import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type QueryOf, type Schemas } from '../api/client.ts';
import { useMaybeRead, useRead } from '../api/reading.ts';
import { pageOf, pageQuery, useAddressValues, type Values } from '../parts/address-values.ts';
import { FilterChips } from '../parts/chips.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterBar, FilterField } from '../parts/filters.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { PickerOfNames } from '../parts/picker.tsx';
import { useSettled } from '../parts/settled.ts';
import { StatusBadge } from '../parts/status.tsx';
import { runGroupChoices, runStatusesIn } from '../parts/status-words.ts';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { operations } from '../run/operations.ts';
import { OrganizationPage } from '../shell/organization-page.tsx';

const list = '/organizations/{organization}/runs';
type Query = QueryOf<typeof list>;
type Run = Schemas['client.Run'];

/** The causes of a run. */
const sources: Readonly<Record<Run['attributes']['source'], string>> = {
  'tfe-api': 'A person or a program',
  'tfe-configuration-version': 'A new configuration version',
  'tfe-run-trigger': 'A run of another workspace',
};
const sourceChoices = [
  { value: '', label: 'Any' },
  ...Object.entries(sources).map(([value, label]) => ({ value, label })),
];
const isSource = (text = ''): text is keyof typeof sources => Object.hasOwn(sources, text);

/** Runs of the workspaces that the caller may read; what filters them is in the address. */
export const OrganizationRunsPage = ({ params: { organization } }: Params<'organization'>) => (
  <OrganizationPage organization={organization} section="runs">
    {() => (
      <>
        <Filters organization={organization} />
        <Runs organization={organization} />
      </>
    )}
  </OrganizationPage>
);

const namesIn = ({ workspaces = '' }: Values): readonly string[] => workspaces.split(',').filter((name) => name !== '');

function Filters({ organization }: { readonly organization: string }) {
  const [values, change] = useAddressValues();
  const names = namesIn(values);
  const choose = (chosen: readonly string[]): void => change({ workspaces: chosen.join(',') });
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
      <SelectField
        label="Started by"
        value={values.source ?? ''}
        choices={sourceChoices}
        onChange={(source) => change({ source })}
      />
      <WorkspacePicker organization={organization} chosen={names} onChoose={(name) => choose([...names, name])} />
      <FilterChips what="workspace" names={names} onRemove={(name) => choose(names.filter((one) => one !== name))} />
    </FilterBar>
  );
}

interface PickerProps {
  readonly organization: string;
  readonly chosen: readonly string[];
  readonly onChoose: (name: string) => void;
}

/** A field for one more workspace. */
function WorkspacePicker({ organization, chosen, onChoose }: PickerProps) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/workspaces', {
    path: { organization },
    query: { 'search[name]': search, 'page[size]': 50 },
  });
  return <PickerOfNames label="Workspace" found={data} chosen={chosen} onSearch={setSearch} onChoose={onChoose} />;
}

/** The values of the address; the service refuses what is not among its own. */
const queryOf = (values: Values): Query => ({
  include: ['workspace', 'created_by'],
  'search[basic]': values.text ?? '',
  'filter[status]': runStatusesIn(values.status),
  ...(values.kind ? { 'filter[operation]': [values.kind] as NonNullable<Query['filter[operation]']> } : {}),
  ...(isSource(values.source) ? { 'filter[source]': [values.source] } : {}),
  'filter[workspace_names]': [...namesIn(values)],
  ...pageQuery(values),
});

function Runs({ organization }: { readonly organization: string }) {
  const [values, , hrefWith] = useAddressValues();
  const runs = useRead(list, useSettled({ path: { organization }, query: queryOf(values) }));
  const workspaceOf = ({ relationships }: Run): string =>
    included<Schemas['client.Workspace']>(runs, 'workspaces', relationships.workspace.data.id)?.attributes.name ?? '';
  const personOf = ({ relationships }: Run) =>
    included<Schemas['client.Member']>(runs, 'users', relationships['created-by'].data?.id)?.attributes.username;
  const { page, ...filters } = values;
  return (
    <>
      <Table
        caption="Runs"
        rows={runs.data}
        keyOf={({ id }) => id}
        empty={
          pageOf(values) > 1 ? (
            <p>
              This page has no runs. <Link href={hrefWith({ page: '' })}>Go to the first page</Link>.
            </p>
          ) : Object.keys(filters).length > 0 ? (
            <p>No run matches.</p>
          ) : (
            <p>
              A run plans what a configuration changes, and applies it. The runs of all workspaces that you may see
              appear here. Start one with <code>terraform apply</code>, or with <em>New run</em> on a workspace.
            </p>
          )
        }
        columns={[
          {
            head: 'Run',
            cell: (run) => (
              <Link href={addresses.run(organization, workspaceOf(run), run.id)}>
                {run.attributes.message || run.id}
              </Link>
            ),
          },
          {
            head: 'Workspace',
            cell: (run) => <Link href={addresses.workspace(organization, workspaceOf(run))}>{workspaceOf(run)}</Link>,
          },
          { head: 'Status', cell: ({ attributes }) => <StatusBadge of="run" status={attributes.status} /> },
          { head: 'Created by', cell: (run) => personOf(run) ?? <span className="quiet">the service</span> },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          { head: 'ID', cell: ({ id }) => <code>{id}</code> },
        ]}
      />
      <Pager pagination={runs.meta.pagination} what="Runs" />
    </>
  );
}
