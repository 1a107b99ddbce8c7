import { useState } from 'react';
import { api, type Readable, type Schemas } from '../api/client.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Creator } from '../parts/creator.tsx';
import { EntryForm } from '../parts/entry-form.tsx';
import { Field } from '../parts/field.tsx';
import { Pager } from '../parts/pager.tsx';
import { RowMenu } from '../parts/row-menu.tsx';
import { Secret } from '../parts/secret.tsx';
import { Badge } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import { Time } from '../parts/time.tsx';
import { isInContact, useNow } from './contact.ts';

type Token = Schemas['client.AgentToken'];

const nameOf = ({ id, attributes }: Token): string => attributes.description || id;

interface Props {
  /** Undefined for a pool of the site. */
  readonly organization?: string;
  readonly tokens: { readonly data: readonly Token[]; readonly meta: { readonly pagination: Schemas['Pagination'] } };
  readonly issue: (description: string) => Promise<{ readonly data: Schemas['client.IssuedAgentToken'] }>;
  readonly outdates: readonly Readable[];
}

/** The tokens of a pool. Each belongs to one agent or more, which are in contact if it was used just now. */
export function AgentTokens({ organization, tokens, issue, outdates }: Props) {
  const revoke = useChange((id: string) => api.delete('/authentication-tokens/{id}', { path: { id } }), {
    done: 'The token was revoked.',
    outdates,
  });
  const now = useNow();
  return (
    <section className="card" aria-labelledby="tokens">
      <h2 id="tokens">Agents and their tokens</h2>
      <Alive tokens={tokens} now={now} />
      <Table
        caption="Agents and their tokens"
        rows={tokens.data}
        keyOf={({ id }) => id}
        empty={<p>No tokens yet.</p>}
        columns={[
          { head: 'Token', cell: nameOf },
          { head: 'Agents', cell: (token) => <Contact token={token} now={now} /> },
          { head: 'Last contact', cell: ({ attributes }) => <Time at={attributes['last-used-at']} /> },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          {
            head: 'Created by',
            cell: ({ relationships }) => <Creator organization={organization} of={relationships['created-by'].data} />,
          },
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
                  <p>Agents that use it can neither claim runs nor finish those that they execute.</p>
                </Confirm>
              </RowMenu>
            ),
          },
        ]}
      />
      <Pager pagination={tokens.meta.pagination} what="Tokens" />
      <NewToken issue={issue} outdates={outdates} />
    </section>
  );
}

/** Which tokens have agents in contact. A screen reader reads it when that changes. */
function Alive({ tokens: { data, meta }, now }: Pick<Props, 'tokens'> & { readonly now: number }) {
  if (data.length === 0) return null;
  const alive = data.filter((token) => isInContact(token, now));
  const place = meta.pagination['total-pages'] > 1 ? ' on this page' : '';
  const count = `tokens in use${place}: ${alive.length} of ${data.length}`;
  return (
    <p role="status">
      {alive.length === 0
        ? `No agent is in contact (${count}).`
        : `Agents in contact: ${alive.map(nameOf).join(', ')} (${count}).`}
    </p>
  );
}

function Contact({ token, now }: { readonly token: Token; readonly now: number }) {
  if (token.attributes['last-used-at'] === null) return <Badge tone="idle">Never connected</Badge>;
  return isInContact(token, now) ? <Badge tone="good">In contact</Badge> : <Badge tone="bad">Silent</Badge>;
}

function NewToken({ issue, outdates }: Pick<Props, 'issue' | 'outdates'>) {
  const [count, setCount] = useState(0);
  const change = useChange(issue, { done: 'The token was issued.', outdates });
  const issued = change.result?.data;
  return (
    <>
      <h3>Issue a token</h3>
      <EntryForm
        key={count}
        submit="Issue token"
        isPending={change.isPending}
        problem={change.problem}
        onSubmit={async ({ description = '' }) => {
          await change.run(description);
          setCount(count + 1);
        }}
      >
        <Field label="Description" name="description" description="The place where the agent runs, such as rack 4." />
      </EntryForm>
      {issued !== undefined && (
        <Secret
          key={issued.id}
          label={`Token ${issued.attributes.description || issued.id}.`}
          value={issued.attributes.token}
          use="agent"
        />
      )}
    </>
  );
}
