import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { StatusBadge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { agentCommand } from '../../parts/token-lines.ts';
import { earlierFirst, type Item, listed } from './attention.ts';
import { AttentionList } from './attention-list.tsx';
import { RunLink } from './run-link.tsx';

interface Props {
  readonly attentions: readonly Schemas['client.Attention'][];
  readonly isOfAll: boolean;
}

/** Runs that nothing will execute until an agent is started, oldest first. */
export const WithoutAgent = ({ attentions, isOfAll }: Props) => (
  <AttentionList
    title="No agent in contact"
    isOfAll={isOfAll}
    list={listed(attentions, 'without-agent', (one, other) => earlierFirst(one['created-at'], other['created-at']))}
    columns={[
      { head: 'Run', cell: (run) => <RunLink run={run} /> },
      { head: 'Status', cell: ({ status }) => <StatusBadge of="run" status={status} /> },
      { head: 'Agent pool', cell: poolOf },
      { head: 'Since', cell: ({ since }) => <Time at={since} /> },
    ]}
  >
    <p>
      These runs start once an agent of their pool does. Issue a token of the pool, and start one:{' '}
      <code>{agentCommand(location.origin)}</code>
    </p>
  </AttentionList>
);

const poolOf = ({ organization, 'agent-pool-id': id }: Item<'without-agent'>) =>
  id === null ? 'of the site' : <PoolLink organization={organization} id={id} />;

/** Shows the name to those who manage agent pools, and the id to others. */
function PoolLink({ organization, id }: { readonly organization: string; readonly id: string }) {
  const permissions = useMaybeRead('/organizations/{organization}', { path: { organization } }).data?.data.attributes
    .permissions;
  const mayRead = permissions?.['can-update-agent-pools'] === true;
  const pool = useMaybeRead('/agent-pools/{id}', { path: { id } }, { enabled: mayRead }).data?.data;
  return <Link href={addresses.inSection(organization, 'agent-pools', id)}>{pool?.attributes.name ?? id}</Link>;
}
