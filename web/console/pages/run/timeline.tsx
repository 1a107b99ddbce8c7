import { api, included, type Schemas } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { changed } from './changed.ts';
import { useRunEvents } from './run-events.ts';

interface Props {
  readonly run: Schemas['client.Run'];
}

/** The events of the run, oldest first, with the comments. It is read again when the run's status changes. */
export function Timeline({ run }: Props) {
  const { data, error } = useRunEvents(run.id);
  return (
    <section className="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {error !== null && <ProblemView problem={error} />}
      <ol className="timeline">
        {data?.data.map(({ id, attributes, relationships }) => {
          const actor = included<Schemas['client.Member']>(data, 'users', relationships.actor.data?.id);
          return (
            <li key={id}>
              <StatusBadge of="event" status={attributes.action} /> <Time at={attributes['created-at']} />
              {actor !== undefined && <span className="quiet"> by {actor.attributes.username}</span>}
              {attributes.comment !== null && <blockquote>{attributes.comment}</blockquote>}
            </li>
          );
        })}
      </ol>
      {run.attributes.permissions['can-comment'] && <NewComment runId={run.id} />}
    </section>
  );
}

function NewComment({ runId }: { readonly runId: string }) {
  const add = useChange(
    (body: string) =>
      api.post('/runs/{id}/comments', {
        path: { id: runId },
        body: { data: { type: 'comments', attributes: { body } } },
      }),
    { done: 'The comment was added.', outdates: changed },
  );
  return (
    // A new form, empty again, for each comment that was added.
    <EntryForm
      key={add.result?.data.id ?? ''}
      submit="Add comment"
      isPending={add.isPending}
      problem={add.problem}
      onSubmit={({ body = '' }) => add.run(body)}
    >
      <Field label="Comment" name="body" rows={2} isRequired />
    </EntryForm>
  );
}
