import { api, type Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { OutsideLink } from '../../parts/outside-link.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { changed } from './changed.ts';

type Outcome = Schemas['client.PolicySetOutcome'];

/** The policies and tasks that a run is held to. */
export function Policies({ runId }: { readonly runId: string }) {
  const { data, error } = useMaybeRead('/runs/{runId}/task-stages', { path: { runId } });
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined || data.data.length === 0) return null;
  return (
    <section className="card" aria-labelledby="policies">
      <h2 id="policies">Checks</h2>
      {data.data.map((stage) => (
        <Stage key={stage.id} stage={stage} />
      ))}
    </section>
  );
}

function Stage({ stage }: { readonly stage: Schemas['client.TaskStage'] }) {
  const { status, permissions, actions } = stage.attributes;
  const { data } = useMaybeRead('/task-stages/{taskStageId}/policy-evaluations', { path: { taskStageId: stage.id } });
  const override = useChange(
    (comment: string) => api.post('/task-stages/{id}/actions/override', { path: { id: stage.id }, body: { comment } }),
    { done: 'The failures are overridden.', outdates: changed },
  );
  return (
    <>
      <div className="heading">
        <h3>{stages[stage.attributes.stage]}</h3>
        <StatusBadge status={status} />
        <div className="actions">
          {actions['is-overridable'] && permissions['can-override'] && (
            <Confirm
              trigger="Override"
              title="Override what failed?"
              confirm="Override failures"
              isDanger
              comment="Comment (optional)"
              onConfirm={override.run}
            >
              <p>
                The run goes on although mandatory policies or tasks failed. The audit trail records who overrode them.
              </p>
            </Confirm>
          )}
        </div>
      </div>
      <TaskResults stageId={stage.id} count={stage.relationships['task-results'].data.length} />
      {data?.data.map((evaluation) => (
        <Evaluation key={`${evaluation.id} ${evaluation.attributes.status}`} evaluation={evaluation} />
      ))}
    </>
  );
}

const stages = {
  pre_plan: 'Before the plan',
  post_plan: 'After the plan',
  pre_apply: 'Before the apply',
  post_apply: 'After the apply',
} as const;

/** The results of the run tasks of a stage. */
function TaskResults(props: { readonly stageId: string; readonly count: number }) {
  const { data } = useMaybeRead(
    '/task-stages/{id}',
    { path: { id: props.stageId }, query: { include: ['task_results'] } },
    { enabled: props.count > 0 },
  );
  const results = (data?.included ?? []).filter((one) => one.type === 'task-results');
  if (results.length === 0) return null;
  return (
    <ul className="policies">
      {results.map(({ id, attributes }) => (
        <li key={id}>
          <StatusBadge status={attributes.status} /> <strong>{attributes['task-name']}</strong>
          <span className="quiet"> {attributes['workspace-task-enforcement-level']}</span>
          {attributes.message !== '' && <p>{attributes.message}</p>}
          <OutsideLink href={attributes.url}>{attributes.url === '' ? null : 'Details of the task'}</OutsideLink>
        </li>
      ))}
    </ul>
  );
}

function Evaluation({ evaluation }: { readonly evaluation: Schemas['client.PolicyEvaluation'] }) {
  const { status } = evaluation.attributes;
  const isDone = !['pending', 'running'].includes(status);
  const { data, error } = useMaybeRead(
    '/policy-evaluations/{policyEvaluationId}/policy-set-outcomes',
    { path: { policyEvaluationId: evaluation.id }, query: { 'page[size]': 100 } },
    { enabled: isDone },
  );
  if (error !== null) return <ProblemView problem={error} />;
  if (!isDone) return <StatusBadge status={status} />;
  return data?.data.map((outcome) => <SetOutcome key={outcome.id} outcome={outcome} />);
}

const SetOutcome = ({ outcome: { attributes } }: { readonly outcome: Outcome }) => (
  <section className="policy-set">
    <h3>
      {attributes['policy-set-name']} <StatusBadge status={attributes.status} />
    </h3>
    {attributes['policy-set-description'] && <p className="quiet">{attributes['policy-set-description']}</p>}
    {attributes.error !== '' && <p className="problem">{attributes.error}</p>}
    {attributes.warnings.map((warning) => (
      <p key={warning} className="notice">
        {warning}
      </p>
    ))}
    <ul className="policies">
      {attributes.outcomes.map((policy) => (
        <li key={policy.policy_name}>
          <StatusBadge status={policy.status} /> <strong>{policy.policy_name}</strong>
          {policy.enforcement_level !== null && <span className="quiet"> {policy.enforcement_level}</span>}
          {policy.description !== '' && <p>{policy.description}</p>}
          <Messages output={policy.output} />
        </li>
      ))}
    </ul>
  </section>
);

const Messages = ({ output }: { readonly output: readonly unknown[] | null }) =>
  output === null || output.length === 0 ? null : (
    <ul>
      {output.map((message) => {
        const text = typeof message === 'string' ? message : JSON.stringify(message);
        return <li key={text}>{text}</li>;
      })}
    </ul>
  );
