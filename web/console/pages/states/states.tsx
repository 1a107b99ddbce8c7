import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useRead } from '../../api/reading.ts';
import { pageQuery, useAddressValues } from '../../parts/address-values.ts';
import { SubmitButton } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { Badge, StatusBadge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { Origin } from './state-origin.tsx';
import { type StateVersion, titleOf } from './state-version.ts';

type Names = Params<'organization' | 'workspace'>;

export const StatesPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage organization={organization} name={name} tab="states">
    {(workspace) => <States organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

function States({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const [values] = useAddressValues();
  const { name } = workspace.attributes;
  const { data, meta } = useRead('/state-versions', {
    query: {
      'filter[organization][name]': organization,
      'filter[workspace][name]': name,
      ...pageQuery(values),
    },
  });
  const currentId = workspace.relationships['current-state-version'].data?.id;
  return (
    <>
      {data.length > 1 && <Compare organization={organization} name={name} versions={data} />}
      <Table
        caption="States"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>This workspace has no state yet.</p>}
        columns={[
          {
            head: 'State',
            cell: (version) => (
              <>
                <Link href={addresses.state(organization, name, version.id)}>{titleOf(version)}</Link>{' '}
                <code className="quiet">{version.id}</code>
                {version.id === currentId ? <Badge tone="good">current</Badge> : <UnlessFinalized version={version} />}
              </>
            ),
          },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          {
            head: 'Created by',
            cell: ({ relationships }) => <Origin organization={organization} name={name} of={relationships} />,
          },
          { head: 'Terraform', cell: ({ attributes }) => attributes['terraform-version'] },
          { head: 'Resources', isNumber: true, cell: ({ attributes }) => attributes['resource-count'] },
          { head: 'Bytes', isNumber: true, cell: ({ attributes }) => attributes.size },
        ]}
      />
      <Pager pagination={meta.pagination} what="States" />
    </>
  );
}

const UnlessFinalized = ({ version: { attributes } }: { readonly version: StateVersion }) =>
  attributes.status !== 'finalized' && <StatusBadge of="state" status={attributes.status} />;

interface CompareProps {
  readonly organization: string;
  readonly name: string;
  readonly versions: readonly StateVersion[];
}

/** Begins with the newest two. */
function Compare({ organization, name, versions }: CompareProps) {
  const [, navigate] = useLocation();
  const [values, change] = useAddressValues();
  const choices = versions.map((version) => ({
    value: version.id,
    label: `${titleOf(version)}, ${version.attributes['created-at'].slice(0, 16).replace('T', ' ')}`,
  }));
  const before = values.before ?? versions[1]?.id ?? '';
  const after = values.after ?? versions[0]?.id ?? '';
  const keep = (changes: { before?: string; after?: string }): void => change({ page: values.page, ...changes });
  return (
    <form
      className="filters"
      aria-label="Compare two states"
      onSubmit={(event) => {
        event.preventDefault();
        navigate(addresses.stateDiff(organization, name, before, after));
      }}
    >
      <SelectField label="From" value={before} choices={choices} onChange={(id) => keep({ before: id })} />
      <SelectField label="To" value={after} choices={choices} onChange={(id) => keep({ after: id })} />
      <SubmitButton isPending={false}>Compare</SubmitButton>
    </form>
  );
}
