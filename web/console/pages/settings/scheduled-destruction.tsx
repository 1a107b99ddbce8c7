import { api } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm, type FormValues } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';
import { localText } from '../../parts/local-text.ts';
import type { Workspace } from '../../workspace/workspace.ts';

type Attributes = Workspace['attributes'];

const at = 'auto-destroy-at';
const after = 'auto-destroy-activity-duration';

const begun = (attributes: Attributes): string => (attributes[at] === null ? '' : localText(attributes[at]));

/** Only what differs: a duration that is set alone also sets the time, and a time that is set alone unsets the duration. */
function changeOf(attributes: Attributes, values: FormValues) {
  const { [at]: time = '', [after]: duration = '' } = values;
  const isNewTime = time !== begun(attributes);
  const isNewDuration = duration !== (attributes[after] ?? '');
  return {
    ...(isNewTime && { [at]: time === '' ? null : new Date(time).toISOString() }),
    ...((isNewTime || isNewDuration) && { [after]: duration === '' ? null : duration }),
  };
}

/** When the service destroys the resources of the workspace. */
export function ScheduledDestruction({ workspace: { id, attributes } }: { readonly workspace: Workspace }) {
  const save = useChange(
    (values: FormValues) =>
      api.patch('/workspaces/{id}', {
        path: { id },
        body: { data: { type: 'workspaces', attributes: changeOf(attributes, values) } },
      }),
    { done: 'The schedule was saved.', outdates: ['/organizations/{organization}/workspaces/{name}'] },
  );
  return (
    <section className="card" aria-labelledby="destruction">
      <h2 id="destruction">Scheduled destruction</h2>
      <p>At this time, a run destroys all resources of the workspace. It is applied without confirmation.</p>
      {!attributes.actions['is-destroyable'] && (
        <p className="notice">The settings do not allow destroy runs, so nothing is destroyed.</p>
      )}
      {attributes['inherits-project-auto-destroy'] && attributes[after] !== null && (
        <p className="notice">This is the schedule of the project. Another one here replaces it.</p>
      )}
      <EntryForm
        key={`${attributes[at]} ${attributes[after]}`}
        submit="Save schedule"
        isPending={save.isPending}
        problem={save.problem}
        onSubmit={save.run}
      >
        <Field
          label="Destroy at"
          name={at}
          type="datetime-local"
          defaultValue={begun(attributes)}
          description="Empty for never."
        />
        <Field
          label="Destroy without activity for"
          name={after}
          defaultValue={attributes[after] ?? ''}
          description="Days or hours after the last new state, such as 14d or 12h. They set the time above. Empty for never."
        />
      </EntryForm>
    </section>
  );
}
