import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { Id } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Time } from '../../parts/time.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

const executions: Readonly<Record<Workspace['attributes']['execution-mode'], string>> = {
  remote: 'by agents of the site',
  agent: 'by agents of a pool',
  local: 'on your machine',
};

/** The settings that a person looks up most. */
export function About({ organization, workspace: { id, attributes, relationships } }: Props) {
  const projectId = relationships.project.data.id;
  const project = useMaybeRead('/projects/{id}', { path: { id: projectId } }).data?.data;
  const repository = attributes['vcs-repo'];
  return (
    <section className="card" aria-labelledby="about">
      <h2 id="about">About</h2>
      <Facts
        facts={[
          ['ID', <Id key="id" id={id} />],
          [
            'Project',
            <Link key="project" href={addresses.inSection(organization, 'projects', projectId)}>
              {project?.attributes.name ?? projectId}
            </Link>,
          ],
          ['Resources', attributes['resource-count']],
          ['Runs', attributes['runs-count']],
          ['Executed', executions[attributes['execution-mode']]],
          ['Terraform', attributes['terraform-version']],
          ['Working directory', attributes['working-directory'] || 'the root'],
          ['Apply', attributes['auto-apply'] ? 'automatically' : 'after confirmation'],
          ['Tags', attributes['tag-names'].join(', ') || 'none'],
          ['Repository', repository === null ? 'none' : `${repository['display-identifier']} ${repository.branch}`],
          ['Created', <Time key="at" at={attributes['created-at']} />],
        ]}
      />
    </section>
  );
}
