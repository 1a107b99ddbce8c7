import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { api, included } from '../api/client.ts';
import { useRead } from '../api/reading.ts';
import { pageOf, useAddressValues } from '../parts/address-values.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterField } from '../parts/filters.tsx';
import { type Membership, nameOfMember } from '../parts/member-parts.tsx';
import { Pager } from '../parts/pager.tsx';
import type { Params } from '../parts/params.ts';
import { RowMenu } from '../parts/row-menu.tsx';
import { useSettled } from '../parts/settled.ts';
import { StatusBadge } from '../parts/status.tsx';
import { Table } from '../parts/table.tsx';
import type { Team } from '../parts/team-parts.tsx';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';
import { InviteMember } from './members/invite-member.tsx';

const list = '/organizations/{organization}/organization-memberships';
const statuses = [
  { value: '', label: 'Any' },
  { value: 'active', label: 'Active' },
  { value: 'invited', label: 'Invited' },
];

export function MembersPage({ params: { organization } }: Params<'organization'>) {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  const [values, change] = useAddressValues();
  const mayManage = data.attributes.permissions?.['can-manage-users'] === true;
  return (
    <Page
      title="Members"
      crumbs={[{ label: organization, href: addresses.home(organization) }]}
      actions={mayManage && <InviteMember organization={organization} />}
    >
      <search className="filters" aria-label="Members">
        <FilterField label="Name or e-mail" value={values.name} onChange={(name) => change({ name })} />
        <SelectField
          label="Status"
          value={values.status ?? ''}
          choices={statuses}
          onChange={(status) => change({ status })}
        />
      </search>
      <Members organization={organization} mayManage={mayManage} />
    </Page>
  );
}

function Members({ organization, mayManage }: { readonly organization: string; readonly mayManage: boolean }) {
  const [values] = useAddressValues();
  const status = values.status === 'active' || values.status === 'invited' ? values.status : undefined;
  const document = useRead(
    list,
    useSettled({
      path: { organization },
      query: {
        include: ['teams' as const],
        q: values.name ?? '',
        ...(status !== undefined && { 'filter[status]': status }),
        'page[number]': pageOf(values),
      },
    }),
  );
  const teamsOf = ({ relationships }: Membership) =>
    relationships.teams.data.flatMap(({ id }) => included<Team>(document, 'teams', id) ?? []);
  return (
    <>
      <Table
        caption="Members"
        rows={document.data}
        keyOf={({ id }) => id}
        empty={<p>No member matches.</p>}
        columns={[
          { head: 'Person', cell: ({ attributes }) => nameOfMember(attributes) },
          { head: 'E-mail', cell: ({ attributes }) => attributes.email },
          { head: 'Status', cell: ({ attributes }) => <StatusBadge of="membership" status={attributes.status} /> },
          {
            head: 'Teams',
            cell: (membership) => <TeamLinks organization={organization} teams={teamsOf(membership)} />,
          },
          { head: 'Since', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          ...(mayManage
            ? [
                {
                  head: 'Actions',
                  cell: (membership: Membership) => (
                    <RemoveMember organization={organization} membership={membership} />
                  ),
                },
              ]
            : []),
        ]}
      />
      <Pager pagination={document.meta.pagination} what="Members" />
    </>
  );
}

const TeamLinks = ({ organization, teams }: { readonly organization: string; readonly teams: readonly Team[] }) =>
  teams.length === 0 ? (
    <span className="quiet">none</span>
  ) : (
    <span className="chips">
      {teams.map(({ id, attributes }) => (
        <Link key={id} className="chip" href={addresses.inSection(organization, 'teams', id)}>
          {attributes.name}
        </Link>
      ))}
    </span>
  );

interface RemoveProps {
  readonly organization: string;
  readonly membership: Membership;
}

function RemoveMember({ organization, membership: { id, attributes } }: RemoveProps) {
  const name = nameOfMember(attributes);
  const remove = useChange(() => api.delete('/organization-memberships/{id}', { path: { id } }), {
    done: `${name} is no longer a member.`,
    outdates: [list, '/organizations/{organization}/teams', '/teams/{id}'],
  });
  return (
    <RowMenu of={name}>
      <Confirm
        trigger="Remove"
        triggerName={`Remove ${name}`}
        title={`Remove ${name} from ${organization}?`}
        confirm="Remove member"
        isDanger
        onConfirm={() => remove.run(undefined)}
      >
        <p>
          The person leaves every team of the organization. Team tokens that they issued keep working: replace those
          that they may have kept.
        </p>
      </Confirm>
    </RowMenu>
  );
}
