import { api, type Schemas } from '../../api/client.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { outdatedByRuns } from '../../workspace/outdated.ts';
import { earlierFirst, type Item, listed } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { RunLink } from './run-link.tsx';

type Due = Item<'decisions'>;

interface Props {
  readonly attentions: readonly Schemas['client.Attention'][];
  readonly isOfAll: boolean;
}

/** The runs that wait for the person, oldest first. */
export const Decisions = ({ attentions, isOfAll }: Props) => (
  <AttentionList
    title="Needs you"
    isOfAll={isOfAll}
    list={listed(attentions, 'decisions', (one, other) => earlierFirst(one['created-at'], other['created-at']))}
    columns={[
      { head: 'Run', cell: (due) => <RunLink run={due} /> },
      { head: 'Waits for', cell: ({ status }) => <StatusBadge of="run" status={status} /> },
      { head: 'Asked by', cell: (due) => due['created-by'] ?? <span className="quiet">the service</span> },
      { head: 'Changes', cell: changesOf },
      { head: 'Failed policies', cell: failedPoliciesOf },
      { head: 'Since', cell: ({ since }) => <Time at={since} /> },
      { head: 'Actions', cell: (due) => due['can-apply'] && <Discard due={due} /> },
    ]}
  />
);

function changesOf(due: Due): string {
  const counts = [
    [due['resource-additions'], 'to add'],
    [due['resource-changes'], 'to change'],
    [due['resource-destructions'], 'to destroy'],
    [due['resource-imports'], 'to import'],
  ] as const;
  const words = counts.filter(([count]) => (count ?? 0) > 0).map(([count, what]) => `${count} ${what}`);
  return words.length === 0 ? 'no resources' : words.join(', ');
}

function failedPoliciesOf({ 'failed-policy': first, 'failed-policies': count }: Due): string {
  if (first === null) return 'none';
  return count === 1 ? first : `${first} and ${count - 1} more`;
}

/** The decision itself is made where its reasons are: on the page of the run. */
function Discard({ due }: { readonly due: Due }) {
  const name = `${due['workspace-name']}: ${due.message || due.id}`;
  const discard = useChange(
    (comment: string) => api.post('/runs/{id}/actions/discard', { path: { id: due.id }, body: { comment } }),
    { done: 'The run is discarded.', outdates: outdatedByRuns },
  );
  return (
    <RowMenu of={name}>
      <Confirm
        trigger="Discard"
        triggerName={`Discard ${name}`}
        title="Discard this run?"
        confirm="Discard run"
        comment="Comment (optional)"
        onConfirm={discard.run}
      >
        <p>Its plan will not be applied.</p>
      </Confirm>
    </RowMenu>
  );
}
