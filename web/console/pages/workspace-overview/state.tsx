import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { Problem } from '../../api/problem.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { OutputTable } from '../../state/outputs.tsx';
import { Resources } from '../../state/resources.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

/** The resources of the current state. */
export function CurrentResources({ organization, workspace }: Props) {
  const id = workspace.relationships['current-state-version'].data?.id;
  const { data, error } = useMaybeRead(
    '/state-versions/{id}',
    { path: { id: id ?? '' } },
    { enabled: id !== undefined },
  );
  return (
    <section className="card" aria-labelledby="resources">
      <div className="heading">
        <h2 id="resources">Resources</h2>
        {id !== undefined && (
          <div className="actions">
            <Link href={addresses.state(organization, workspace.attributes.name, id)}>Current state</Link>
          </div>
        )}
      </div>
      {id === undefined && <p className="quiet">No state yet. The first apply creates it.</p>}
      {error !== null && <ProblemView problem={error} />}
      {data !== undefined && <Resources state={data.data} />}
    </section>
  );
}

/** The outputs of the current state; absent where it has none. */
export function CurrentOutputs({ workspace: { id } }: Pick<Props, 'workspace'>) {
  const { data, error } = useMaybeRead('/workspaces/{workspaceId}/current-state-version-outputs', {
    path: { workspaceId: id },
  });
  if (data?.data.length === 0 || (data === undefined && error === null)) return null;
  return (
    <section className="card" aria-labelledby="outputs">
      <h2 id="outputs">Outputs</h2>
      {data !== undefined && <OutputTable outputs={data.data} />}
      {/* Until the service has read the state. */}
      {error instanceof Problem && error.status === 503 ? (
        <p className="quiet">The service has not read the outputs yet.</p>
      ) : (
        error !== null && <ProblemView problem={error} />
      )}
    </section>
  );
}
