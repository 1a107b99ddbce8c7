import { api, included, type Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Confirmation, Discard } from './actions.tsx';
import { changed } from './changed.ts';
import { stageNames, useStage } from './stages.ts';
import type { TaskResult } from './task-results.tsx';

interface Props {
  readonly run: Schemas['client.Run'];
}

/** The decision that the run waits for: the reason, what follows, and the buttons of those who may take it. */
export function Decision({ run }: Props) {
  const { data } = useMaybeRead('/runs/{runId}/task-stages', { path: { runId: run.id } });
  const stage = data?.data.find(({ attributes }) => attributes.actions['is-overridable']);
  if (stage !== undefined) return <OverrideDecision run={run} stage={stage} />;
  return run.attributes.actions['is-confirmable'] ? <ConfirmDecision run={run} /> : null;
}

function ConfirmDecision({ run }: Props) {
  const { permissions, 'is-destroy': isDestroy } = run.attributes;
  return (
    <section className="card decision" aria-labelledby="decision">
      <h2 id="decision">This plan waits for a confirmation</h2>
      <p>
        {isDestroy
          ? 'Once it is confirmed, it destroys the resources of the workspace.'
          : 'It is applied once it is confirmed.'}
      </p>
      {!permissions['can-apply'] && <p>You may not apply runs of this workspace.</p>}
      <div className="actions">
        <Confirmation run={run} />
        <Discard run={run} />
      </div>
    </section>
  );
}

function OverrideDecision({ run, stage }: Props & { readonly stage: Schemas['client.TaskStage'] }) {
  const document = useStage(stage.id).data;
  const { permissions, stage: place } = stage.attributes;
  const override = useChange(
    (comment: string) => api.post('/task-stages/{id}/actions/override', { path: { id: stage.id }, body: { comment } }),
    { done: 'The failures are overridden.', outdates: changed },
  );
  const tasks = (document?.data.relationships['task-results'].data ?? [])
    .flatMap(({ id }) => included<TaskResult>(document, 'task-results', id) ?? [])
    .filter(
      ({ attributes }) =>
        failed.has(attributes.status) && attributes['workspace-task-enforcement-level'] === 'mandatory',
    );
  return (
    <section className="card decision" aria-labelledby="decision">
      <h2 id="decision">Mandatory checks failed {stageNames[place].toLowerCase()}</h2>
      <ul>
        {document?.data.relationships['policy-evaluations'].data.map(({ id }) => (
          <FailedPolicies key={id} evaluationId={id} />
        ))}
        {tasks.map(({ id, attributes }) => (
          <li key={id}>
            <strong>{attributes['task-name']}</strong>
            {attributes.message && `: ${attributes.message}`}
          </li>
        ))}
      </ul>
      <p>{afterOverride(run)}</p>
      {!permissions['can-override'] && <p>You may not override failed checks of this workspace.</p>}
      <div className="actions">
        {permissions['can-override'] && (
          <Confirm
            trigger="Override"
            title={tasks.length > 0 ? 'Override failed checks?' : 'Override failed policies?'}
            confirm="Override failures"
            isDanger
            comment="Comment"
            needsComment
            onConfirm={override.run}
          >
            <p>{afterOverride(run)} The audit trail records who overrode the failures, with the comment.</p>
          </Confirm>
        )}
        <Discard run={run} />
      </div>
    </section>
  );
}

const failed = new Set(['failed', 'errored', 'unreachable']);

function afterOverride({ attributes }: Schemas['client.Run']): string {
  if (attributes['plan-only']) return 'After an override the run is finished: it only plans.';
  return attributes['auto-apply']
    ? 'After an override the run applies automatically.'
    : 'After an override the apply still has to be confirmed.';
}

/** The mandatory policies that failed, as items of a list. */
function FailedPolicies({ evaluationId }: { readonly evaluationId: string }) {
  const { data } = useMaybeRead('/policy-evaluations/{policyEvaluationId}/policy-set-outcomes', {
    path: { policyEvaluationId: evaluationId },
    query: { 'page[size]': 100 },
  });
  return data?.data.flatMap(({ id, attributes }) =>
    attributes.outcomes
      .filter(({ status, enforcement_level: level }) => failed.has(status) && level !== 'advisory')
      .map(({ policy_name: name }) => (
        <li key={`${id} ${name}`}>
          <strong>{name}</strong> of {attributes['policy-set-name']}
        </li>
      )),
  );
}
