import { useState } from 'react';
import { useMaybeRead } from '../../api/reading.ts';
import { type Choice, Field, SelectField } from '../../parts/field.tsx';

interface Props {
  readonly organization: string;
  /** Only pools that may serve it are offered. */
  readonly workspace?: string;
  readonly mode: { readonly name: string; readonly value: string; readonly choices: readonly Choice[] };
  readonly pool: { readonly name: string; readonly value: string; readonly none: string };
  /** Whether the caller may list the pools. Others name a pool by its id. */
  readonly mayList: boolean;
}

/** The execution mode, and the agent pool where the mode has one. */
export function ExecutionFields({ organization, workspace = '', mode, pool, mayList }: Props) {
  const [chosen, setChosen] = useState(mode.value);
  const { data } = useMaybeRead(
    '/organizations/{organization}/agent-pools',
    { path: { organization }, query: { 'filter[allowed_workspaces][name]': workspace, 'page[size]': 100 } },
    { enabled: mayList },
  );
  const pools = (data?.data ?? []).map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  // The pool in use may be one that the list does not have.
  const isListed = pool.value === '' || pools.some(({ value }) => value === pool.value);
  const others = isListed ? pools : [...pools, { value: pool.value, label: pool.value }];
  return (
    <>
      <SelectField label="Execution mode" name={mode.name} value={chosen} choices={mode.choices} onChange={setChosen} />
      {chosen === 'agent' &&
        (mayList ? (
          data !== undefined && (
            <SelectField
              label="Agent pool"
              name={pool.name}
              value={pool.value}
              choices={[{ value: '', label: pool.none }, ...others]}
            />
          )
        ) : (
          <Field label="ID of the agent pool" name={pool.name} defaultValue={pool.value} />
        ))}
    </>
  );
}

/** Agents of a pool can read what its workspaces hold, so the service names others who issued tokens of it. */
export function savedSentence(relationships: {
  readonly 'agent-pool-token-creators'?: { readonly data: readonly { readonly id: string }[] };
}): string {
  const creators = relationships['agent-pool-token-creators']?.data ?? [];
  const others = creators.map(({ id }) => id).join(', ');
  return `The settings were saved.${others === '' ? '' : ` Others who issued tokens of the agent pool: ${others}.`}`;
}
