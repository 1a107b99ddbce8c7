import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Schemas } from '../../api/client.ts';
import { useMaybeRead, useMaybeReadEach } from '../../api/reading.ts';
import { waitsFor } from '../../parts/status-words.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { contactInterval, isInContact, useNow } from '../agents/contact.ts';

type Run = Schemas['client.Run'];

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly run: Run;
}

/** Says that the run waits for its workspace or for an agent, and why. */
export function Waiting(props: Props) {
  const awaited = waitsFor(props.run.attributes.status);
  if (awaited === undefined) return null;
  return (
    <section className="card decision" aria-labelledby="waiting">
      <h2 id="waiting">{awaited === 'agent' ? 'This run waits for an agent' : 'This run waits for its workspace'}</h2>
      {awaited === 'agent' ? <AgentOf {...props} /> : <TurnOf {...props} />}
    </section>
  );
}

/** The runs that are shown of those before it. */
const shown = 5;

/** The lock, or the runs that are before it in the workspace. */
function TurnOf({ organization, workspace, run }: Props) {
  const { data } = useMaybeRead('/workspaces/{workspaceId}/runs', {
    path: { workspaceId: workspace.id },
    query: { 'filter[status]': ['pending', 'confirmed'], 'page[size]': 100 },
  });
  const waiting = (data?.data ?? []).filter(({ attributes }) => !attributes['plan-only']);
  const own = waiting.findIndex(({ id }) => id === run.id);
  // The list begins with the newest run, and the oldest one is next.
  const before = own === -1 ? [] : waiting.slice(own + 1).reverse();
  const { name, locked } = workspace.attributes;
  return (
    <>
      {before.length > 0 && (
        <>
          <p>{before.length === 1 ? 'One run is before it:' : `${before.length} runs are before it:`}</p>
          <ul>
            {before.slice(0, shown).map(({ id, attributes }) => (
              <li key={id}>
                <Link href={addresses.run(organization, name, id)}>{attributes.message || id}</Link>
              </li>
            ))}
            {before.length > shown && <li>{before.length - shown} more</li>}
          </ul>
        </>
      )}
      {!locked && data !== undefined && before.length === 0 && <p>It is next, and starts automatically.</p>}
    </>
  );
}

const AgentOf = ({ organization, workspace: { attributes } }: Props) =>
  attributes['execution-mode'] === 'agent' && attributes['agent-pool-id'] !== null ? (
    <PoolOfOrganization organization={organization} poolId={attributes['agent-pool-id']} />
  ) : (
    <SitePools />
  );

const polled = { refetchInterval: contactInterval };

function PoolOfOrganization({ organization, poolId }: { readonly organization: string; readonly poolId: string }) {
  const pool = useMaybeRead('/agent-pools/{id}', { path: { id: poolId } }).data?.data;
  const path = { poolId };
  const { data, error } = useMaybeRead('/agent-pools/{poolId}/authentication-tokens', { path }, polled);
  return (
    <Contact
      tokens={error === null ? data?.data : 'hidden'}
      pool={
        pool && (
          <Link href={addresses.inSection(organization, 'agent-pools', poolId)}>
            the agent pool {pool.attributes.name}
          </Link>
        )
      }
      ask="Ask those who manage the agent pool of the workspace whether an agent is in contact."
    />
  );
}

/** Their tokens are for site administrators. */
function SitePools() {
  const isAdmin = useMaybeRead('/account/details', {}).data?.data.attributes['is-site-admin'];
  const pools = useMaybeRead('/admin/agent-pools', { query: { 'page[size]': 100 } }, { enabled: isAdmin === true });
  const tokens = useMaybeReadEach(
    '/admin/agent-pools/{sitePoolId}/authentication-tokens',
    (pools.data?.data ?? []).map(({ id }) => ({ path: { sitePoolId: id } })),
    polled,
  );
  const isRead = pools.data !== undefined && tokens.every(({ data }) => data !== undefined);
  const known = isRead ? tokens.flatMap(({ data }) => data?.data ?? []) : undefined;
  return (
    <Contact
      tokens={isAdmin === false ? 'hidden' : known}
      pool={<Link href={addresses.site('agent-pools')}>the site agent pools</Link>}
      ask="Ask a site administrator whether an agent is in contact."
    />
  );
}

interface ContactProps {
  /** Undefined while they are read. */
  readonly tokens: readonly Schemas['client.AgentToken'][] | 'hidden' | undefined;
  readonly pool: ReactNode;
  /** A sentence for those who may not see the tokens. */
  readonly ask: string;
}

function Contact({ tokens, pool, ask }: ContactProps) {
  const now = useNow();
  if (tokens === undefined) return null;
  if (tokens === 'hidden') return <p>It starts when an agent is free. {ask}</p>;
  if (tokens.some((token) => isInContact(token, now))) return <p>It starts when an agent of {pool} is free.</p>;
  return (
    <p>
      <strong>No agent is in contact.</strong> Start one with a token of {pool}.
    </p>
  );
}
