import { Link, useLocation } from 'wouter';
import { AccessChips } from '../access/access-chips.tsx';
import { type Visibility, visibilities, visibilityLabels } from '../access/visibility.ts';
import { addresses } from '../addresses.ts';
import { api } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { Field, SelectField } from '../parts/field.tsx';
import { FilterField } from '../parts/filters.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { useSettled } from '../parts/settled.ts';
import { Table } from '../parts/table.tsx';
import { Page } from '../shell/page.tsx';

const list = '/organizations/{organization}/teams';

export function TeamsPage({ params: { organization } }: Params<'organization'>) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  const [values, change] = useAddressValues();
  const mayCreate = data.attributes.permissions?.['can-create-team'] === true;
  return (
    <Page
      title="Teams"
      crumbs={[{ label: organization, href: addresses.home(organization) }]}
      actions={mayCreate && <NewTeam organization={organization} />}
    >
      <search className="filters" aria-label="Teams">
        <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
      </search>
      <Teams organization={organization} name={values.name ?? ''} page={pageOf(values)} />
    </Page>
  );
}

interface ListProps {
  readonly organization: string;
  readonly name: string;
  readonly page: number;
}

function Teams({ organization, name, page }: ListProps) {
  const { data, meta } = useRead(
    list,
    useSettled({ path: { organization }, query: { q: name, 'page[number]': page } }),
  );
  return (
    <>
      <Table
        caption="Teams"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>{name === '' ? 'There are no teams that you can see.' : 'No team matches.'}</p>}
        columns={[
          {
            head: 'Name',
            cell: ({ id, attributes }) => (
              <Link href={addresses.inSection(organization, 'teams', id)}>{attributes.name}</Link>
            ),
          },
          { head: 'Members', cell: ({ attributes }) => attributes['users-count'], isNumber: true },
          { head: 'Visible to', cell: ({ attributes }) => visibilityLabels[attributes.visibility] },
          { head: 'Organization access', cell: (team) => <AccessChips team={team} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Teams" />
    </>
  );
}

function NewTeam({ organization }: { readonly organization: string }) {
  const [, navigate] = useLocation();
  return (
    <FormDialog
      trigger="New team"
      kind="main"
      title="New team"
      submit="Create team"
      done="The team was created."
      outdates={[list]}
      send={({ name = '', visibility }) =>
        api.post(list, {
          path: { organization },
          body: { data: { type: 'teams', attributes: { name, visibility: visibility as Visibility } } },
        })
      }
      then={({ data }) => navigate(addresses.inSection(organization, 'teams', data.id))}
    >
      <Field label="Team name" name="name" isRequired autoFocus />
      <SelectField label="Visible to" name="visibility" value="secret" choices={visibilities} />
    </FormDialog>
  );
}
