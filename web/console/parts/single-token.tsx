import { useId } from 'react';
import type { Schemas } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { Confirm } from './confirm.tsx';
import { Creator } from './creator.tsx';
import { EntryForm } from './entry-form.tsx';
import { Facts } from './facts.tsx';
import { Expiry, expiryOf, LifetimeField } from './lifetime.tsx';
import { ProblemView } from './problem-view.tsx';
import { Secret } from './secret.tsx';
import { Time } from './time.tsx';
import type { TokenUse } from './token-lines.ts';

type Token = Schemas['client.TeamToken'] | Schemas['client.OrganizationToken'];
type Issued = Schemas['client.IssuedTeamToken'] | Schemas['client.IssuedOrganizationToken'];

interface Props {
  readonly organization: string;
  /** Such as `Team token`: the heading, and a part of the names of the buttons. */
  readonly name: string;
  readonly about: string;
  readonly use: TokenUse;
  /** The read of the token, which is refused with 404 while there is none. */
  readonly read: { readonly data: { readonly data: Token } | undefined; readonly error: unknown };
  readonly issue: {
    readonly run: (expiredAt: string | null) => Promise<unknown>;
    readonly isPending: boolean;
    readonly problem: unknown;
    readonly result: { readonly data: Issued } | undefined;
  };
  readonly revoke: { readonly run: (nothing: undefined) => Promise<unknown> };
}

/** The one token of a team or an organization: when it expires, its replacement and its end. */
export function SingleToken({ organization, name, about, use, read, issue, revoke }: Props) {
  const heading = useId();
  const noun = name.toLowerCase();
  const { error } = read;
  const token = error === null ? read.data?.data : undefined;
  const issued = issue.result?.data;
  return (
    <section className="card" aria-labelledby={heading}>
      <h2 id={heading}>{name}</h2>
      <p>{about}</p>
      {error instanceof Problem && error.status !== 404 && <ProblemView problem={error} />}
      {token !== undefined && (
        <>
          <Facts
            facts={[
              ['Issued', <Time key="issued" at={token.attributes['created-at']} />],
              [
                'Issued by',
                <Creator key="by" organization={organization} of={token.relationships['created-by'].data} />,
              ],
              ['Last used', <Time key="used" at={token.attributes['last-used-at']} />],
              ['Expires', <Expiry key="expires" at={token.attributes['expired-at']} />],
            ]}
          />
          <p className="quiet">A new token replaces this one, which stops working at once.</p>
        </>
      )}
      <EntryForm
        submit={`${token === undefined ? 'Issue' : 'Replace'} ${noun}`}
        isMain={token === undefined}
        isPending={issue.isPending}
        problem={issue.problem}
        onSubmit={({ lifetime }) => issue.run(expiryOf(lifetime))}
      >
        <LifetimeField label={`${name} valid for`} />
      </EntryForm>
      {issued !== undefined && issued.id === token?.id && (
        <Secret key={issued.id} label={`${name}.`} value={issued.attributes.token} use={use} />
      )}
      {token !== undefined && (
        <p>
          <Confirm
            trigger={`Revoke ${noun}`}
            title={`Revoke the ${noun}?`}
            confirm="Revoke token"
            isDanger
            onConfirm={() => revoke.run(undefined)}
          >
            <p>Clients that use it are refused from now on.</p>
          </Confirm>
        </p>
      )}
    </section>
  );
}
