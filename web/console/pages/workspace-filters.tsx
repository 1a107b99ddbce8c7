import { useState } from 'react';
import { useMaybeRead } from '../api/reading.ts';
import { useAddressValues } from '../parts/address-values.ts';
import { Button } from '../parts/button.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterField } from '../parts/filters.tsx';
import { PickerOfMore } from '../parts/picker.tsx';
import { ProjectPicker } from '../parts/project-picker.tsx';
import { runGroupChoices } from '../parts/status-words.ts';

/** The filters of the list of workspaces, kept in the address. */
export function WorkspaceFilters({ organization }: { readonly organization: string }) {
  const [values, change] = useAddressValues();
  const chosen = (values.tags ?? '').split(',').filter((tag) => tag !== '');
  const choose = (names: readonly string[]): void => change({ tags: names.join(',') });
  return (
    <search className="filters" aria-label="Workspaces">
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
      {chosen.map((tag) => (
        <Button
          key={tag}
          aria-label={`Remove the tag ${tag} from the filters`}
          onPress={() => choose(chosen.filter((one) => one !== tag))}
        >
          {tag} ×
        </Button>
      ))}
    </search>
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
  return (
    <PickerOfMore
      label="Tag"
      choices={data?.data
        .map(({ attributes }) => attributes.name)
        .filter((name) => !chosen.includes(name))
        .map((name) => ({ value: name, label: name }))}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      onSearch={setSearch}
      onChoose={onChoose}
    />
  );
}
