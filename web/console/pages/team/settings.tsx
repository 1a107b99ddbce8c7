import { api } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { CheckField, Field, SelectField } from '../../parts/field.tsx';
import type { Team } from '../../parts/team-parts.tsx';
import { type Visibility, visibilities } from './visibility.ts';

interface Settings {
  readonly name: string;
  readonly visibility: Visibility;
  readonly 'allow-member-token-management': boolean;
}

export function TeamSettings({ team: { id, attributes } }: { readonly team: Team }) {
  const save = useChange(
    (settings: Settings) =>
      api.patch('/teams/{id}', { path: { id }, body: { data: { type: 'teams', attributes: settings } } }),
    { done: 'The settings were saved.', outdates: ['/teams/{id}', '/organizations/{organization}/teams'] },
  );
  return (
    <section className="card" aria-labelledby="settings">
      <h2 id="settings">Settings</h2>
      <EntryForm
        submit="Save settings"
        isPending={save.isPending}
        problem={save.problem}
        onSubmit={({ name = '', visibility, ...checked }) =>
          save.run({
            name,
            visibility: visibility as Visibility,
            'allow-member-token-management': 'allow-member-token-management' in checked,
          })
        }
      >
        <Field label="Name" name="name" defaultValue={attributes.name} isRequired />
        <SelectField label="Visible to" name="visibility" value={attributes.visibility} choices={visibilities} />
        <CheckField
          label="Members can manage the team token"
          name="allow-member-token-management"
          isChecked={attributes['allow-member-token-management']}
        />
      </EntryForm>
    </section>
  );
}
