import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field } from '../../parts/field.tsx';

export type VariableSet = Schemas['client.VariableSet'];

/** The fields of a variable set; of an existing one if it is given. */
export const VariableSetFields = ({ set }: { readonly set?: VariableSet }) => (
  <>
    <Field
      label="Name"
      name="name"
      isRequired
      autoFocus={set === undefined}
      defaultValue={set?.attributes.name ?? ''}
    />
    <Field label="Description" name="description" defaultValue={set?.attributes.description ?? ''} />
    {set?.relationships.parent.data.type !== 'projects' && (
      <CheckField
        label="Global: applies to every workspace in the organization"
        name="global"
        isChecked={set?.attributes.global ?? false}
      />
    )}
    <CheckField
      label="Priority: its variables override those of workspaces and runs"
      name="priority"
      isChecked={set?.attributes.priority ?? false}
    />
  </>
);

export const settingsOf = ({ name = '', description = '', global, priority }: FormValues) => ({
  name,
  description,
  global: global === 'on',
  priority: priority === 'on',
});
