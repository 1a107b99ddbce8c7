import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Field } from '../../parts/field.tsx';
import { FilterField } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { useSettled } from '../../parts/settled.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';

export function AgentPoolsPage({ params: { organization } }: Params<'organization'>) {
  const [values, change] = useAddressValues();
  return (
    <OrganizationPage
      organization={organization}
      section="agent-pools"
      actions={({ attributes }) =>
        attributes.permissions?.['can-update-agent-pools'] && <NewPool organization={organization} />
      }
    >
      {() => (
        <>
          <search className="filters">
            <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
          </search>
          <Pools organization={organization} />
        </>
      )}
    </OrganizationPage>
  );
}

function NewPool({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New agent pool"
      title="New agent pool"
      kind="main"
      submit="Create agent pool"
      send={({ name = '' }) =>
        api.post('/organizations/{organization}/agent-pools', {
          path: { organization },
          body: { data: { type: 'agent-pools', attributes: { name } } },
        })
      }
      done="The agent pool was created."
      outdates={['/organizations/{organization}/agent-pools']}
      then={({ data }) => navigate(addresses.inSection(organization, 'agent-pools', data.id))}
    >
      <Field label="Name" name="name" isRequired autoFocus />
    </FormDialog>
  );
}

function Pools({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    '/organizations/{organization}/agent-pools',
    useSettled({
      path: { organization },
      query: { include: ['workspaces'], q: values.name ?? '', 'page[number]': pageOf(values) },
    }),
  );
  return (
    <>
      <Table
        caption="Agent pools"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>{values.name === undefined ? 'There are no agent pools yet.' : 'No agent pool matches.'}</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => (
              <Link href={addresses.inSection(organization, 'agent-pools', id)}>{attributes.name}</Link>
            ),
          },
          {
            head: 'May serve',
            cell: ({ attributes }) =>
              attributes['organization-scoped'] ? 'every workspace' : 'the allowed workspaces',
          },
          { head: 'Used by', isNumber: true, cell: ({ relationships }) => relationships.workspaces?.data.length },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Agent pools" />
    </>
  );
}
