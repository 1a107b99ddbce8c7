import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import type { FormValues } from '../../parts/entry-form.tsx';
import { Field, SelectField } from '../../parts/field.tsx';

export type Policy = Schemas['client.Policy'];
type Kind = Policy['attributes']['kind'];
type Level = Policy['attributes']['enforcement-level'];

export const kinds = [
  { value: 'opa', label: 'OPA' },
  { value: 'sentinel', label: 'Sentinel' },
] as const;

const levels: Readonly<Record<Kind, readonly Level[]>> = {
  opa: ['advisory', 'mandatory'],
  sentinel: ['advisory', 'soft-mandatory', 'hard-mandatory'],
};

interface Props {
  readonly policy?: Policy;
}

/** The settings of a policy. Name and kind cannot be changed later. */
export function PolicyFields({ policy }: Props) {
  const { attributes } = policy ?? {};
  const [kind, setKind] = useState<Kind>(attributes?.kind ?? 'opa');
  return (
    <>
      {attributes === undefined && (
        <>
          <Field label="Name" name="name" isRequired autoFocus />
          <SelectField
            label="Kind"
            name="kind"
            value={kind}
            choices={kinds}
            onChange={(value) => setKind(value as Kind)}
          />
        </>
      )}
      {kind === 'opa' && (
        <Field
          label="Query"
          name="query"
          isRequired
          defaultValue={attributes?.query ?? ''}
          description="The rule to evaluate, such as data.terraform.deny."
        />
      )}
      <SelectField
        key={kind}
        label="Enforcement level"
        name="enforcement-level"
        value={attributes?.['enforcement-level'] ?? 'advisory'}
        choices={levels[kind].map((value) => ({ value, label: value.replace('-', ' ') }))}
      />
      <Field label="Description" name="description" defaultValue={attributes?.description ?? ''} />
    </>
  );
}

/** The settings that the form names. */
export const policySettings = ({ description = '', query, 'enforcement-level': level }: FormValues) => ({
  description,
  'enforcement-level': level as Level,
  ...(query !== undefined && { query }),
});

export const kindOf = (values: FormValues): Kind => (values.kind === 'sentinel' ? 'sentinel' : 'opa');
