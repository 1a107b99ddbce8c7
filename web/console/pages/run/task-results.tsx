import type { Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { Chips } from '../../parts/chips.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { StatusBadge } from '../../parts/status.tsx';

export type TaskResult = Schemas['client.TaskResult'];

interface Props {
  /** Such as `After the plan`: the same task may be called at several. */
  readonly stage: string;
  readonly results: readonly TaskResult[];
}

/** The results of the run tasks of a stage. The texts of a task may be Markdown, and are shown as they are. */
export const TaskResults = ({ stage, results }: Props) =>
  results.length > 0 && (
    <ul className="policies" aria-label={`Tasks ${stage.toLowerCase()}`}>
      {results.map(({ id, attributes }) => (
        <li key={id}>
          <StatusBadge of="task" status={attributes.status} /> <strong>{attributes['task-name']}</strong>
          <span className="quiet"> {attributes['workspace-task-enforcement-level']}</span>
          {attributes.message !== '' && <p>{attributes.message}</p>}
          {attributes.url !== '' && (
            <p>
              <OutsideLink href={attributes.url}>
                {`Details of ${attributes['task-name']} ${stage.toLowerCase()}`}
              </OutsideLink>
            </p>
          )}
          {['passed', 'failed'].includes(attributes.status) && <Outcomes resultId={id} />}
        </li>
      ))}
    </ul>
  );

/** The findings of a task, which it reports all at once, together with its result. */
function Outcomes({ resultId }: { readonly resultId: string }) {
  const { data, error } = useMaybeRead('/task-results/{taskResultId}/outcomes', {
    path: { taskResultId: resultId },
    query: { 'page[size]': 100 },
  });
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined || data.data.length === 0) return null;
  return (
    <details>
      <summary>Outcomes: {data.data.length}</summary>
      <ul className="policies">
        {data.data.map(({ id, attributes: { body, description, tags, url, 'outcome-id': ownId } }) => (
          <li key={id}>
            <strong>{description || ownId}</strong>{' '}
            <Chips
              texts={Object.entries(tags).flatMap(([name, values]) => values.map(({ label }) => `${name}: ${label}`))}
            />
            {body !== '' && <blockquote>{body}</blockquote>}
            {url !== '' && (
              <p>
                <OutsideLink href={url}>Details of {ownId}</OutsideLink>
              </p>
            )}
          </li>
        ))}
      </ul>
    </details>
  );
}
