import type { Schemas } from '../../api/client.ts';
import { Time } from '../../parts/time.tsx';
import { earlierFirst, listed } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { RunLink } from './run-link.tsx';

interface Props {
  readonly attentions: readonly Schemas['client.Attention'][];
  readonly isOfAll: boolean;
}

/** Workspaces whose last run failed, the newest failure first. */
export const Failures = ({ attentions, isOfAll }: Props) => (
  <AttentionList
    title="Last run failed"
    isOfAll={isOfAll}
    list={listed(attentions, 'failures', (one, other) => earlierFirst(other['created-at'], one['created-at']))}
    columns={[
      { head: 'Run', cell: (failed) => <RunLink run={failed} /> },
      { head: 'Error', cell: (failed) => failed['error-message'] },
      { head: 'Created by', cell: (failed) => failed['created-by'] ?? <span className="quiet">the service</span> },
      { head: 'Failed', cell: ({ since }) => <Time at={since} /> },
    ]}
  />
);
