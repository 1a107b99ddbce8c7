import { Link } from 'wouter';
import type { Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Duration } from '../parts/duration.tsx';
import { StatusBadge } from '../parts/status.tsx';
import { hasEnded } from '../parts/status-words.ts';
import { stepsOf } from './stage-bar.ts';
import { stageNames } from './stages.ts';

interface Props {
  readonly run: Schemas['client.Run'];
  readonly plan: Schemas['client.Plan'] | undefined;
  readonly apply: Schemas['client.Apply'] | undefined;
  /** The page of the run, where the steps stand on another page. */
  readonly page?: string;
}

const names = { ...stageNames, plan: 'Plan', confirmation: 'Confirmation', apply: 'Apply' } as const;

/** The steps of a run in one line, each a link to its part of the page, or to the page of the run. */
export function StageLinks({ run, plan, apply, page }: Props) {
  const { data } = useMaybeRead('/runs/{runId}/task-stages', { path: { runId: run.id } });
  const checks = (data?.data ?? []).map(({ attributes }) => attributes);
  const isOver = hasEnded(run.attributes.status);
  const steps = stepsOf(run.attributes, { plan: plan?.attributes, apply: apply?.attributes, checks, isOver });
  return (
    <nav aria-label="Stages" className="stages">
      <ol>
        {steps.map(({ place, section, from, to, ...step }) => {
          const shown = (
            <>
              <span className="stage-name">{names[place]}</span>{' '}
              <StatusBadge of={step.of} status={step.status as never} />{' '}
              {from !== undefined && <Duration from={from} to={to} />}
            </>
          );
          return (
            <li key={place}>
              {page === undefined ? <a href={`#${section}`}>{shown}</a> : <Link href={page}>{shown}</Link>}
            </li>
          );
        })}
      </ol>
    </nav>
  );
}
