import { type Visibility, visibilities } from '../../access/visibility.ts';
import { api } from '../../api/client.ts';
import { CheckField, Field, SelectField } from '../../parts/field.tsx';
import { SettingsCard } from '../../parts/settings-card.tsx';
import type { Team } from '../../parts/team-parts.tsx';

export const TeamSettings = ({ team: { id, attributes } }: { readonly team: Team }) => (
  <SettingsCard
    save={({ name = '', visibility, ...checked }) => {
      const settings = {
        name,
        visibility: visibility as Visibility,
        'allow-member-token-management': 'allow-member-token-management' in checked,
      };
      return api.patch('/teams/{id}', { path: { id }, body: { data: { type: 'teams', attributes: settings } } });
    }}
    done="The settings were saved."
    outdates={['/teams/{id}', '/organizations/{organization}/teams']}
  >
    <Field label="Name" name="name" defaultValue={attributes.name} isRequired />
    <SelectField label="Visible to" name="visibility" value={attributes.visibility} choices={visibilities} />
    <CheckField
      label="Members can manage the team token"
      name="allow-member-token-management"
      isChecked={attributes['allow-member-token-management']}
    />
  </SettingsCard>
);
