import { api } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { CheckField, Field } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';

const list = '/organizations/{organization}/organization-memberships';

export const InviteMember = ({ organization }: { readonly organization: string }) => (
  <FormDialog
    trigger="Invite a person"
    kind="main"
    title="Invite a person"
    submit="Invite"
    done="The person was invited."
    outdates={[list, '/organizations/{organization}/teams', '/teams/{id}']}
    send={({ email = '', ...teams }) =>
      api.post(list, {
        path: { organization },
        body: {
          data: {
            type: 'organization-memberships',
            attributes: { email },
            relationships: { teams: { data: Object.keys(teams).map((id) => ({ id })) } },
          },
        },
      })
    }
  >
    <Field
      label="E-mail address"
      name="email"
      type="email"
      isRequired
      autoFocus
      description="A user with this address is a member at once. Otherwise the invitation waits for one."
    />
    <TeamChecks organization={organization} />
  </FormDialog>
);

/** The teams whose members the caller may change; the form gets their ids as names. */
function TeamChecks({ organization }: { readonly organization: string }) {
  const { data } = useMaybeRead('/organizations/{organization}/teams', {
    path: { organization },
    query: { 'page[size]': 100 },
  });
  const teams = (data?.data ?? []).filter(({ attributes }) => attributes.permissions['can-update-membership']);
  if (teams.length === 0) return null;
  return (
    <fieldset className="checks">
      <legend>Teams</legend>
      {teams.map(({ id, attributes }) => (
        <CheckField key={id} label={attributes.name} name={id} />
      ))}
    </fieldset>
  );
}
