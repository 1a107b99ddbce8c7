import { api, included, type Schemas } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { Field } from '../../parts/field.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { duration } from '../../parts/relative-time.ts';
import { Badge } from '../../parts/status.tsx';
import { statusWords } from '../../parts/status-words.ts';
import { Time } from '../../parts/time.tsx';
import { useRunEvents } from '../../run/run-events.ts';
import { outdatedByRuns } from '../../workspace/outdated.ts';

interface Props {
  readonly run: Schemas['client.Run'];
}

type Event = Schemas['client.RunEvent']['attributes'];

/** The events of the run, oldest first, with the comments. It is read again when the run's status changes. */
export function Timeline({ run }: Props) {
  const { data, error } = useRunEvents(run.id);
  return (
    <section className="card" aria-labelledby="timeline">
      <h2 id="timeline">Timeline</h2>
      {error !== null && <ProblemView problem={error} />}
      <ol className="timeline">
        {data?.data.map(({ id, attributes, relationships }, index, events) => {
          const lasted = lengthOf(attributes, events.slice(index + 1));
          const actor = included<Schemas['client.Member']>(data, 'users', relationships.actor.data?.id);
          return (
            <li key={id}>
              <EventBadge action={attributes.action} isOver={index + 1 < events.length} />{' '}
              <Time at={attributes['created-at']} />{' '}
              {lasted !== undefined && <span className="quiet lasted">for {lasted}</span>}
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

/** A step that is over looks like one that is done. */
function EventBadge({ action, isOver }: { readonly action: Event['action']; readonly isOver: boolean }) {
  const [label, tone] = statusWords.event[action];
  return <Badge tone={isOver && tone === 'busy' ? 'idle' : tone}>{label}</Badge>;
}

/** How long the run was in a status in which something worked on it, or in which it waited. */
function lengthOf({ action, 'created-at': from }: Event, later: readonly { readonly attributes: Event }[]) {
  if (!['busy', 'warn'].includes(statusWords.event[action]?.[1])) return undefined;
  const next = later.find(({ attributes }) => attributes.action !== 'commented')?.attributes['created-at'];
  return next === undefined ? undefined : duration(Date.parse(next) - Date.parse(from));
}

function NewComment({ runId }: { readonly runId: string }) {
  const add = useChange(
    (body: string) =>
      api.post('/runs/{id}/comments', {
        path: { id: runId },
        body: { data: { type: 'comments', attributes: { body } } },
      }),
    { done: 'The comment was added.', outdates: outdatedByRuns },
  );
  return (
    // A new form, empty again, for each comment that was added.
    <EntryForm
      key={add.result?.data.id ?? ''}
      submit="Add comment"
      isMain={false}
      isPending={add.isPending}
      problem={add.problem}
      onSubmit={({ body = '' }) => add.run(body)}
    >
      <Field label="Comment" name="body" rows={2} isRequired />
    </EntryForm>
  );
}
