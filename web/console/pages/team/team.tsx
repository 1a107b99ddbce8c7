import { useLocation } from 'wouter';
import { visibilityLabels } from '../../access/visibility.ts';
import { addresses } from '../../addresses.ts';
import { api, included, type Schemas } from '../../api/client.ts';
import { forget, useMaybeRead, useRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { Facts } from '../../parts/facts.tsx';
import type { Params } from '../../parts/params.ts';
import type { Team } from '../../parts/team-parts.tsx';
import { Page } from '../../shell/page.tsx';
import { TeamGroup } from './group.tsx';
import { TeamMembers } from './members.tsx';
import { OrganizationAccess } from './organization-access.tsx';
import { TeamSettings } from './settings.tsx';
import { TeamToken } from './token.tsx';

export function TeamPage({ params: { organization, id } }: Params<'organization' | 'id'>) {
  const document = useRead('/teams/{id}', { path: { id }, query: { include: ['users'] } });
  const team = document.data;
  const { attributes } = team;
  const around = useMaybeRead('/organizations/{organization}', { path: { organization } });
  const isOwner = around.data?.data.attributes.permissions?.['can-update'] === true;
  const members = (team.relationships.users?.data ?? []).flatMap(
    (user) => included<Schemas['client.Member']>(document, 'users', user.id) ?? [],
  );
  return (
    <Page
      title={attributes.name}
      crumbs={[
        { label: organization, href: addresses.home(organization) },
        { label: 'Teams', href: addresses.inOrganization(organization, 'teams') },
      ]}
    >
      <section className="card" aria-labelledby="about">
        <h2 id="about">About</h2>
        <Facts
          facts={[
            ['ID', <code key="id">{id}</code>],
            ['Visible to', visibilityLabels[attributes.visibility]],
            ['Members', attributes['users-count']],
            [
              'Token',
              attributes['allow-member-token-management'] ? 'managed by members too' : 'not managed by members',
            ],
            ...(attributes['sso-team-id'] === null
              ? []
              : [['Group at the identity provider', attributes['sso-team-id']] as const]),
          ]}
        />
      </section>
      <TeamMembers organization={organization} team={team} members={members} />
      {isOwner && <TeamGroup key={attributes['sso-team-id']} organization={organization} team={team} />}
      <OrganizationAccess team={team} />
      {attributes.permissions['can-update-api-token'] && <TeamToken organization={organization} teamId={id} />}
      {attributes.permissions['can-update'] && <TeamSettings team={team} />}
      {attributes.permissions['can-destroy'] && (
        <DangerZone>
          <DeleteTeam organization={organization} team={team} />
        </DangerZone>
      )}
    </Page>
  );
}

function DeleteTeam({
  organization,
  team: { id, attributes },
}: {
  readonly organization: string;
  readonly team: Team;
}) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete('/teams/{id}', { path: { id } }), {
    done: `The team ${attributes.name} was deleted.`,
    outdates: ['/organizations/{organization}/teams', '/organizations/{organization}/organization-memberships'],
  });
  return (
    <Confirm
      trigger="Delete team"
      title={`Delete the team ${attributes.name}?`}
      confirm="Delete this team"
      kind="danger"
      isDanger
      typed={attributes.name}
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.inOrganization(organization, 'teams'));
        forget('/teams/{id}');
      }}
    >
      <p>Its token is revoked, and its members lose the access that it gave.</p>
    </Confirm>
  );
}
