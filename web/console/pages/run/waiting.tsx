import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { WorkspaceAgents } from '../../agents/workspace-agents.tsx';
import type { Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { waitsFor } from '../../parts/status-words.ts';
import type { Workspace } from '../../workspace/workspace.ts';

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

/** Whether an agent is in contact, for those who may know. */
const AgentOf = ({ organization, workspace }: Props) => (
  <WorkspaceAgents organization={organization} workspace={workspace}>
    {({ contact, pool }) => {
      if (contact === 'unknown') return null;
      if (contact === 'hidden') return <p>It starts when an agent is free. {askFor(workspace)}</p>;
      if (contact === 'some') return <p>It starts when an agent of {pool} is free.</p>;
      return (
        <p>
          <strong>No agent is in contact.</strong> Start one with a token of {pool}.
        </p>
      );
    }}
  </WorkspaceAgents>
);

const askFor = ({ attributes }: Workspace): string =>
  attributes['execution-mode'] === 'agent'
    ? 'Ask those who manage the agent pool of the workspace whether an agent is in contact.'
    : 'Ask a site administrator whether an agent is in contact.';
