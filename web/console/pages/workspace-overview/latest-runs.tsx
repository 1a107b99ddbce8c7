import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { included, type Schemas } from '../../api/client.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { StatusBadge } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { Decision } from '../../run/decision.tsx';
import { StageLinks } from '../../run/stage-links.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** The latest run, and the latest that could apply if that is another: runs that only plan wait for nothing. */
export function LatestRuns({ organization, workspace }: Props) {
  const { 'latest-run': latest, 'current-run': current } = workspace.relationships;
  const latestId = latest?.data?.id;
  const currentId = current?.data?.id;
  return (
    <section className="card" aria-labelledby="latest-run">
      <h2 id="latest-run">Latest run</h2>
      {latestId === undefined ? (
        <p className="quiet">No runs yet.</p>
      ) : (
        <RunLine
          organization={organization}
          workspace={workspace}
          id={latestId}
          isDecidedHere={currentId === undefined || currentId === latestId}
        />
      )}
      {currentId !== undefined && currentId !== latestId && (
        <>
          <h3>Latest run that could apply</h3>
          <RunLine organization={organization} workspace={workspace} id={currentId} isDecidedHere />
        </>
      )}
    </section>
  );
}

interface RunLineProps extends Props {
  readonly id: string;
  /** False for a run that only plans, next to the one that holds the workspace: its page has the decision. */
  readonly isDecidedHere: boolean;
}

function RunLine({ organization, workspace, id, isDecidedHere }: RunLineProps) {
  const { data, error } = useMaybeRead('/runs/{id}', {
    path: { id },
    query: { include: ['plan', 'apply', 'created_by'] },
  });
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return null;
  const { attributes, relationships } = data.data;
  const page = addresses.run(organization, workspace.attributes.name, id);
  const plan = included<Schemas['client.Plan']>(data, 'plans', relationships.plan.data.id);
  const by = included<Schemas['client.Member']>(data, 'users', relationships['created-by'].data?.id);
  return (
    <>
      <p>
        <Link href={page}>{attributes.message || id}</Link> <StatusBadge of="run" status={attributes.status} />{' '}
        <span className="quiet">
          by {by?.attributes.username ?? 'the service'} <Time at={attributes['created-at']} />
        </span>
      </p>
      <StageLinks
        run={data.data}
        plan={plan}
        apply={included<Schemas['client.Apply']>(data, 'applies', relationships.apply.data.id)}
        page={page}
      />
      {isDecidedHere && <Decision organization={organization} run={data.data} plan={plan} />}
    </>
  );
}
