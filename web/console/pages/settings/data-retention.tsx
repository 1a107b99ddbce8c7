import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm, type FormValues } from '../../parts/entry-form.tsx';
import { Field, SelectField } from '../../parts/field.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

type Policy = Schemas['client.DataRetentionPolicyDeleteOlder'] | Schemas['client.DataRetentionPolicyDontDelete'];
type Kind = Policy['type'] | '';

const path = '/workspaces/{id}/relationships/data-retention-policy';
const deleting = 'data-retention-policy-delete-olders';
const days = 'delete-older-than-n-days';

const choices: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: '', label: 'Site default' },
  { value: deleting, label: 'Delete them after a number of days' },
  { value: 'data-retention-policy-dont-deletes', label: 'Keep them' },
];

/** How long the workspace keeps configuration versions and states that are not current. */
export function DataRetention({ workspace: { id, relationships } }: { readonly workspace: Workspace }) {
  const kind = relationships['data-retention-policy'].data?.type ?? '';
  // The relationship has the kind; only one of them has more.
  const { data, error } = useMaybeRead(path, { path: { id } }, { enabled: kind === deleting });
  const shown = data?.data.type === deleting ? String(data.data.attributes[days]) : '';
  return (
    <section className="card" aria-labelledby="retention">
      <h2 id="retention">Old configurations and states</h2>
      <p>Delete old configuration versions and states after a number of days.</p>
      {error !== null && <ProblemView problem={error} />}
      {(kind !== deleting || data !== undefined) && (
        <Policy key={`${kind} ${shown}`} workspaceId={id} kind={kind} shown={shown} />
      )}
    </section>
  );
}

interface PolicyProps {
  readonly workspaceId: string;
  readonly kind: Kind;
  /** The days, or nothing. */
  readonly shown: string;
}

function Policy({ workspaceId, kind, shown }: PolicyProps) {
  const [chosen, setChosen] = useState<string>(kind);
  const save = useChange(
    async (values: FormValues): Promise<void> => {
      const options = { path: { id: workspaceId } };
      if (chosen === deleting) {
        const attributes = { [days]: Number(values[days]) };
        await api.post(path, { ...options, body: { data: { type: deleting, attributes } } });
      } else if (chosen === '') {
        if (kind !== '') await api.delete(path, options);
      } else {
        await api.post(path, { ...options, body: { data: { type: 'data-retention-policy-dont-deletes' } } });
      }
    },
    { done: 'The retention was saved.', outdates: [path, '/organizations/{organization}/workspaces/{name}'] },
  );
  return (
    <EntryForm submit="Save retention" isPending={save.isPending} problem={save.problem} onSubmit={save.run}>
      <SelectField label="Old files" name="kind" value={chosen} choices={choices} onChange={setChosen} />
      {chosen === deleting && (
        <Field label="Days" name={days} type="number" isRequired defaultValue={shown} description="At least 1." />
      )}
    </EntryForm>
  );
}
