import { api } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { CheckField } from '../../parts/field.tsx';
import type { Team } from '../../parts/team-parts.tsx';
import { AccessChips } from './access-chips.tsx';

type Permission = keyof Team['attributes']['organization-access'];

const about: Readonly<Record<Permission, string>> = {
  'manage-workspaces': 'create workspaces, and administer every workspace',
  'read-workspaces': 'read every workspace',
  'manage-projects': 'create projects, and administer every project and workspace',
  'read-projects': 'read every project and workspace',
  'manage-policies': 'manage policies and policy sets, and read runs',
  'manage-policy-overrides': 'override failed policies on every workspace, and read runs',
  'delegate-policy-overrides': 'allows team access to a workspace to include policy overrides',
  'manage-vcs-settings': 'link workspaces to repositories, where the team is admin',
  'manage-agent-pools': 'manage agent pools',
  'manage-membership': 'invite and remove members, and manage who is in which team',
  'manage-teams': 'create, change and delete teams, and manage their tokens',
  'manage-organization-access': 'manage this list for other teams',
  'access-secret-teams': 'see secret teams',
  'manage-run-tasks': 'stored for clients that send it',
  'manage-modules': 'stored for clients that send it',
  'manage-providers': 'stored for clients that send it',
  'manage-public-modules': 'stored for clients that send it',
  'manage-public-providers': 'stored for clients that send it',
};

const permissions = Object.keys(about) as readonly Permission[];

export function OrganizationAccess({ team }: { readonly team: Team }) {
  const held = team.attributes['organization-access'];
  const save = useChange(
    (access: Readonly<Record<string, boolean>>) =>
      api.patch('/teams/{id}', {
        path: { id: team.id },
        body: { data: { type: 'teams', attributes: { 'organization-access': access } } },
      }),
    {
      done: 'The organization access was saved.',
      outdates: ['/teams/{id}', '/organizations/{organization}/teams', '/organizations/{organization}'],
    },
  );
  return (
    <section className="card" aria-labelledby="organization-access">
      <h2 id="organization-access">Organization access</h2>
      <p>Permissions of the members of the team in the whole organization.</p>
      {team.attributes.permissions['can-update-organization-access'] ? (
        <EntryForm
          submit="Save organization access"
          isPending={save.isPending}
          problem={save.problem}
          onSubmit={(values) => save.run(Object.fromEntries(permissions.map((name) => [name, name in values])))}
        >
          <fieldset className="checks">
            <legend className="unseen">Organization-level permissions</legend>
            {permissions.map((name) => (
              <CheckField key={name} label={`${name}: ${about[name]}`} name={name} isChecked={held[name]} />
            ))}
          </fieldset>
        </EntryForm>
      ) : (
        <AccessChips team={team} />
      )}
    </section>
  );
}
