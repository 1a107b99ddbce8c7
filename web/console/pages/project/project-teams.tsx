import { AccessActions, AddAccess } from '../../access/access-dialogs.tsx';
import { End } from '../../access/access-end.tsx';
import type { ProjectAccess } from '../../access/levels.ts';
import { projectLabels, projectWorkspaceLabels } from '../../access/permission-words.ts';
import { api } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Chips } from '../../parts/chips.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Table } from '../../parts/table.tsx';
import { TeamLink } from '../../parts/team-parts.tsx';
import { attributesOfProjectAccess, ProjectAccessFields } from './project-access-fields.tsx';

const type = 'team-projects';
const outdates = [
  '/team-projects',
  '/projects/{id}',
  '/workspaces/{id}/effective-access',
  '/workspaces/{id}/effective-access/teams',
  '/organizations/{organization}/workspaces/{name}',
] as const;

interface Props {
  readonly organization: string;
  readonly projectId: string;
  readonly mayManage: boolean;
}

/** The access of teams to the project and its workspaces. */
export function ProjectTeams({ organization, projectId, mayManage }: Props) {
  const [values] = useAddressValues();
  const { data, meta } = useRead('/team-projects', {
    query: { 'filter[project][id]': projectId, 'page[number]': pageOf(values) },
  });
  return (
    <section className="card" aria-labelledby="project-teams">
      <h2 id="project-teams">Team access to this project</h2>
      <Table
        caption="Team access to this project"
        rows={data}
        keyOf={({ id }) => id}
        empty={<p>No team has access to this project.</p>}
        columns={[
          {
            head: 'Team',
            cell: ({ relationships }) => <TeamLink organization={organization} id={relationships.team.data.id} />,
          },
          { head: 'Access', cell: ({ attributes }) => attributes.access },
          { head: 'Ends', cell: ({ attributes }) => <End ending={attributes} /> },
          { head: 'The project', cell: (access) => <Chips texts={projectLabels(access)} /> },
          { head: 'Its workspaces', cell: (access) => <Chips texts={projectWorkspaceLabels(access)} /> },
          ...(mayManage
            ? [
                {
                  head: 'Actions',
                  cell: (access: ProjectAccess) => <Actions organization={organization} access={access} />,
                },
              ]
            : []),
        ]}
      />
      <Pager pagination={meta.pagination} what="Teams" />
      {mayManage && (
        <AddAccess
          organization={organization}
          accesses={data}
          outdates={outdates}
          send={(values) =>
            api.post('/team-projects', {
              body: {
                data: {
                  type,
                  attributes: attributesOfProjectAccess(values),
                  relationships: {
                    project: { data: { type: 'projects', id: projectId } },
                    team: { data: { type: 'teams', id: values.team ?? '' } },
                  },
                },
              },
            })
          }
        >
          <ProjectAccessFields />
        </AddAccess>
      )}
    </section>
  );
}

const Actions = ({ organization, access }: { readonly organization: string; readonly access: ProjectAccess }) => (
  <AccessActions
    organization={organization}
    access={access}
    outdates={outdates}
    send={(values) =>
      api.patch('/team-projects/{id}', {
        path: { id: access.id },
        body: { data: { type, attributes: attributesOfProjectAccess(values) } },
      })
    }
    remove={() => api.delete('/team-projects/{id}', { path: { id: access.id } })}
    remains="The team keeps its access to single workspaces and its permissions in the organization."
  >
    <ProjectAccessFields held={access.attributes} />
  </AccessActions>
);
