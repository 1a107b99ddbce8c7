import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field, SelectField } from '../../parts/field.tsx';

export type Variable = Schemas['client.Variable'];

const categories = [
  { value: 'terraform', label: 'Terraform variable' },
  { value: 'env', label: 'Environment variable' },
] as const;

export const categoryName = (category: string): string =>
  categories.find(({ value }) => value === category)?.label ?? category;

/** The fields of a variable; of an existing one if it is given. */
export function VariableFields({ variable }: { readonly variable?: Variable }) {
  const { attributes } = variable ?? {};
  // The service never returns the value again, and refuses another key for it.
  const isSealed = attributes?.sensitive === true;
  return (
    <>
      <Field
        label="Key"
        name="key"
        isRequired
        autoFocus={!isSealed}
        isReadOnly={isSealed}
        defaultValue={attributes?.key ?? ''}
      />
      <div className="mono">
        <Field
          label="Value"
          name="value"
          rows={3}
          autoFocus={isSealed}
          defaultValue={attributes?.value ?? ''}
          {...(isSealed && { description: 'It cannot be shown. Leave this empty to keep it.' })}
        />
      </div>
      {!isSealed && (
        <SelectField
          label="Category"
          name="category"
          value={attributes?.category ?? 'terraform'}
          choices={categories}
        />
      )}
      <Field label="Description" name="description" defaultValue={attributes?.description ?? ''} />
      <CheckField label="HCL: the value is an expression" name="hcl" isChecked={attributes?.hcl ?? false} />
      {!isSealed && <CheckField label="Sensitive: the value is never shown again" name="sensitive" />}
    </>
  );
}

/** A new variable. */
export const draftOf = ({ key = '', value = '', category, description = '', hcl, sensitive }: FormValues) => ({
  type: 'vars' as const,
  attributes: {
    key,
    value,
    category: category === 'env' ? ('env' as const) : ('terraform' as const),
    description,
    hcl: hcl === 'on',
    sensitive: sensitive === 'on',
  },
});

/** The change of a variable; a sensitive one keeps its value unless there is another. */
export function changeOf(variable: Variable, values: FormValues) {
  const { attributes } = draftOf(values);
  const { description, hcl, value } = attributes;
  if (!variable.attributes.sensitive) return { type: 'vars' as const, id: variable.id, attributes };
  return {
    type: 'vars' as const,
    id: variable.id,
    attributes: { description, hcl, ...(value !== '' && { value }) },
  };
}
