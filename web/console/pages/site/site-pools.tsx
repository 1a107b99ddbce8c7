import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { SitePage } from '../../shell/site-page.tsx';

const list = '/admin/agent-pools';

export const SitePoolsPage = () => (
  <SitePage tab="agent-pools" actions={<NewPool />}>
    <p>Agents in these pools execute runs of remote workspaces in every organization.</p>
    <Pools />
  </SitePage>
);

function NewPool() {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New site agent pool"
      title="New site agent pool"
      kind="main"
      submit="Create agent pool"
      send={({ name = '' }) => api.post(list, { body: { data: { type: 'agent-pools', attributes: { name } } } })}
      done="The agent pool was created."
      outdates={[list]}
      then={({ data }) => navigate(addresses.sitePool(data.id))}
    >
      <Field label="Name" name="name" isRequired autoFocus />
    </FormDialog>
  );
}

function Pools() {
  const [values] = useAddressValues();
  const { data, meta } = useRead(list, { query: { 'page[number]': pageOf(values) } });
  return (
    <>
      <Table
        caption="Site agent pools"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>There are no site agent pools yet.</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => <Link href={addresses.sitePool(id)}>{attributes.name}</Link>,
          },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Agent pools" />
    </>
  );
}
