import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Facts } from '../parts/facts.tsx';
import type { Params } from '../parts/params.ts';
import { StatusBadge } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import { LockButtons, LockNotice } from '../shell/lock.tsx';
import { type Workspace, WorkspacePage } from '../shell/workspace-page.tsx';

type Names = Params<'organization' | 'workspace'>;

export const WorkspaceOverviewPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage
    organization={organization}
    name={name}
    tab=""
    actions={(workspace) => <LockButtons workspace={workspace} />}
  >
    {(workspace) => <Overview organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

function Overview({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const { attributes, relationships } = workspace;
  const runId = relationships['current-run']?.data?.id ?? relationships['latest-run']?.data?.id;
  const run = useMaybeRead('/runs/{id}', { path: { id: runId ?? '' } }, { enabled: runId !== undefined }).data?.data;
  const repository = attributes['vcs-repo'];
  return (
    <>
      {attributes.description !== null && attributes.description !== '' && <p>{attributes.description}</p>}
      <LockNotice organization={organization} workspace={workspace} />
      <div className="cards">
        <section className="card">
          <h2>Latest run</h2>
          {run === undefined ? (
            <p className="quiet">No run yet.</p>
          ) : (
            <p>
              <Link href={addresses.run(organization, attributes.name, run.id)}>
                {run.attributes.message || run.id}
              </Link>{' '}
              <StatusBadge status={run.attributes.status} /> <Time at={run.attributes['created-at']} />
            </p>
          )}
        </section>
        <section className="card">
          <h2>About</h2>
          <Facts
            facts={[
              ['ID', <code key="id">{workspace.id}</code>],
              ['Resources', attributes['resource-count']],
              ['Runs', attributes['runs-count']],
              ['Execution', attributes['execution-mode']],
              ['Terraform', attributes['terraform-version']],
              ['Working directory', attributes['working-directory'] || 'the root'],
              ['Apply', attributes['auto-apply'] ? 'automatically' : 'after confirmation'],
              ['Tags', attributes['tag-names'].join(', ') || 'none'],
              ['Repository', repository === null ? 'none' : `${repository['display-identifier']} ${repository.branch}`],
              ['Created', <Time key="at" at={attributes['created-at']} />],
            ]}
          />
        </section>
      </div>
    </>
  );
}
