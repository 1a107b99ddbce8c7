import { addresses } from '../addresses.ts';
import { api, type Schemas } from '../api/client.ts';
import { useMaybeRead, useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Creator } from '../parts/creator.tsx';
import { EntryForm } from '../parts/entry-form.tsx';
import { Field } from '../parts/field.tsx';
import { Expiry, expiryOf, LifetimeField } from '../parts/lifetime.tsx';
import { Pager } from '../parts/pager.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Secret } from '../parts/secret.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { Loading, Page } from '../shell/page.tsx';
import { UserSessions } from './user-tokens/user-sessions.tsx';

const list = '/users/{userId}/authentication-tokens';

/** The page that `terraform login` opens. */
export function UserTokensPage() {
  const { data, error } = useMaybeRead('/account/details', {});
  return (
    <Page title="Your tokens and sessions" crumbs={[{ label: 'Organizations', href: addresses.organizations }]}>
      <OfUser user={data?.data} problem={error} />
    </Page>
  );
}

function OfUser({ user, problem }: { readonly user: Schemas['client.User'] | undefined; readonly problem: unknown }) {
  if (user === undefined) return problem === null ? <Loading /> : <ProblemView problem={problem} />;
  return (
    <>
      <NewToken userId={user.id} />
      <Tokens userId={user.id} />
      <UserSessions />
    </>
  );
}

function NewToken({ userId }: { readonly userId: string }) {
  const issue = useChange(
    ({ description, expiredAt }: { description: string; expiredAt: string | null }) =>
      api.post(list, {
        path: { userId },
        body: { data: { type: 'authentication-tokens', attributes: { description, 'expired-at': expiredAt } } },
      }),
    { done: 'The token was issued.', outdates: [list] },
  );
  return (
    <section className="card" aria-labelledby="new-token">
      <h2 id="new-token">Issue a token</h2>
      <p>
        For terraform, scripts and other clients. It has all your permissions.{' '}
        <code>terraform login {location.host}</code> issues one too.
      </p>
      <EntryForm
        submit="Issue token"
        isPending={issue.isPending}
        problem={issue.problem}
        onSubmit={({ description = '', lifetime }) => issue.run({ description, expiredAt: expiryOf(lifetime) })}
      >
        <div className="field-row">
          <Field label="Description" name="description" />
          <LifetimeField />
        </div>
      </EntryForm>
      {issue.result !== undefined && (
        <Secret
          key={issue.result.data.id}
          label={`Token ${issue.result.data.attributes.description || issue.result.data.id}.`}
          value={issue.result.data.attributes.token}
          use="client"
        />
      )}
    </section>
  );
}

type Token = Schemas['client.UserToken'];
const nameOf = ({ id, attributes }: Token): string => attributes.description || id;

function Tokens({ userId }: { readonly userId: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(list, { path: { userId }, query: { 'page[number]': pageOf(values) } });
  const revoke = useChange((id: string) => api.delete('/authentication-tokens/{id}', { path: { id } }), {
    done: 'The token was revoked.',
    outdates: [list],
  });
  return (
    <section aria-labelledby="tokens">
      <h2 id="tokens">Tokens</h2>
      <Table
        caption="Your tokens"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>You have no tokens.</p>}
        columns={[
          { head: 'Description', cell: nameOf },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          {
            head: 'Created by',
            cell: ({ relationships }) => <Creator organization={undefined} of={relationships['created-by'].data} />,
          },
          { head: 'Last used', cell: ({ attributes }) => <Time at={attributes['last-used-at']} /> },
          { head: 'Expires', cell: ({ attributes }) => <Expiry at={attributes['expired-at']} /> },
          {
            head: 'Actions',
            cell: (token) => (
              <RowMenu of={nameOf(token)}>
                <Confirm
                  trigger="Revoke"
                  triggerName={`Revoke ${nameOf(token)}`}
                  title={`Revoke ${nameOf(token)}?`}
                  confirm="Revoke token"
                  isDanger
                  onConfirm={() => revoke.run(token.id)}
                >
                  <p>
                    Clients that use it are refused from now on. The sessions that were made from it end: if yours is
                    one, you are signed out.
                  </p>
                </Confirm>
              </RowMenu>
            ),
          },
        ]}
      />
      <Pager pagination={meta.pagination} what="Tokens" />
    </section>
  );
}
