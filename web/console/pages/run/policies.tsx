import { included, type Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { gravestFirst } from '../../run/policy-message.ts';
import { Messages } from '../../run/policy-messages.tsx';
import { useRunEvents } from '../../run/run-events.ts';
import { stageNames, useStage } from '../../run/stages.ts';
import { type TaskResult, TaskResults } from './task-results.tsx';

type Outcome = Schemas['client.PolicySetOutcome'];

/** The policies and tasks that check a run. */
export function Policies({ runId }: { readonly runId: string }) {
  const { data, error } = useMaybeRead('/runs/{runId}/task-stages', { path: { runId } });
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section className="card" aria-labelledby="policies">
      <h2 id="policies">Checks</h2>
      {data.data.map((stage) => (
        <Stage key={stage.id} listed={stage} runId={runId} />
      ))}
    </section>
  );
}

function Stage({ listed, runId }: { readonly listed: Schemas['client.TaskStage']; readonly runId: string }) {
  const { data, error } = useStage(listed.id);
  const { attributes, relationships } = data?.data ?? listed;
  const name = stageNames[attributes.stage];
  const evaluations = relationships['policy-evaluations'].data.flatMap(
    (one) => included<Schemas['client.PolicyEvaluation']>(data, 'policy-evaluations', one.id) ?? [],
  );
  return (
    <>
      <div className="heading">
        <h3>{name}</h3>
        <StatusBadge of="stage" status={attributes.status} />
      </div>
      {error !== null && <ProblemView problem={error} />}
      {evaluations.some((evaluation) => evaluation.attributes.status === 'overridden') && <Overridden runId={runId} />}
      <TaskResults
        stage={name}
        results={relationships['task-results'].data.flatMap(
          (one) => included<TaskResult>(data, 'task-results', one.id) ?? [],
        )}
      />
      {evaluations.map((evaluation) => (
        <Evaluation key={`${evaluation.id} ${evaluation.attributes.status}`} evaluation={evaluation} />
      ))}
    </>
  );
}

/** Who overrode the failures, and the comment. */
function Overridden({ runId }: { readonly runId: string }) {
  const { data } = useRunEvents(runId);
  // Without a decision the policies passed, and the event has no actor.
  const event = data?.data.find(
    ({ attributes, relationships }) => attributes.action === 'post_plan_completed' && relationships.actor.data !== null,
  );
  if (event === undefined) return null;
  const actor = included<Schemas['client.Member']>(data, 'users', event.relationships.actor.data?.id);
  return (
    <p>
      Overridden by {actor?.attributes.username ?? 'a token'} <Time at={event.attributes['created-at']} />
      {event.attributes.comment !== null && `: ${event.attributes.comment}`}
    </p>
  );
}

/** The policy sets that are shown of an evaluation. */
const max = 100;

function Evaluation({ evaluation }: { readonly evaluation: Schemas['client.PolicyEvaluation'] }) {
  const { status } = evaluation.attributes;
  const isDone = !['pending', 'running'].includes(status);
  const { data, error } = useMaybeRead(
    '/policy-evaluations/{policyEvaluationId}/policy-set-outcomes',
    { path: { policyEvaluationId: evaluation.id }, query: { 'page[size]': max } },
    { enabled: isDone },
  );
  if (error !== null) return <ProblemView problem={error} />;
  if (!isDone) return <StatusBadge of="evaluation" status={status} />;
  if (data === undefined) return null;
  const count = data.meta.pagination['total-count'];
  return (
    <>
      <p>{tallyOf(evaluation)}</p>
      {gravestFirst(data.data, judgedSet).map((outcome) => (
        <SetOutcome key={outcome.id} outcome={outcome} />
      ))}
      {count > max && (
        <p>
          The first {max} of {count} policy sets are shown.
        </p>
      )}
    </>
  );
}

/** The number of policies by their result, the gravest first. */
function tallyOf({ attributes: { 'result-count': count } }: Schemas['client.PolicyEvaluation']): string {
  const policies = [
    [count['mandatory-failed'], 'failed'],
    [count.errored, 'errored'],
    [count['advisory-failed'], 'failed but advisory'],
    [count.passed, 'passed'],
  ] as const;
  const some = policies.filter(([number]) => number > 0).map(([number, result]) => `${number} ${result}`);
  return `Policies: ${some.length === 0 ? 'none' : some.join(', ')}.`;
}

const judgedSet = ({ attributes }: Outcome) => ({
  status: attributes.status,
  level: attributes['enforcement-level'],
});

const judgedPolicy = ({ status, enforcement_level: level }: Outcome['attributes']['outcomes'][number]) => ({
  status,
  level,
});

const SetOutcome = ({ outcome: { attributes } }: { readonly outcome: Outcome }) => (
  <section className="policy-set">
    <h3>
      {attributes['policy-set-name']} <StatusBadge of="outcome" status={attributes.status} />
    </h3>
    {attributes['policy-set-description'] && <p className="quiet">{attributes['policy-set-description']}</p>}
    {attributes.error !== '' && <p className="problem">{attributes.error}</p>}
    {attributes.warnings.map((warning) => (
      <p key={warning} className="notice">
        {warning}
      </p>
    ))}
    <ul className="policies">
      {gravestFirst(attributes.outcomes, judgedPolicy).map((policy) => (
        <li key={policy.policy_name}>
          <StatusBadge of="outcome" status={policy.status} /> <strong>{policy.policy_name}</strong>
          {policy.enforcement_level !== null && <span className="quiet"> {policy.enforcement_level}</span>}
          {policy.description !== '' && <p>{policy.description}</p>}
          <Messages policy={policy.policy_name} output={policy.output} />
        </li>
      ))}
    </ul>
  </section>
);
