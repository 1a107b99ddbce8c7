import { Link } from 'wouter';
import { addresses } from '../addresses.ts';
import { included, type Schemas } from '../api/client.ts';
import { useMaybeRead } from '../api/reading.ts';
import { Id } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import type { Params } from '../parts/params.ts';
import { ProblemView } from '../parts/problem-view.tsx';
import { StatusBadge } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import type { Workspace } from '../workspace/workspace.ts';
import { WorkspacePage } from '../workspace/workspace-page.tsx';
import { StageLinks } from './run/stage-links.tsx';

type Names = Params<'organization' | 'workspace'>;

export const WorkspaceOverviewPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage organization={organization} name={name} tab="">
    {(workspace) => <Overview organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

function Overview({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const { attributes, relationships } = workspace;
  const latest = relationships['latest-run']?.data?.id;
  const current = relationships['current-run']?.data?.id;
  const repository = attributes['vcs-repo'];
  return (
    <>
      {attributes.description !== null && attributes.description !== '' && <p>{attributes.description}</p>}
      <div className="cards">
        <section className="card">
          <h2>Latest run</h2>
          {latest === undefined ? (
            <p className="quiet">No run yet.</p>
          ) : (
            <RunLine organization={organization} name={attributes.name} id={latest} />
          )}
          {current !== undefined && current !== latest && (
            <>
              {/* Runs that only plan wait for nothing, and change nothing. */}
              <h3>Latest run that could apply</h3>
              <RunLine organization={organization} name={attributes.name} id={current} />
            </>
          )}
        </section>
        <section className="card">
          <h2>About</h2>
          <Facts
            facts={[
              ['ID', <Id key="id" id={workspace.id} />],
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

interface RunLineProps {
  readonly organization: string;
  /** The workspace's. */
  readonly name: string;
  readonly id: string;
}

function RunLine({ organization, name, id }: RunLineProps) {
  const { data, error } = useMaybeRead('/runs/{id}', { path: { id }, query: { include: ['plan', 'apply'] } });
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return null;
  const { attributes, relationships } = data.data;
  const page = addresses.run(organization, name, id);
  return (
    <>
      <p>
        <Link href={page}>{attributes.message || id}</Link> <StatusBadge of="run" status={attributes.status} />{' '}
        <Time at={attributes['created-at']} />
      </p>
      <StageLinks
        run={data.data}
        plan={included<Schemas['client.Plan']>(data, 'plans', relationships.plan.data.id)}
        apply={included<Schemas['client.Apply']>(data, 'applies', relationships.apply.data.id)}
        page={page}
      />
    </>
  );
}
