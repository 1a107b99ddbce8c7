import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Picker } from './picker.tsx';

type Project = Schemas['client.Project'];

interface Props {
  readonly organization: string;
  readonly label: string;
  readonly name?: string;
  /** The id of the project that is chosen at first, or nothing. */
  readonly value?: string;
  /** Which projects are offered. */
  readonly offers?: (project: Project) => boolean;
  /** A choice for no project; without one, a project is required. */
  readonly none?: string;
  readonly onChoose?: (id: string) => void;
}

/** A field for a project; its form gets the id. */
export function ProjectPicker({ organization, value = '', offers = () => true, none, ...field }: Props) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/projects', {
    path: { organization },
    query: { q: search, 'page[size]': 50 },
  });
  const current = useMaybeRead('/projects/{id}', { path: { id: value } }, { enabled: value !== '' });
  // Its name is not known yet.
  if (value !== '' && current.isPending) return null;
  const nothing = none === undefined ? [] : [{ value: '', label: none }];
  const [chosen] = value === '' ? nothing : [{ value, label: current.data?.data.attributes.name ?? value }];
  const offered = data?.data
    .filter((project) => project.id === value || offers(project))
    .map(({ id, attributes }) => ({ value: id, label: attributes.name }));
  return (
    <Picker
      // Another address has another project.
      key={value}
      {...field}
      chosen={chosen}
      choices={offered && [...(search === '' ? nothing : []), ...offered]}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      onSearch={setSearch}
      isRequired={none === undefined}
    />
  );
}
