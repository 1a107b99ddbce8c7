import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { api, type QueryOf, type Schemas } from '../api/client.ts';
import { useMaybeRead, useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Creator } from '../parts/creator.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterField } from '../parts/filters.tsx';
import { Expiry, soon } from '../parts/lifetime.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { useSettled } from '../parts/settled.ts';
import { SingleToken } from '../parts/single-token.tsx';
import { Table } from '../parts/table.tsx';
import { TeamLink, useTeamName } from '../parts/team-parts.tsx';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';

const list = '/organizations/{organization}/team-tokens';
const ofOrganization = '/organizations/{organization}/authentication-token';
type Expiries = NonNullable<QueryOf<typeof list>['filter[expiry_status]']>;
type Token = Schemas['client.ListedTeamToken'];

const expiries: readonly { readonly value: Expiries[number] | ''; readonly label: string }[] = [
  { value: '', label: 'Any' },
  { value: 'expiring_in_7_days', label: 'Within 7 days' },
  { value: 'expiring_in_30_days', label: 'Within 30 days' },
  { value: 'expired', label: 'Expired' },
  { value: 'active', label: 'Not expired' },
  { value: 'no_expiration', label: 'Never' },
];

export function TokensPage({ params: { organization } }: Params<'organization'>) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  const [values, change] = useAddressValues();
  return (
    <Page title="Tokens" crumbs={[{ label: organization, href: addresses.home(organization) }]}>
      <section aria-labelledby="team-tokens">
        <h2 id="team-tokens">Team tokens</h2>
        <ExpiringSoon organization={organization} />
        <search className="filters" aria-label="Team tokens">
          <FilterField label="Team" value={values.team} onChange={(team) => change({ team })} />
          <SelectField
            label="Expires"
            value={values.expires ?? ''}
            choices={expiries}
            onChange={(expires) => change({ expires })}
          />
        </search>
        <TeamTokens organization={organization} />
      </section>
      {data.attributes.permissions?.['can-update-api-token'] && (
        <div className="cards">
          <OrganizationToken organization={organization} />
          <OrganizationToken organization={organization} kind="audit-trails" />
        </div>
      )}
    </Page>
  );
}

const counts = { 'page[size]': 1 } as const;

function ExpiringSoon({ organization }: { readonly organization: string }) {
  const soonest = useRead(list, {
    path: { organization },
    query: { ...counts, 'filter[expiry_status]': ['expiring_in_30_days'] },
  });
  const count = soonest.meta.pagination['total-count'];
  if (count === 0) return null;
  return (
    <p className="notice">
      {count === 1 ? 'One team token expires' : `${count} team tokens expire`} within {soon} days.
    </p>
  );
}

function TeamTokens({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const expiry = expiries.find(({ value }) => value === values.expires)?.value ?? '';
  const { data, meta } = useRead(
    list,
    useSettled({
      path: { organization },
      query: {
        q: values.team ?? '',
        sort: 'expired-at' as const,
        'filter[expiry_status]': expiry === '' ? [] : [expiry],
        'page[number]': pageOf(values),
      },
    }),
  );
  return (
    <>
      <Table
        caption="Team tokens"
        rows={data}
        keyOf={({ id }) => id}
        empty={<Empty organization={organization} isFiltered={expiry !== '' || (values.team ?? '') !== ''} />}
        columns={[
          {
            head: 'Team',
            cell: ({ relationships }) => <TeamLink organization={organization} id={relationships.team.data.id} />,
          },
          { head: 'Expires', cell: ({ attributes }) => <Expiry at={attributes['expired-at']} /> },
          { head: 'Issued', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          {
            head: 'Issued by',
            cell: ({ relationships }) => <Creator organization={organization} of={relationships['created-by'].data} />,
          },
          { head: 'Last used', cell: ({ attributes }) => <Time at={attributes['last-used-at']} /> },
          { head: 'Actions', cell: (token) => <Revoke organization={organization} token={token} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Team tokens" />
    </>
  );
}

const Empty = ({ organization, isFiltered }: { readonly organization: string; readonly isFiltered: boolean }) =>
  isFiltered ? (
    <p>No team token that you manage matches.</p>
  ) : (
    <p>
      You manage no team tokens. Pipelines and other programs use such tokens. Issue one on the page of a{' '}
      <Link href={addresses.inOrganization(organization, 'teams')}>team</Link>.
    </p>
  );

function Revoke({ organization, token }: { readonly organization: string; readonly token: Token }) {
  const teamId = token.relationships.team.data.id;
  const name = useTeamName(organization, teamId) ?? teamId;
  const revoke = useChange(() => api.delete('/teams/{teamId}/authentication-token', { path: { teamId } }), {
    done: `The token of ${name} was revoked.`,
    outdates: [list, '/teams/{teamId}/authentication-token'],
  });
  return (
    <RowMenu of={name}>
      <Confirm
        trigger="Revoke"
        triggerName={`Revoke the token of ${name}`}
        title={`Revoke the token of ${name}?`}
        confirm="Revoke token"
        isDanger
        onConfirm={() => revoke.run(undefined)}
      >
        <p>Clients that use it are refused from now on.</p>
      </Confirm>
    </RowMenu>
  );
}

interface OrganizationProps {
  readonly organization: string;
  readonly kind?: 'audit-trails';
}

/** The token of the organization, or its audit token. */
function OrganizationToken({ organization, kind }: OrganizationProps) {
  const at = { path: { organization }, query: kind === undefined ? {} : { token: kind } };
  const read = useMaybeRead(ofOrganization, at);
  const issue = useChange(
    (expiredAt: string | null) =>
      api.post(ofOrganization, {
        ...at,
        body: { data: { type: 'authentication-tokens', attributes: { 'expired-at': expiredAt } } },
      }),
    { done: 'The token was issued.', outdates: [ofOrganization] },
  );
  const revoke = useChange(() => api.delete(ofOrganization, at), {
    done: 'The token was revoked.',
    outdates: [ofOrganization],
  });
  return (
    <SingleToken
      organization={organization}
      use={kind === undefined ? 'organization' : 'audit'}
      name={kind === undefined ? 'Organization token' : 'Audit token'}
      about={
        kind === undefined
          ? 'For programs that set up teams and workspaces. It creates no runs.'
          : 'For programs that collect the audit trail. It reads nothing else.'
      }
      read={read}
      issue={issue}
      revoke={revoke}
    />
  );
}
