import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import type { Params } from '../../parts/params.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { WorkspaceTeams } from './workspace-teams.tsx';

export const WorkspaceAccessPage = ({
  params: { organization, workspace: name },
}: Params<'organization' | 'workspace'>) => (
  <WorkspacePage organization={organization} name={name} tab="access">
    {(workspace) => (
      <>
        <WorkspaceTeams organization={organization} workspace={workspace} />
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
