import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { FilterField } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { useSettled } from '../../parts/settled.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { kindOf, kinds, PolicyFields, policySettings } from './policy-fields.tsx';

export function PoliciesPage({ params: { organization } }: Params<'organization'>) {
  const [values, change] = useAddressValues();
  return (
    <OrganizationPage
      organization={organization}
      section="policies"
      actions={() => <NewPolicy organization={organization} />}
    >
      {() => (
        <>
          <search className="filters">
            <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
          </search>
          <Policies organization={organization} />
        </>
      )}
    </OrganizationPage>
  );
}

function NewPolicy({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New policy"
      title="New policy"
      kind="main"
      submit="Create policy"
      send={(values) =>
        api.post('/organizations/{organization}/policies', {
          path: { organization },
          body: {
            data: {
              type: 'policies',
              attributes: { name: values.name ?? '', kind: kindOf(values), ...policySettings(values) },
            },
          },
        })
      }
      done="The policy was created. Now add its code."
      outdates={['/organizations/{organization}/policies']}
      then={({ data }) => navigate(addresses.inSection(organization, 'policies', data.id))}
    >
      <PolicyFields />
    </FormDialog>
  );
}

function Policies({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    '/organizations/{organization}/policies',
    useSettled({
      path: { organization },
      query: { 'search[name]': values.name ?? '', 'page[number]': pageOf(values) },
    }),
  );
  return (
    <>
      <Table
        caption="Policies"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>{values.name === undefined ? 'There are no policies yet.' : 'No policy matches.'}</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => (
              <Link href={addresses.inSection(organization, 'policies', id)}>{attributes.name}</Link>
            ),
          },
          { head: 'Kind', cell: ({ attributes }) => kinds.find(({ value }) => value === attributes.kind)?.label },
          { head: 'Level', cell: ({ attributes }) => attributes['enforcement-level'].replace('-', ' ') },
          { head: 'Code', cell: ({ attributes }) => (attributes.uploaded ? 'uploaded' : 'missing') },
          { head: 'Policy sets', isNumber: true, cell: ({ attributes }) => attributes['policy-set-count'] },
          { head: 'Changed', cell: ({ attributes }) => <Time at={attributes['updated-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Policies" />
    </>
  );
}
