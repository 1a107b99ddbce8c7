import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { session } from '../../api/session.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

const sessions = '/account/sessions';
const identities = '/account/identities';

/** The sessions of the person, and the identities, where people sign in with an identity provider. */
export function UserSessions() {
  return (
    <>
      <Sessions />
      <Identities />
    </>
  );
}

/** The means of the sign-in. */
function meansOf({ relationships }: Schemas['client.OwnSession']): string {
  if (relationships['authentication-token'].data !== null)
    return `Token ${relationships['authentication-token'].data.id}`;
  return relationships.identity.data === null ? 'Sign-in link' : 'Identity provider';
}

function Sessions() {
  const { data } = useRead(sessions);
  const [revokesTokens, setRevokesTokens] = useState(false);
  const end = useChange((id: string) => api.delete('/account/sessions/{id}', { path: { id } }), {
    done: 'The session was ended.',
    outdates: [sessions],
  });
  const others = data.filter(({ attributes }) => !attributes['is-current']);
  const endOthers = useChange(
    async () => {
      for (const { id } of others) await api.delete('/account/sessions/{id}', { path: { id } });
    },
    { done: 'The other sessions were ended.', outdates: [sessions] },
  );
  const endAll = async (): Promise<void> => {
    await api.delete(sessions, { query: { 'revoke-tokens': revokesTokens ? 'true' : 'false' } });
    await session.signOut();
  };
  if (data.length === 0) return null;
  const made = data[0]?.attributes['tokens-made-in-sessions'] ?? 0;
  return (
    <section aria-labelledby="sessions">
      <h2 id="sessions">Sessions</h2>
      <Table
        caption="Your sessions"
        rows={data}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          { head: 'Signed in', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          { head: 'With', cell: meansOf },
          { head: 'Last used', cell: ({ attributes }) => <Time at={attributes['last-used-at']} /> },
          { head: 'Ends', cell: ({ attributes }) => <Time at={attributes['expires-at']} /> },
          {
            head: 'Actions',
            cell: ({ id, attributes }) =>
              attributes['is-current'] ? (
                'This browser'
              ) : (
                <RowMenu of={id}>
                  <Confirm
                    trigger="End"
                    triggerName={`End session ${id}`}
                    title="End this session?"
                    confirm="End session"
                    isDanger
                    onConfirm={() => end.run(id)}
                  >
                    <p>The browser that has it is signed out immediately.</p>
                  </Confirm>
                </RowMenu>
              ),
          },
        ]}
      />
      <div className="actions">
        {others.length > 0 && others.length < data.length && (
          <Confirm
            trigger="End all others"
            title="End all other sessions?"
            confirm="End other sessions"
            isDanger
            onConfirm={() => endOthers.run(undefined)}
          >
            <p>Other browsers are signed out immediately. You stay signed in here.</p>
          </Confirm>
        )}
        <Confirm
          trigger="Sign out everywhere"
          title="Sign out everywhere?"
          confirm="Sign out everywhere"
          isDanger
          onConfirm={endAll}
        >
          <p>All your sessions end, including this one. Tokens keep working.</p>
          {made > 0 && (
            <label className="check">
              <input
                type="checkbox"
                checked={revokesTokens}
                onChange={({ target }) => setRevokesTokens(target.checked)}
              />
              Also revoke the tokens that were made in sessions ({made})
            </label>
          )}
        </Confirm>
      </div>
    </section>
  );
}

function Identities() {
  const { data } = useRead(identities);
  const remove = useChange((id: string) => api.delete('/account/identities/{id}', { path: { id } }), {
    done: 'The identity was removed.',
    outdates: [identities, sessions],
  });
  if (data.length === 0) return null;
  return (
    <section aria-labelledby="identities">
      <h2 id="identities">Identities</h2>
      <Table
        caption="Your identities"
        rows={data}
        keyOf={({ id }) => id}
        empty={null}
        columns={[
          { head: 'Provider', cell: ({ attributes }) => attributes.issuer },
          { head: 'Subject', cell: ({ attributes }) => attributes.subject },
          { head: 'Linked', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          {
            head: 'Actions',
            cell: ({ id, attributes }) => (
              <RowMenu of={attributes.subject}>
                <Confirm
                  trigger="Remove"
                  triggerName={`Remove ${attributes.subject}`}
                  title={`Remove ${attributes.subject}?`}
                  confirm="Remove identity"
                  isDanger
                  onConfirm={() => remove.run(id)}
                >
                  <p>
                    You can no longer sign in with it. Your other sessions end, and the memberships that its groups gave
                    you. Without an identity, only a site administrator can link one.
                  </p>
                </Confirm>
              </RowMenu>
            ),
          },
        ]}
      />
      <p>
        <a className="button" href="/session/link?return_to=/app/settings/tokens">
          Link another identity
        </a>
      </p>
    </section>
  );
}
