import { AccessChips } from '../../access/access-chips.tsx';
import { type OrganizationPermission, organizationPermissions, permissionsInOrder } from '../../access/words.ts';
import { api } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { CheckField } from '../../parts/field.tsx';
import type { Team } from '../../parts/team-parts.tsx';

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
      <p>Permissions of team members across the organization.</p>
      {team.attributes.permissions['can-update-organization-access'] ? (
        <EntryForm
          submit="Save organization access"
          isMain={false}
          isPending={save.isPending}
          problem={save.problem}
          onSubmit={(values) => save.run(Object.fromEntries(permissionsInOrder.map((name) => [name, name in values])))}
        >
          <fieldset className="checks">
            <legend className="unseen">Organization-level permissions</legend>
            {permissionsInOrder.map((name) => (
              <Check key={name} permission={name} isHeld={held[name]} />
            ))}
          </fieldset>
        </EntryForm>
      ) : (
        <AccessChips team={team} />
      )}
    </section>
  );
}

function Check({ permission, isHeld }: { readonly permission: OrganizationPermission; readonly isHeld: boolean }) {
  const [name, does] = organizationPermissions[permission];
  return <CheckField label={`${name}: ${does}`} name={permission} isChecked={isHeld} />;
}
