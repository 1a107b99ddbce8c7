import { api, type Schemas } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { outdatedByRuns } from '../../workspace/outdated.ts';

type Run = Schemas['client.Run'];
type Words = 'discard' | 'cancel' | 'force-cancel';

/** One action on the run, with a comment that its events show. */
const useAction = (id: string, word: Words, done: string) =>
  useChange((comment: string) => api.post(`/runs/{id}/actions/${word}`, { path: { id }, body: { comment } }), {
    done,
    outdates: outdatedByRuns,
  }).run;

interface Props {
  readonly run: Run;
}

const comment = 'Comment (optional)';

/** Discards the run, if its status allows that and the caller may. */
function Discard({ run: { id, attributes } }: Props) {
  const discard = useAction(id, 'discard', 'The run is discarded.');
  if (!attributes.actions['is-discardable'] || !attributes.permissions['can-discard']) return null;
  return (
    <Confirm trigger="Discard" title="Discard this run?" confirm="Discard run" comment={comment} onConfirm={discard}>
      <p>Its plan will not be applied.</p>
    </Confirm>
  );
}

/** Whether the run's page shows a decision, with the button that discards. */
const awaitsDecision = ({ attributes }: Run): boolean =>
  attributes.actions['is-confirmable'] || attributes.status.endsWith('_awaiting_decision');

/** The actions that stop the run, if its status allows them and the caller may. A decision has its own. */
export function RunActions({ run }: Props) {
  const { id, attributes } = run;
  const { actions, permissions } = attributes;
  const cancel = useAction(id, 'cancel', 'The run is being canceled.');
  const force = useAction(id, 'force-cancel', 'The run is canceled.');
  return (
    <>
      {!awaitsDecision(run) && <Discard run={run} />}
      {actions['is-cancelable'] && permissions['can-cancel'] && (
        <Confirm trigger="Cancel" title="Cancel this run?" confirm="Cancel run" comment={comment} onConfirm={cancel}>
          <p>The agent interrupts terraform, which ends as soon as it can.</p>
        </Confirm>
      )}
      {actions['is-force-cancelable'] && permissions['can-force-cancel'] && (
        <Confirm
          trigger="Force cancel"
          title="Cancel this run by force?"
          confirm="Force cancel"
          isDanger
          comment={comment}
          onConfirm={force}
        >
          <p>The run ends now, whatever the agent does. Changes that are not in the state may be lost.</p>
        </Confirm>
      )}
    </>
  );
}
