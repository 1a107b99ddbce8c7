import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { WorkspaceAgents } from '../../agents/workspace-agents.tsx';
import { Lines } from '../../parts/lines.tsx';
import { agentCommand } from '../../parts/token-lines.ts';
import { cloudBlock } from '../../workspace/cloud-block.ts';
import { UploadForm } from '../../workspace/new-version.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** The ways to begin with a workspace that has nothing yet, as far as the caller may. */
export function GetStarted({ organization, workspace }: Props) {
  const { id, attributes } = workspace;
  const { name, permissions } = attributes;
  const runsHere = attributes['execution-mode'] !== 'local';
  return (
    <section className="card" aria-labelledby="get-started">
      <h2 id="get-started">Get started</h2>
      <p>This workspace has no configuration, run or state yet.</p>
      {runsHere && (
        <WorkspaceAgents organization={organization} workspace={workspace}>
          {({ contact, pool }) =>
            contact === 'none' && (
              <>
                <h3>Start an agent</h3>
                <p>
                  Agents execute the runs, and none is in contact. Issue a token of {pool}, and start an agent with it:
                </p>
                <Lines label="the command of the agent" text={agentCommand(location.origin)} />
              </>
            )
          }
        </WorkspaceAgents>
      )}
      <h3>Use terraform</h3>
      <p>
        Add this block to a configuration. Then <code>terraform init</code> connects it to this workspace
        {runsHere ? (
          <>
            , and <code>terraform apply</code> starts a run here.
          </>
        ) : (
          <>
            , and <code>terraform apply</code> runs on your machine and keeps the state here.
          </>
        )}
      </p>
      <Lines label="the cloud block" text={cloudBlock(organization, name)} />
      <p>
        Sign in once: <code>terraform login {location.host}</code>
      </p>
      {runsHere && permissions['can-create-configuration-version'] && (
        <>
          <h3>Upload a configuration</h3>
          <UploadForm workspaceId={id} />
        </>
      )}
      {runsHere && permissions['can-link-repository'] && (
        <>
          <h3>Link a repository</h3>
          <p>
            Each push then creates a configuration version.{' '}
            <Link href={addresses.inWorkspace(organization, name, 'settings')}>
              Link one under Version control in the settings
            </Link>
          </p>
        </>
      )}
    </section>
  );
}
