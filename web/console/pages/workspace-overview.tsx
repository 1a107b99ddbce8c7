import type { Params } from '../parts/params.ts';
import type { Workspace } from '../workspace/workspace.ts';
import { WorkspacePage } from '../workspace/workspace-page.tsx';
import { About } from './workspace-overview/about.tsx';
import { GetStarted } from './workspace-overview/get-started.tsx';
import { LatestRuns } from './workspace-overview/latest-runs.tsx';
import { CheckedBy } from './workspace-overview/policy-sets.tsx';
import { CurrentOutputs, CurrentResources } from './workspace-overview/state.tsx';
import { TeamsByLevel } from './workspace-overview/teams-by-level.tsx';
import { VariablesByKind } from './workspace-overview/variables-by-kind.tsx';

type Names = Params<'organization' | 'workspace'>;

export const WorkspaceOverviewPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage organization={organization} name={name} tab="">
    {(workspace) => <Overview organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

/** Whether nothing was done with the workspace yet. A person who may not read states knows the number of resources. */
const isNew = ({ attributes, relationships }: Workspace): boolean =>
  relationships['latest-run']?.data == null &&
  relationships['current-configuration-version'].data === null &&
  relationships['current-state-version'].data === null &&
  attributes['resource-count'] === 0;

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

function Overview(props: Props) {
  const { attributes } = props.workspace;
  const { permissions } = attributes;
  return (
    <>
      {attributes.description !== null && attributes.description !== '' && <p>{attributes.description}</p>}
      <div className="beside">
        <div>
          {isNew(props.workspace) ? (
            <GetStarted {...props} />
          ) : (
            <>
              <LatestRuns {...props} />
              {permissions['can-read-state-versions'] && <CurrentResources {...props} />}
              {permissions['can-read-state-outputs'] && <CurrentOutputs workspace={props.workspace} />}
            </>
          )}
        </div>
        <div>
          <About {...props} />
          <TeamsByLevel {...props} />
          <CheckedBy {...props} />
          {permissions['can-read-variable'] && <VariablesByKind {...props} />}
        </div>
      </div>
    </>
  );
}
