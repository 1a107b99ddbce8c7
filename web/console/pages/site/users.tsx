import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { useMaybeRead, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { CheckField, Field } from '../../parts/field.tsx';
import { FilterField } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Secret } from '../../parts/secret.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { SitePage } from '../../shell/site-page.tsx';

type User = Schemas['client.User'];

const list = '/admin/users';

interface Issued {
  readonly username: string;
  readonly secret: string;
}

export function UsersPage() {
  const [issued, setIssued] = useState<Issued>();
  const [values, change] = useAddressValues();
  return (
    <SitePage tab="users" actions={<NewUser onCreated={setIssued} />}>
      {issued !== undefined && <Secret label={`The first token of ${issued.username}.`} value={issued.secret} />}
      <search className="filters" aria-label="Users">
        <FilterField label="Username or e-mail" value={values.name} onChange={(name) => change({ name })} />
      </search>
      <Users />
    </SitePage>
  );
}

const NewUser = ({ onCreated }: { readonly onCreated: (issued: Issued) => void }) => (
  <FormDialog
    trigger="New user"
    title="New user"
    kind="main"
    submit="Create user"
    send={({ username = '', email = '', 'is-admin': isAdmin }) =>
      api.post(list, {
        body: { data: { type: 'users', attributes: { username, email, 'is-admin': isAdmin === 'on' } } },
      })
    }
    done="The user was created."
    outdates={[list]}
    then={({ data, included: [token] }) =>
      onCreated({ username: data.attributes.username, secret: token?.attributes.token ?? '' })
    }
  >
    <Field label="Username" name="username" isRequired autoFocus />
    <Field label="E-mail address" name="email" type="email" isRequired />
    <CheckField label="Site administrator: may create organizations and users" name="is-admin" />
  </FormDialog>
);

function Users() {
  const [values] = useAddressValues();
  const { data, meta } = useRead(list, useSettled({ query: { q: values.name ?? '', 'page[number]': pageOf(values) } }));
  // The service refuses to suspend or delete the caller's own user.
  const ownId = useMaybeRead('/account/details', {}).data?.data.id;
  return (
    <>
      <Table
        caption="Users"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>No user matches.</p>}
        columns={[
          { head: 'Username', cell: ({ attributes }) => attributes.username },
          { head: 'E-mail address', cell: ({ attributes }) => attributes.email },
          { head: 'Site administrator', cell: ({ attributes }) => (attributes['is-site-admin'] ? 'yes' : 'no') },
          {
            head: 'Status',
            cell: ({ attributes }) =>
              attributes['is-suspended'] ? <Badge tone="bad">Suspended</Badge> : <Badge tone="good">Active</Badge>,
          },
          { head: 'Actions', cell: (user) => (user.id === ownId ? 'your own user' : <UserActions user={user} />) },
        ]}
      />
      <Pager pagination={meta.pagination} what="Users" />
    </>
  );
}

function UserActions({ user: { id, attributes } }: { readonly user: User }) {
  const { username } = attributes;
  const path = { id };
  const suspend = useChange(() => api.post('/admin/users/{id}/actions/suspend', { path }), {
    done: `${username} is suspended.`,
    outdates: [list],
  });
  const unsuspend = useChange(() => api.post('/admin/users/{id}/actions/unsuspend', { path }), {
    done: `${username} is no longer suspended.`,
    outdates: [list],
  });
  const remove = useChange(() => api.delete('/admin/users/{id}', { path }), {
    done: `${username} was deleted.`,
    outdates: [list],
  });
  return (
    <RowMenu of={username}>
      {attributes['is-suspended'] ? (
        <Confirm
          trigger="Unsuspend"
          triggerName={`Unsuspend ${username}`}
          title={`End the suspension of ${username}?`}
          confirm="Unsuspend user"
          onConfirm={() => unsuspend.run(undefined)}
        >
          <p>The tokens of this user are accepted again.</p>
        </Confirm>
      ) : (
        <Confirm
          trigger="Suspend"
          triggerName={`Suspend ${username}`}
          title={`Suspend ${username}?`}
          confirm="Suspend user"
          isDanger
          onConfirm={() => suspend.run(undefined)}
        >
          <p>Every token of this user is rejected until the suspension ends.</p>
        </Confirm>
      )}
      <Confirm
        trigger="Delete"
        triggerName={`Delete ${username}`}
        title={`Delete ${username}?`}
        confirm="Delete user"
        isDanger
        typed={username}
        onConfirm={() => remove.run(undefined)}
      >
        <p>All tokens of this user are revoked, and the user leaves every team and organization.</p>
      </Confirm>
    </RowMenu>
  );
}
