import { useState } from 'react';
import { useMaybeRead } from '../../api/reading.ts';
import { useAddressValues, type Values } from '../../parts/address-values.ts';
import { FilterChips } from '../../parts/chips.tsx';
import { SelectField } from '../../parts/field.tsx';
import { FilterBar, FilterField } from '../../parts/filters.tsx';
import { PickerOfNames } from '../../parts/picker.tsx';
import { ProjectPicker } from '../../parts/project-picker.tsx';
import { runGroupChoices } from '../../parts/status-words.ts';

const sorts = [
  { value: '', label: 'By name' },
  { value: '-current-run.created-at', label: 'Latest run first' },
  { value: '-latest-change-at', label: 'Latest change first' },
] as const;

/** The order that the address asks for; the service refuses others. */
export const sortIn = ({ sort }: Values) =>
  sorts.find(({ value }) => value === sort && value !== '')?.value || undefined;

/** The filters of the list of workspaces, kept in the address. */
export function WorkspaceFilters({ organization }: { readonly organization: string }) {
  const [values, change] = useAddressValues();
  const chosen = (values.tags ?? '').split(',').filter((tag) => tag !== '');
  const choose = (names: readonly string[]): void => change({ tags: names.join(',') });
  return (
    <FilterBar of="Workspaces">
      <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
      <SelectField
        label="Status"
        value={values.status ?? ''}
        choices={runGroupChoices}
        onChange={(status) => change({ status })}
      />
      <ProjectPicker
        organization={organization}
        label="Project"
        value={values.project ?? ''}
        none="Any"
        onChoose={(project) => change({ project })}
      />
      <TagPicker organization={organization} chosen={chosen} onChoose={(tag) => choose([...chosen, tag])} />
      <FilterChips what="tag" names={chosen} onRemove={(tag) => choose(chosen.filter((one) => one !== tag))} />
      <SelectField label="Sort" value={values.sort ?? ''} choices={sorts} onChange={(sort) => change({ sort })} />
    </FilterBar>
  );
}

interface TagProps {
  readonly organization: string;
  readonly chosen: readonly string[];
  readonly onChoose: (tag: string) => void;
}

/** A field for one more tag; absent while the organization has none. */
function TagPicker({ organization, chosen, onChoose }: TagProps) {
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead('/organizations/{organization}/tags', {
    path: { organization },
    query: { q: search, 'page[size]': 50 },
  });
  if (search === '' && (data?.data ?? []).length === 0) return null;
  return <PickerOfNames label="Tag" found={data} chosen={chosen} onSearch={setSearch} onChoose={onChoose} />;
}
