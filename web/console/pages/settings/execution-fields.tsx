import { useState } from 'react';
import { useMaybeRead } from '../../api/reading.ts';
import { type Choice, Field, SelectField } from '../../parts/field.tsx';
import { Picker } from '../../parts/picker.tsx';

interface PoolProps {
  readonly organization: string;
  readonly workspace: string;
  readonly name: string;
  readonly value: string;
  readonly none: string;
}

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
  return (
    <>
      <SelectField label="Execution mode" name={mode.name} value={chosen} choices={mode.choices} onChange={setChosen} />
      {chosen === 'agent' &&
        (mayList ? (
          <PoolPicker organization={organization} workspace={workspace} {...pool} />
        ) : (
          <Field label="Agent pool ID" name={pool.name} defaultValue={pool.value} />
        ))}
    </>
  );
}

function PoolPicker({ organization, workspace, name, value, none }: PoolProps) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/agent-pools', {
    path: { organization },
    query: { q: search, 'filter[allowed_workspaces][name]': workspace, 'page[size]': 50 },
  });
  const current = useMaybeRead('/agent-pools/{id}', { path: { id: value } }, { enabled: value !== '' });
  // Its name is not known yet.
  if (value !== '' && current.isPending) return null;
  const nothing = { value: '', label: none };
  const pools = data?.data.map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  return (
    <Picker
      label="Agent pool"
      name={name}
      chosen={value === '' ? nothing : { value, label: current.data?.data.attributes.name ?? value }}
      choices={pools && [...(search === '' ? [nothing] : []), ...pools]}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      onSearch={setSearch}
    />
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
