import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { Chips } from '../../parts/chips.tsx';
import { Table } from '../../parts/table.tsx';
import { TeamLink } from '../../parts/team-parts.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { AccessActions, AddAccess } from './access-dialogs.tsx';
import { End } from './access-end.tsx';
import type { TeamAccess } from './levels.ts';
import { workspaceAccessLabels } from './permission-words.ts';
import { attributesOfWorkspaceAccess, WorkspaceAccessFields } from './workspace-access-fields.tsx';

const type = 'team-workspaces';
const outdates = [
  '/team-workspaces',
  '/workspaces/{id}/effective-access',
  '/organizations/{organization}/workspaces/{name}',
] as const;

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** The access of teams that is set on the workspace. */
export function WorkspaceTeams({ organization, workspace: { id: workspaceId, attributes } }: Props) {
  const { data } = useRead('/team-workspaces', { query: { 'filter[workspace][id]': workspaceId } });
  const mayManage = attributes.permissions['can-manage-team-access'];
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
          ...(mayManage
            ? [
                {
                  head: 'Actions',
                  cell: (access: TeamAccess) => <Actions organization={organization} access={access} />,
                },
              ]
            : []),
        ]}
      />
      {mayManage && (
        <AddAccess
          organization={organization}
          accesses={data}
          outdates={outdates}
          send={(values) =>
            api.post('/team-workspaces', {
              body: {
                data: {
                  type,
                  attributes: attributesOfWorkspaceAccess(values),
                  relationships: {
                    workspace: { data: { type: 'workspaces', id: workspaceId } },
                    team: { data: { type: 'teams', id: values.team ?? '' } },
                  },
                },
              },
            })
          }
        >
          <WorkspaceAccessFields />
        </AddAccess>
      )}
    </section>
  );
}

const Actions = ({ organization, access }: { readonly organization: string; readonly access: TeamAccess }) => (
  <AccessActions
    organization={organization}
    access={access}
    outdates={outdates}
    send={(values) =>
      api.patch('/team-workspaces/{id}', {
        path: { id: access.id },
        body: { data: { type, attributes: attributesOfWorkspaceAccess(values) } },
      })
    }
    remove={() => api.delete('/team-workspaces/{id}', { path: { id: access.id } })}
    remains="The team keeps its access to the project and its permissions in the organization."
  >
    <WorkspaceAccessFields held={access.attributes} />
  </AccessActions>
);
