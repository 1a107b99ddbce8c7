import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Params } from '../../parts/params.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { RightsMatrix } from './rights-matrix.tsx';
import { WorkspaceTeams } from './workspace-teams.tsx';

export const WorkspaceAccessPage = ({
  params: { organization, workspace: name },
}: Params<'organization' | 'workspace'>) => (
  <WorkspacePage organization={organization} name={name} tab="access">
    {(workspace) => (
      <>
        <WorkspaceTeams organization={organization} workspace={workspace} />
        {/* Members see their own rights only, on the page that is linked below. */}
        {workspace.attributes.permissions['can-manage-team-access'] && (
          <RightsMatrix organization={organization} workspace={name} workspaceId={workspace.id} />
        )}
        <p>
          <Link href={addresses.effectiveAccess(organization, name)}>Effective permissions</Link>{' '}
          <Link href={addresses.inSection(organization, 'projects', workspace.relationships.project.data.id)}>
            Team access to the project
          </Link>
        </p>
      </>
    )}
  </WorkspacePage>
);
