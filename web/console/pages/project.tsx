import { Link, useLocation } from 'wouter';
import { addresses } from '../addresses.ts';
import { api, type Schemas } from '../api/client.ts';
import { forget, useRead } from '../api/reading.ts';
import { useChange } from '../parts/change.ts';
import { Confirm } from '../parts/confirm.tsx';
import { DangerZone } from '../parts/danger-zone.tsx';
import { Facts } from '../parts/facts.tsx';
import { Field } from '../parts/field.tsx';
import { FormDialog } from '../parts/form-dialog.tsx';
import type { Params } from '../parts/params.ts';
import { Time } from '../parts/time.tsx';
import { Page } from '../shell/page.tsx';
import { ProjectTeams } from './project/project-teams.tsx';

interface Props {
  readonly organization: string;
  readonly project: Schemas['client.Project'];
}

export function ProjectPage({ params: { organization, id } }: Params<'organization' | 'id'>) {
  const { data: project } = useRead('/projects/{id}', { path: { id } });
  const { attributes } = project;
  const { permissions } = attributes;
  return (
    <Page
      title={attributes.name}
      crumbs={[
        { label: organization, href: addresses.home(organization) },
        { label: 'Projects', href: addresses.inOrganization(organization, 'projects') },
      ]}
      actions={permissions['can-update'] && <ChangeProject project={project} />}
    >
      {attributes.description !== '' && <p>{attributes.description}</p>}
      <section className="card" aria-labelledby="about">
        <h2 id="about">About</h2>
        <Facts
          facts={[
            ['ID', <code key="id">{id}</code>],
            ['Created', <Time key="at" at={attributes['created-at']} />],
            [
              'Workspaces',
              <Link key="workspaces" href={`${addresses.workspaces(organization)}?project=${id}`}>
                Project workspaces
              </Link>,
            ],
          ]}
        />
      </section>
      <ProjectTeams organization={organization} projectId={id} mayManage={permissions['can-manage-teams']} />
      {permissions['can-destroy'] && !attributes['is-default'] && (
        <DangerZone>
          <DeleteProject organization={organization} project={project} />
        </DangerZone>
      )}
    </Page>
  );
}

const ChangeProject = ({ project: { id, attributes } }: Pick<Props, 'project'>) => (
  <FormDialog
    trigger="Change"
    triggerName="Change the project"
    title="Change the project"
    submit="Save project"
    done="The project was saved."
    outdates={['/projects/{id}', '/organizations/{organization}/projects']}
    send={({ name = '', description = '' }) =>
      api.patch('/projects/{id}', {
        path: { id },
        body: { data: { type: 'projects', attributes: { name, description } } },
      })
    }
  >
    <Field label="Project name" name="name" defaultValue={attributes.name} isRequired autoFocus />
    <Field label="Description" name="description" defaultValue={attributes.description} />
  </FormDialog>
);

function DeleteProject({ organization, project: { id, attributes } }: Props) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete('/projects/{id}', { path: { id } }), {
    done: `The project ${attributes.name} was deleted.`,
    outdates: ['/organizations/{organization}/projects'],
  });
  return (
    <Confirm
      trigger="Delete project"
      title={`Delete the project ${attributes.name}?`}
      confirm="Delete this project"
      kind="danger"
      isDanger
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.inOrganization(organization, 'projects'));
        forget('/projects/{id}');
      }}
    >
      <p>The team access to it is removed. A project with workspaces cannot be deleted.</p>
    </Confirm>
  );
}
