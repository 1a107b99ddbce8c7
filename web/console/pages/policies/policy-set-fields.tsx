import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field, SelectField } from '../../parts/field.tsx';
import { kinds } from './policy-fields.tsx';

export type PolicySet = Schemas['client.PolicySet'];

/** The settings of a policy set; of an existing one if it is given. */
export const PolicySetFields = ({ set }: { readonly set?: PolicySet }) => (
  <>
    <Field
      label="Name"
      name="name"
      isRequired
      autoFocus={set === undefined}
      defaultValue={set?.attributes.name ?? ''}
    />
    <Field label="Description" name="description" defaultValue={set?.attributes.description ?? ''} />
    {set === undefined && <SelectField label="Kind" name="kind" value="opa" choices={kinds} />}
    <Field
      label="Policy engine version"
      name="policy-tool-version"
      defaultValue={set?.attributes['policy-tool-version'] ?? ''}
      description="The version that the policies are written for. Empty for any."
    />
    <CheckField
      label="Global: applies to every workspace in the organization"
      name="global"
      isChecked={set?.attributes.global ?? false}
    />
    <CheckField
      label="Overridable: a failed mandatory policy may be overridden"
      name="overridable"
      isChecked={set?.attributes.overridable ?? false}
    />
  </>
);

export const policySetSettings = ({ name = '', description = '', global, overridable, ...values }: FormValues) => ({
  name,
  description,
  global: global === 'on',
  overridable: overridable === 'on',
  'policy-tool-version': values['policy-tool-version'] || null,
});
