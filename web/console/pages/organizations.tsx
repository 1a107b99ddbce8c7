import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { FilterField } from '../parts/filters.tsx';
import { Pager } from '../parts/pager.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';
import { NewOrganization } from './organizations/new-organization.tsx';

export function OrganizationsPage() {
  const [values, change] = useAddressValues();
  return (
    <Page title="Organizations" actions={<NewOrganization />}>
      <search className="filters">
        <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
      </search>
      <Organizations name={values.name} page={pageOf(values)} />
    </Page>
  );
}

function Organizations({ name, page }: { readonly name: string | undefined; readonly page: number }) {
  const { data, meta } = useRead('/organizations', { query: { 'q[name]': name ?? '', 'page[number]': page } });
  return (
    <>
      <Table
        caption="Organizations"
        rows={data}
        keyOf={({ id }) => id}
        empty={name === undefined ? <p>You are not a member of any organization.</p> : <p>No organization matches.</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ attributes }) => <Link href={addresses.home(attributes.name)}>{attributes.name}</Link>,
          },
          { head: 'Execution', cell: ({ attributes }) => attributes['default-execution-mode'] },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Organizations" />
    </>
  );
}
