import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { send } from '../../api/client.ts';
import { Problem } from '../../api/problem.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import { Button } from '../../parts/button.tsx';
import { FilterField } from '../../parts/filters.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { ChangeDetails } from './change-details.tsx';
import {
  type Action,
  byModule,
  type Change,
  countsOf,
  matching,
  outputChanges,
  type PlanJson,
  resourceChanges,
} from './plan-changes.ts';

/** The sign of each action, and its words in a count and in a sentence. */
const words: Readonly<Record<Action, readonly [sign: string, count: string, sentence: string]>> = {
  create: ['+', 'to create', 'will be created'],
  update: ['~', 'to update', 'will be updated in place'],
  delete: ['−', 'to destroy', 'will be destroyed'],
  replace: ['±', 'to replace', 'will be replaced'],
  read: ['≤', 'to read', 'will be read during apply'],
  move: ['→', 'moved', 'has moved'],
  import: ['⇒', 'to import', 'will be imported'],
  forget: ['×', 'to forget', 'will no longer be managed'],
};

/** Rows that are drawn at once. */
const step = 50;

/** A list of more changes than this gets a field to search it. */
const few = 5;

/** The JSON form of the plan: whole for those who may read it, or else the redacted one; undefined where there is none. */
async function planJson(id: string, signal: AbortSignal): Promise<PlanJson | null> {
  const response = await send(`/api/v2/plans/${encodeURIComponent(id)}/json-output-redacted`, { signal });
  return response.status === 204 ? null : ((await response.json()) as PlanJson);
}

/** The changes of a finished plan. */
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
  return <Changes plan={data} />;
}

function Changes({ plan }: { readonly plan: PlanJson }) {
  const [{ action, resource }] = useAddressValues();
  const resources = resourceChanges(plan);
  const outputs = outputChanges(plan);
  const found = matching(resources, { action, text: resource });
  if (resources.length === 0 && outputs.length === 0) return <p className="quiet">The plan changes no resource.</p>;
  return (
    <>
      {resources.length > 0 ? (
        <section aria-labelledby="changed-resources">
          <h3 id="changed-resources">Resources ({resources.length})</h3>
          <Filters changes={resources} />
          {found.length === 0 && <p className="empty">No change matches the filter.</p>}
          {/* Another filter begins again with its first rows. */}
          <ChangeList key={`${action} ${resource}`} changes={found} />
        </section>
      ) : (
        <p className="quiet">The plan changes no resource.</p>
      )}
      {outputs.length > 0 && (
        <section aria-labelledby="changed-outputs">
          <h3 id="changed-outputs">Outputs ({outputs.length})</h3>
          <ChangeList changes={outputs} />
        </section>
      )}
    </>
  );
}

/** The counts by action, each a link that shows its changes alone, and a search by address. */
function Filters({ changes }: { readonly changes: readonly Change[] }) {
  const [{ action, resource }, change, hrefWith] = useAddressValues();
  const counts = countsOf(changes);
  return (
    <>
      {counts.length > 1 || action !== undefined ? (
        <ul className="filter-chips" aria-label="Changes by action">
          <li>
            <Chip href={hrefWith({ action: undefined })} isCurrent={action === undefined}>
              All
            </Chip>
          </li>
          {counts.map(([one, count]) => (
            <li key={one} className={`change-${one}`}>
              <Chip href={hrefWith({ action: one })} isCurrent={action === one}>
                <Sign of={one} /> {count} {words[one][1]}
              </Chip>
            </li>
          ))}
        </ul>
      ) : (
        counts.map(([one, count]) => (
          <p key={one} className={`change-${one}`}>
            <Sign of={one} /> {count} {words[one][1]}
          </p>
        ))
      )}
      {(changes.length > few || resource !== undefined) && (
        <div className="filters">
          <FilterField label="Search changes" value={resource} onChange={(text) => change({ resource: text })} />
        </div>
      )}
    </>
  );
}

interface ChipProps {
  readonly href: string;
  readonly isCurrent: boolean;
  readonly children: React.ReactNode;
}

const Chip = ({ href, isCurrent, children }: ChipProps) => (
  <Link href={href} replace aria-current={isCurrent || undefined}>
    {children}
  </Link>
);

const Sign = ({ of: action }: { readonly of: Action }) => (
  <span aria-hidden="true" className="sign">
    {words[action][0]}
  </span>
);

function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  const [shown, setShown] = useState(step);
  const groups = byModule(changes.slice(0, shown));
  return (
    <>
      {groups.map(([module, group]) => (
        <Fragment key={module}>
          {(module !== '' || groups.length > 1) && (
            <h4 className="module">{module === '' ? 'Root module' : <code>{module}</code>}</h4>
          )}
          <ul className="changes">
            {group.map((change) => (
              <li key={`${change.address} ${change.action}`}>
                <OneChange change={change} isFirstOpen={changes.length <= 3} />
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
      {shown < changes.length && (
        <p>
          <Button onPress={() => setShown(shown + step)}>Show {Math.min(step, changes.length - shown)} more</Button>{' '}
          <span className="quiet">
            {shown} of {changes.length} are shown.
          </span>
        </p>
      )}
    </>
  );
}

function OneChange({ change, isFirstOpen }: { readonly change: Change; readonly isFirstOpen: boolean }) {
  const [isOpen, setOpen] = useState(isFirstOpen);
  return (
    <details
      className={`change change-${change.action}`}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <Sign of={change.action} /> <code>{change.name}</code> {words[change.action][2]}
        {change.movedFrom !== undefined && (
          <>
            {' '}
            from <code>{change.movedFrom}</code>
          </>
        )}
      </summary>
      {isOpen && <ChangeDetails change={change} />}
    </details>
  );
}
