import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { Button } from '../../parts/button.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { type Action, type Change, outputChanges, type PlanJson, resourceChanges } from './plan-changes.ts';

const signs: Readonly<Record<Action, string>> = {
  create: '+',
  update: '~',
  delete: '−',
  replace: '±',
  read: '≤',
  move: '→',
  import: '⇒',
  forget: '×',
};

const sentences: Readonly<Record<Action, string>> = {
  create: 'will be created',
  update: 'will be updated in place',
  delete: 'will be destroyed',
  replace: 'will be replaced',
  read: 'will be read during apply',
  move: 'has moved',
  import: 'will be imported',
  forget: 'will no longer be managed',
};

/** Rows that are drawn at once. */
const step = 100;

/** The JSON form of the plan: whole for those who may read it, or else the redacted one; undefined where there is none. */
async function planJson(id: string, signal: AbortSignal): Promise<PlanJson | null> {
  const response = await send(`/api/v2/plans/${encodeURIComponent(id)}/json-output-redacted`, { signal });
  return response.status === 204 ? null : ((await response.json()) as PlanJson);
}

/** The changes of a finished plan, attribute by attribute. */
export function PlannedChanges({ planId }: { readonly planId: string }) {
  const { data, error } = useQuery({
    queryKey: ['plan-json', planId],
    queryFn: ({ signal }) => planJson(planId, signal),
    // A finished plan does not change.
    staleTime: Number.POSITIVE_INFINITY,
  });
  // It contains values of the configuration, which the service shows to workspace admins.
  if (error instanceof Problem && error.status === 404) {
    return <p className="quiet">Your permissions do not include the details of the plan. The log has its summary.</p>;
  }
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return <p className="quiet">Loading the changes…</p>;
  if (data === null) return <p className="quiet">The plan has no JSON form.</p>;
  return (
    <>
      <ChangeList title="Resources" changes={resourceChanges(data)} none="The plan changes no resource." />
      <ChangeList title="Outputs" changes={outputChanges(data)} />
    </>
  );
}

interface ListProps {
  readonly title: string;
  readonly changes: readonly Change[];
  readonly none?: string;
}

function ChangeList({ title, changes, none }: ListProps) {
  const [shown, setShown] = useState(step);
  if (changes.length === 0) return none === undefined ? null : <p className="quiet">{none}</p>;
  return (
    <section aria-label={`Changes of ${title.toLowerCase()}`}>
      <h3>
        {title} ({changes.length})
      </h3>
      <ul className="changes">
        {changes.slice(0, shown).map((change) => (
          <li key={`${change.address} ${change.action}`}>
            <OneChange change={change} isOpen={changes.length <= 3} />
          </li>
        ))}
      </ul>
      {shown < changes.length && (
        <Button onPress={() => setShown(shown + step)}>Show {Math.min(step, changes.length - shown)} more</Button>
      )}
    </section>
  );
}

const OneChange = ({ change, isOpen }: { readonly change: Change; readonly isOpen: boolean }) => (
  <details className={`change change-${change.action}`} open={isOpen}>
    <summary>
      <span aria-hidden="true" className="sign">
        {signs[change.action]}
      </span>{' '}
      <code>{change.address}</code> {sentences[change.action]}
      {change.movedFrom !== undefined && (
        <>
          {' '}
          from <code>{change.movedFrom}</code>
        </>
      )}
    </summary>
    {change.attributes.length > 0 && (
      <table className="table diff">
        <caption className="unseen">Attributes of {change.address}</caption>
        <thead>
          <tr>
            <th scope="col">Attribute</th>
            <th scope="col">Before</th>
            <th scope="col">After</th>
          </tr>
        </thead>
        <tbody>
          {change.attributes.map(({ path, before, after, forcesReplacement }) => (
            <tr key={path}>
              <th scope="row">
                <code>{path || 'value'}</code>
                {forcesReplacement && <em> forces replacement</em>}
              </th>
              <td data-label="Before">
                {before === undefined ? <span className="quiet">absent</span> : <code>{before}</code>}
              </td>
              <td data-label="After">
                {after === undefined ? <span className="quiet">absent</span> : <code>{after}</code>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </details>
);
