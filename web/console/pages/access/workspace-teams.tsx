import { AddAccess } from '../../access/access-dialogs.tsx';
import { End } from '../../access/access-end.tsx';
import { workspaceAccessLabels } from '../../access/permission-words.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { Chips } from '../../parts/chips.tsx';
import { Table } from '../../parts/table.tsx';
import { TeamLink } from '../../parts/team-parts.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { RightsMatrix } from './rights-matrix.tsx';
import { accessOutdates, attributesOfWorkspaceAccess, WorkspaceAccessFields } from './workspace-access-fields.tsx';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** The permissions of teams on the workspace. Those who manage it see all of them, others the access that is set here. */
export function WorkspaceTeams({ organization, workspace }: Props) {
  const { data } = useRead('/team-workspaces', { query: { 'filter[workspace][id]': workspace.id } });
  if (!workspace.attributes.permissions['can-manage-team-access']) {
    return (
      <section className="card" aria-labelledby="workspace-teams">
        <h2 id="workspace-teams">Team access to this workspace</h2>
        <Table
          caption="Team access to this workspace"
          rows={data}
          keyOf={({ id }) => id}
          empty={<p>No team has access set on this workspace.</p>}
          columns={[
            {
              head: 'Team',
              cell: ({ relationships }) => <TeamLink organization={organization} id={relationships.team.data.id} />,
            },
            { head: 'Access', cell: (access) => access.attributes.access },
            { head: 'Ends', cell: ({ attributes }) => <End ending={attributes} /> },
            { head: 'Permissions', cell: (access) => <Chips texts={workspaceAccessLabels(access)} /> },
          ]}
        />
      </section>
    );
  }
  return (
    <section className="card" aria-labelledby="workspace-teams">
      <h2 id="workspace-teams">Team permissions</h2>
      <RightsMatrix organization={organization} workspace={workspace} accesses={data} />
      <AddAccess
        organization={organization}
        accesses={data}
        outdates={accessOutdates}
        send={(values) =>
          api.post('/team-workspaces', {
            body: {
              data: {
                type: 'team-workspaces',
                attributes: attributesOfWorkspaceAccess(values),
                relationships: {
                  workspace: { data: { type: 'workspaces', id: workspace.id } },
                  team: { data: { type: 'teams', id: values.team ?? '' } },
                },
              },
            },
          })
        }
      >
        <WorkspaceAccessFields />
      </AddAccess>
    </section>
  );
}
