import { api, type Schemas } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { changed } from './changed.ts';

type Run = Schemas['client.Run'];
type Words = 'apply' | 'discard' | 'cancel' | 'force-cancel';

/** One action on the run, with a comment that its events show. */
const useAction = (id: string, word: Words, done: string) =>
  useChange((comment: string) => api.post(`/runs/{id}/actions/${word}`, { path: { id }, body: { comment } }), {
    done,
    outdates: changed,
  }).run;

/** The actions that the run's status allows and the caller may take. */
export function RunActions({ run: { id, attributes } }: { readonly run: Run }) {
  const { actions, permissions } = attributes;
  const apply = useAction(id, 'apply', 'The run is confirmed.');
  const discard = useAction(id, 'discard', 'The run is discarded.');
  const cancel = useAction(id, 'cancel', 'The run is being canceled.');
  const force = useAction(id, 'force-cancel', 'The run is canceled.');
  const comment = 'Comment (optional)';
  return (
    <>
      {actions['is-confirmable'] && permissions['can-apply'] && (
        <Confirm
          trigger="Confirm and apply"
          title="Apply this plan?"
          confirm="Apply"
          kind="main"
          comment={comment}
          onConfirm={apply}
        >
          {attributes['is-destroy'] && <p className="notice">This run destroys the resources of the workspace.</p>}
        </Confirm>
      )}
      {actions['is-discardable'] && permissions['can-discard'] && (
        <Confirm
          trigger="Discard"
          title="Discard this run?"
          confirm="Discard run"
          comment={comment}
          onConfirm={discard}
        >
          <p>Its plan will not be applied.</p>
        </Confirm>
      )}
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
