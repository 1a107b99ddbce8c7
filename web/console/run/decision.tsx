import { type ReactNode, useState } from 'react';
import { api, included, type Schemas } from '../api/client.ts';
import { Problem } from '../api/problem.ts';
import { outdated, useMaybeRead } from '../api/reading.ts';
import { Button, Sending } from '../parts/button.tsx';
import { useChange } from '../parts/change.ts';
import { Field } from '../parts/field.tsx';
import { ProblemView } from '../parts/problem-view.tsx';
import { outdatedByRuns } from '../workspace/outdated.ts';
import { Overtaken } from './overtaken.tsx';
import { firstTextOf } from './policy-message.ts';
import { stageNames, useStage } from './stages.ts';
import { WhoDecides } from './who-decides.tsx';

interface Props {
  readonly organization: string;
  readonly run: Schemas['client.Run'];
  readonly plan: Schemas['client.Plan'] | undefined;
}

/** The decision that the run waits for: the reason, what follows, and the buttons of those who may take it. */
export function Decision(props: Props) {
  const { run } = props;
  const [isOvertaken, setOvertaken] = useState(false);
  const { data } = useMaybeRead('/runs/{runId}/task-stages', { path: { runId: run.id } });
  const stage = data?.data.find(({ attributes }) => attributes.actions['is-overridable']);
  const decide = async (send: () => Promise<unknown>): Promise<boolean> => {
    setOvertaken(false);
    try {
      await send();
      return true;
    } catch (problem) {
      if (!(problem instanceof Problem) || problem.status !== 409) throw problem;
      setOvertaken(true);
      await outdated(...outdatedByRuns);
      return false;
    }
  };
  return (
    <>
      {isOvertaken && <Overtaken runId={run.id} />}
      {stage !== undefined ? (
        <OverrideDecision {...props} stage={stage} decide={decide} />
      ) : (
        run.attributes.actions['is-confirmable'] && <ConfirmDecision {...props} decide={decide} />
      )}
    </>
  );
}

interface DecidingProps extends Props {
  /** Sends a decision. Returns whether it was taken: false if another came before it. */
  readonly decide: (send: () => Promise<unknown>) => Promise<boolean>;
}

function ConfirmDecision({ organization, run, plan, decide }: DecidingProps) {
  const { permissions } = run.attributes;
  return (
    <section className="card decision" aria-labelledby="decision">
      <h2 id="decision">This plan waits for a confirmation</h2>
      <p>{whatApplies(run, plan)}</p>
      <WhoDecides organization={organization} runId={run.id} may={permissions['can-apply']} />
      <Buttons
        run={run}
        decide={decide}
        label="Comment (optional)"
        main={
          permissions['can-apply']
            ? {
                label: 'Confirm and apply',
                done: 'The run is confirmed.',
                isDanger: run.attributes['is-destroy'],
                send: (comment) => api.post('/runs/{id}/actions/apply', { path: { id: run.id }, body: { comment } }),
              }
            : undefined
        }
      />
    </section>
  );
}

function OverrideDecision({
  organization,
  run,
  plan,
  stage,
  decide,
}: DecidingProps & { readonly stage: Schemas['client.TaskStage'] }) {
  const document = useStage(stage.id).data;
  const { permissions, stage: place } = stage.attributes;
  const tasks = (document?.data.relationships['task-results'].data ?? [])
    .flatMap(({ id }) => included<Schemas['client.TaskResult']>(document, 'task-results', id) ?? [])
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
      <p>
        {afterOverride(run)} {whatApplies(run, plan)}
      </p>
      <WhoDecides organization={organization} runId={run.id} may={permissions['can-override']} />
      <Buttons
        run={run}
        decide={decide}
        label={permissions['can-override'] ? 'Comment (an override needs one)' : 'Comment (optional)'}
        main={
          permissions['can-override']
            ? {
                label: 'Override failures',
                done: 'The failures are overridden.',
                isDanger: true,
                needsComment: true,
                send: (comment) =>
                  api.post('/task-stages/{id}/actions/override', { path: { id: stage.id }, body: { comment } }),
              }
            : undefined
        }
      />
    </section>
  );
}

