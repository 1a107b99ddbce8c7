import { Link, useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { FilterField } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { ProjectPicker } from '../../parts/project-picker.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { settingsOf, VariableSetFields } from './variable-set-form.tsx';

export function VariableSetsPage({ params: { organization } }: Params<'organization'>) {
  const [values, change] = useAddressValues();
  return (
    <OrganizationPage
      organization={organization}
      section="varsets"
      actions={({ attributes }) =>
        attributes.permissions?.['can-manage-varsets'] && <NewVariableSet organization={organization} />
      }
    >
      {() => (
        <>
          <search className="filters">
            <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
          </search>
          <VariableSets organization={organization} />
        </>
      )}
    </OrganizationPage>
  );
}

function NewVariableSet({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New variable set"
      title="New variable set"
      kind="main"
      submit="Create variable set"
      send={(values) =>
        api.post('/organizations/{organization}/varsets', {
          path: { organization },
          body: {
            data: {
              type: 'varsets',
              attributes: settingsOf(values),
              ...(values.owner && {
                relationships: { parent: { data: { type: 'projects', id: values.owner } } },
              }),
            },
          },
        })
      }
      done="The variable set was created."
      outdates={['/organizations/{organization}/varsets']}
      then={({ data }) => navigate(addresses.inSection(organization, 'varsets', data.id))}
    >
      <VariableSetFields />
      <ProjectPicker organization={organization} label="Owner" name="owner" none="The organization" />
    </FormDialog>
  );
}

function VariableSets({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    '/organizations/{organization}/varsets',
    useSettled({ path: { organization }, query: { q: values.name ?? '', 'page[number]': pageOf(values) } }),
  );
  return (
    <>
      <Table
        caption="Variable sets"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>{values.name === undefined ? 'There are no variable sets yet.' : 'No variable set matches.'}</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => (
              <Link href={addresses.inSection(organization, 'varsets', id)}>{attributes.name}</Link>
            ),
          },
          {
            head: 'Applies to',
            cell: ({ attributes }) =>
              attributes.global
                ? 'every workspace'
                : `${attributes['workspace-count']} workspaces, ${attributes['project-count']} projects`,
          },
          { head: 'Priority', cell: ({ attributes }) => (attributes.priority ? 'yes' : 'no') },
          { head: 'Variables', isNumber: true, cell: ({ attributes }) => attributes['var-count'] },
          { head: 'Changed', cell: ({ attributes }) => <Time at={attributes['updated-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Variable sets" />
    </>
  );
}
