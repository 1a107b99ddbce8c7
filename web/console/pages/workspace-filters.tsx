import { useMaybeRead } from '../api/reading.ts';
import { useAddressValues } from '../parts/address-values.ts';
import { Button } from '../parts/button.tsx';
import { SelectField } from '../parts/field.tsx';
import { FilterField } from '../parts/filters.tsx';

const any = { value: '', label: 'Any' };

/** Groups of run statuses, by what a person asks for. */
const statuses = [
  any,
  { value: 'planned,post_plan_completed,post_plan_awaiting_decision,planned_and_saved', label: 'Needs attention' },
  {
    value:
      'pending,fetching,pre_plan_running,pre_plan_completed,plan_queued,planning,post_plan_running,confirmed,' +
      'pre_apply_running,pre_apply_completed,apply_queued,applying',
    label: 'In progress',
  },
  { value: 'applied,planned_and_finished', label: 'Finished' },
  { value: 'errored', label: 'Errored' },
  { value: 'discarded,canceled', label: 'Discarded or canceled' },
];

/** The filters of the list of workspaces, kept in the address. */
export function WorkspaceFilters({ organization }: { readonly organization: string }) {
  const [values, change] = useAddressValues();
  const ofOrganization = { path: { organization }, query: { 'page[size]': 100 } } as const;
  const projects = useMaybeRead('/organizations/{organization}/projects', ofOrganization).data?.data ?? [];
  const tags = useMaybeRead('/organizations/{organization}/tags', ofOrganization).data?.data ?? [];
  const chosen = (values.tags ?? '').split(',').filter((tag) => tag !== '');
  const choose = (names: readonly string[]): void => change({ tags: names.join(',') });
  return (
    <search className="filters" aria-label="Workspaces">
      <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
      <SelectField
        label="Status"
        value={values.status ?? ''}
        choices={statuses}
        onChange={(status) => change({ status })}
      />
      <SelectField
        label="Project"
        value={values.project ?? ''}
        choices={[any, ...projects.map(({ id, attributes }) => ({ value: id, label: attributes.name }))]}
        onChange={(project) => change({ project })}
      />
      {(tags.length > 0 || chosen.length > 0) && (
        <SelectField
          label="Tag"
          value=""
          choices={[
            any,
            ...tags
              .map(({ attributes }) => attributes.name)
              .filter((name) => !chosen.includes(name))
              .map((name) => ({ value: name, label: name })),
          ]}
          onChange={(tag) => choose([...chosen, tag])}
        />
      )}
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
