import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import type { Schemas } from '../api/client.ts';
import { useMaybeRead, useMaybeReadEach } from '../api/reading.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { contactInterval, isInContact, useNow } from './contact.ts';

interface Agents {
  /** `hidden` for those who may not see the tokens of the pool, `unknown` until they are read. */
  readonly contact: 'some' | 'none' | 'hidden' | 'unknown';
  /** A link to what the agents belong to. */
  readonly pool: ReactNode;
}

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly children: (agents: Agents) => ReactNode;
}

/** Whether an agent that executes the runs of the workspace is in contact. */
export const WorkspaceAgents = ({ organization, workspace: { attributes }, children }: Props) =>
  attributes['execution-mode'] === 'agent' && attributes['agent-pool-id'] !== null ? (
    <PoolOfOrganization organization={organization} poolId={attributes['agent-pool-id']}>
      {children}
    </PoolOfOrganization>
  ) : (
    <SitePools>{children}</SitePools>
  );

const polled = { refetchInterval: contactInterval };

/** The tokens are undefined while they are read. */
function contactOf(tokens: readonly Schemas['client.AgentToken'][] | undefined, now: number): Agents['contact'] {
  if (tokens === undefined) return 'unknown';
  return tokens.some((token) => isInContact(token, now)) ? 'some' : 'none';
}

interface PoolProps extends Pick<Props, 'organization' | 'children'> {
  readonly poolId: string;
}

function PoolOfOrganization({ organization, poolId, children }: PoolProps) {
  const now = useNow();
  const pool = useMaybeRead('/agent-pools/{id}', { path: { id: poolId } }).data?.data;
  const { data, error } = useMaybeRead('/agent-pools/{poolId}/authentication-tokens', { path: { poolId } }, polled);
  return children({
    contact: error === null ? contactOf(data?.data, now) : 'hidden',
    pool: pool && (
      <Link href={addresses.inSection(organization, 'agent-pools', poolId)}>the agent pool {pool.attributes.name}</Link>
    ),
  });
}

/** Their tokens are for site administrators. */
function SitePools({ children }: Pick<Props, 'children'>) {
  const now = useNow();
  const isAdmin = useMaybeRead('/account/details', {}).data?.data.attributes['is-site-admin'];
  const pools = useMaybeRead('/admin/agent-pools', { query: { 'page[size]': 100 } }, { enabled: isAdmin === true });
  const tokens = useMaybeReadEach(
    '/admin/agent-pools/{sitePoolId}/authentication-tokens',
    (pools.data?.data ?? []).map(({ id }) => ({ path: { sitePoolId: id } })),
    polled,
  );
  const isRead = pools.data !== undefined && tokens.every(({ data }) => data !== undefined);
  const known = isRead ? tokens.flatMap(({ data }) => data?.data ?? []) : undefined;
  return children({
    contact: isAdmin === false ? 'hidden' : contactOf(known, now),
    pool: <Link href={addresses.site('agent-pools')}>the site agent pools</Link>,
  });
}
