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
import { kindOf, kinds } from './policy-fields.tsx';
import { PolicySetFields, policySetSettings } from './policy-set-fields.tsx';

export function PolicySetsPage({ params: { organization } }: Params<'organization'>) {
  const [values, change] = useAddressValues();
  return (
    <OrganizationPage
      organization={organization}
      section="policy-sets"
      actions={() => <NewPolicySet organization={organization} />}
    >
      {() => (
        <>
          <search className="filters">
            <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
          </search>
          <PolicySets organization={organization} />
        </>
      )}
    </OrganizationPage>
  );
}

function NewPolicySet({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New policy set"
      title="New policy set"
      kind="main"
      submit="Create policy set"
      send={(values) =>
        api.post('/organizations/{organization}/policy-sets', {
          path: { organization },
          body: {
            data: { type: 'policy-sets', attributes: { kind: kindOf(values), ...policySetSettings(values) } },
          },
        })
      }
      done="The policy set was created."
      outdates={['/organizations/{organization}/policy-sets']}
      then={({ data }) => navigate(addresses.inSection(organization, 'policy-sets', data.id))}
    >
      <PolicySetFields />
    </FormDialog>
  );
}

function PolicySets({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    '/organizations/{organization}/policy-sets',
    useSettled({
      path: { organization },
      query: { 'search[name]': values.name ?? '', 'page[number]': pageOf(values) },
    }),
  );
  return (
    <>
      <Table
        caption="Policy sets"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>{values.name === undefined ? 'There are no policy sets yet.' : 'No policy set matches.'}</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => (
              <Link href={addresses.inSection(organization, 'policy-sets', id)}>{attributes.name}</Link>
            ),
          },
          { head: 'Kind', cell: ({ attributes }) => kinds.find(({ value }) => value === attributes.kind)?.label },
          {
            head: 'Applies to',
            cell: ({ attributes }) =>
              attributes.global
                ? 'every workspace'
                : `${attributes['workspace-count']} workspaces, ${attributes['project-count']} projects`,
          },
          { head: 'Policies', isNumber: true, cell: ({ attributes }) => attributes['policy-count'] },
          { head: 'Changed', cell: ({ attributes }) => <Time at={attributes['updated-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Policy sets" />
    </>
  );
}
