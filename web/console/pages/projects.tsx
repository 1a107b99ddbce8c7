import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { api } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { Field } from '../parts/field.tsx';
import { FilterField } from '../parts/filters.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { useSettled } from '../parts/settled.ts';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';

const list = '/organizations/{organization}/projects';

export function ProjectsPage({ params: { organization } }: Params<'organization'>) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  const [values, change] = useAddressValues();
  const mayCreate = data.attributes.permissions?.['can-create-project'] === true;
  return (
    <Page
      title="Projects"
      crumbs={[{ label: organization, href: addresses.home(organization) }]}
      actions={mayCreate && <NewProject organization={organization} />}
    >
      <search className="filters" aria-label="Projects">
        <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
      </search>
      <Projects organization={organization} />
    </Page>
  );
}

function Projects({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    list,
    useSettled({ path: { organization }, query: { q: values.name ?? '', 'page[number]': pageOf(values) } }),
  );
  return (
    <>
      <Table
        caption="Projects"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>No project that you can see matches.</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => (
              <Link href={addresses.inSection(organization, 'projects', id)}>{attributes.name}</Link>
            ),
          },
          { head: 'Description', cell: ({ attributes }) => attributes.description },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Projects" />
    </>
  );
}

function NewProject({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New project"
      kind="main"
      title="New project"
      submit="Create project"
      done="The project was created."
      outdates={[list]}
      send={({ name = '', description = '' }) =>
        api.post(list, {
          path: { organization },
          body: { data: { type: 'projects', attributes: { name, description } } },
        })
      }
      then={({ data }) => navigate(addresses.inSection(organization, 'projects', data.id))}
    >
      <Field label="Project name" name="name" isRequired autoFocus />
      <Field label="Description" name="description" />
    </FormDialog>
  );
}
