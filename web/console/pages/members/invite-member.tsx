import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { CheckField, type Choice, Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { PickerOfMore } from '../../parts/picker.tsx';

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
      description="Existing users are added immediately. Others join when they first sign in."
    />
    <TeamChecks organization={organization} />
  </FormDialog>
);

/** Teams whose members the caller may change; the form gets the ids of the chosen ones as names. */
function TeamChecks({ organization }: { readonly organization: string }) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<readonly Choice[]>([]);
  const { data } = useMaybeRead('/organizations/{organization}/teams', {
    path: { organization },
    query: { q: search, 'page[size]': 50 },
  });
  const choices = data?.data
    .filter(({ attributes }) => attributes.permissions['can-update-membership'])
    .map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  const left = choices?.filter(({ value }) => chosen.every((one) => one.value !== value));
  if (search === '' && (choices ?? []).length === 0) return null;
  return (
    <fieldset className="checks">
      <legend>Teams</legend>
      {chosen.map(({ value, label }) => (
        <CheckField key={value} label={label} name={value} isChecked />
      ))}
      <PickerOfMore
        label="Add to team"
        choices={left}
        isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
        onSearch={setSearch}
        onChoose={(id) => setChosen([...chosen, ...(left ?? []).filter(({ value }) => value === id)])}
      />
    </fieldset>
  );
}
