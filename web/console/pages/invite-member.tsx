import { DialogTrigger } from 'react-aria-components';
import { api } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Button } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { ModalDialog } from '../parts/confirm.tsx';
import { EntryForm } from '../parts/entry-form.tsx';
import { CheckField, Field } from '../parts/field.tsx';

const list = '/organizations/{organization}/organization-memberships';

interface Invitation {
  readonly email: string;
  readonly teams: readonly string[];
}

export function InviteMember({ organization }: { readonly organization: string }) {
  const { run, isPending, problem } = useChange(
    ({ email, teams }: Invitation) =>
      api.post(list, {
        path: { organization },
        body: {
          data: {
            type: 'organization-memberships',
            attributes: { email },
            relationships: { teams: { data: teams.map((id) => ({ id })) } },
          },
        },
      }),
    {
      done: (_result, { email }) => `${email} was invited.`,
      outdates: [list, '/organizations/{organization}/teams', '/teams/{id}'],
    },
  );
  return (
    <DialogTrigger>
      <Button kind="main">Invite a person</Button>
      <ModalDialog title="Invite a person">
        {(close) => (
          <EntryForm
            submit="Invite"
            isPending={isPending}
            problem={problem}
            onCancel={close}
            onSubmit={async ({ email = '', ...checked }) => {
              await run({ email, teams: Object.keys(checked) });
              close();
            }}
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
          </EntryForm>
        )}
      </ModalDialog>
    </DialogTrigger>
  );
}

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