interface Act {
  readonly label: string;
  readonly done: string;
  readonly isDanger?: boolean;
  readonly needsComment?: boolean;
  readonly send: (comment: string) => Promise<unknown>;
}

interface ButtonsProps {
  readonly run: Schemas['client.Run'];
  readonly decide: DecidingProps['decide'];
  /** The label of the comment, which goes with either button. */
  readonly label: string;
  /** Undefined for those who may not. */
  readonly main: Act | undefined;
}

/** A comment, and the buttons that send it along. */
function Buttons({ run, decide, label, main }: ButtonsProps) {
  const [comment, setComment] = useState('');
  const { actions, permissions } = run.attributes;
  const mayDiscard = actions['is-discardable'] && permissions['can-discard'];
  const act = useChange(({ send }: Act) => decide(() => send(comment)), {
    done: (wasTaken, { done }) => (wasTaken ? done : 'Your decision was not taken.'),
    outdates: outdatedByRuns,
  });
  const discard: Act = {
    label: 'Discard',
    done: 'The run is discarded.',
    send: (text) => api.post('/runs/{id}/actions/discard', { path: { id: run.id }, body: { comment: text } }),
  };
  if (main === undefined && !mayDiscard) return null;
  const press = (one: Act) => () => void act.run(one).catch(() => undefined);
  return (
    <>
      <Field label={label} value={comment} onChange={setComment} rows={2} />
      {act.problem !== undefined && !act.isPending && <ProblemView problem={act.problem} />}
      <Sending isPending={act.isPending} />
      <div className="actions">
        {main !== undefined && (
          <Button
            kind={main.isDanger ? 'danger' : 'main'}
            isPending={act.isPending}
            isDisabled={main.needsComment === true && comment.trim() === ''}
            onPress={press(main)}
          >
            {main.label}
          </Button>
        )}
        {mayDiscard && (
          <Button isPending={act.isPending} onPress={press(discard)}>
            {discard.label}
          </Button>
        )}
      </div>
    </>
  );
}

const failed = new Set(['failed', 'errored', 'unreachable']);

/** The effect of an apply in words; a count of nothing is left out. */
function whatApplies({ attributes }: Schemas['client.Run'], plan: Schemas['client.Plan'] | undefined): ReactNode {
  if (attributes['plan-only']) return '';
  if (attributes['is-destroy']) return 'The apply destroys the resources of the workspace.';
  const counts = plan?.attributes;
  const words = [
    [counts?.['resource-destructions'], 'destroys'],
    [counts?.['resource-changes'], 'changes'],
    [counts?.['resource-additions'], 'adds'],
    [counts?.['resource-imports'], 'imports'],
  ] as const;
  const said = words
    .filter(([count]) => (count ?? 0) > 0)
    .map(([count, word]) => `${word} ${count} ${count === 1 ? 'resource' : 'resources'}`);
  if (said.length === 0) return 'The apply changes no resource.';
  if ((counts?.['resource-destructions'] ?? 0) === 0) return `The apply ${said.join(', ')}.`;
  const [destroys, ...others] = said;
  return (
    <>
      The apply <strong className="grave">{destroys}</strong>
      {others.map((one) => `, ${one}`)}.
    </>
  );
}

function afterOverride({ attributes }: Schemas['client.Run']): string {
  if (attributes['plan-only']) return 'After an override the run is finished: it only plans.';
  return attributes['auto-apply']
    ? 'After an override the run applies automatically.'
    : 'After an override the apply still has to be confirmed.';
}

/** The mandatory policies that failed, each with its first message, as items of a list. */
function FailedPolicies({ evaluationId }: { readonly evaluationId: string }) {
  const { data } = useMaybeRead('/policy-evaluations/{policyEvaluationId}/policy-set-outcomes', {
    path: { policyEvaluationId: evaluationId },
    query: { 'page[size]': 100 },
  });
  return data?.data.flatMap(({ id, attributes }) =>
    attributes.outcomes
      .filter(({ status, enforcement_level: level }) => failed.has(status) && level !== 'advisory')
      .map(({ policy_name: name, output }) => {
        const reason = firstTextOf(output);
        return (
          <li key={`${id} ${name}`}>
            <strong>{name}</strong> of {attributes['policy-set-name']}
            {reason !== '' && `: ${reason}`}
          </li>
        );
      }),
  );
}
