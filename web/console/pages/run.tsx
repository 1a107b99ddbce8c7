import { Redirect } from 'wouter';
import { addresses } from '../addresses.ts';
import { useRead } from '../api/reading.ts';
import { Facts } from '../parts/facts.tsx';
import { StatusBadge } from '../parts/status.tsx';
import { Time } from '../parts/time.tsx';
import type { Params } from '../routes.ts';
import { WorkspacePage } from '../shell/workspace-page.tsx';

type Names = Params<'organization' | 'workspace' | 'id'>;

/** The address that terraform prints. */
export const PrintedRunPage = ({ params: { organization, workspace, id } }: Names) => (
  <Redirect to={addresses.run(organization, workspace, id)} replace />
);

export function RunPage({ params: { organization, workspace, id } }: Names) {
  const { data: run } = useRead('/runs/{id}', { path: { id } });
  const { attributes } = run;
  return (
    <WorkspacePage
      organization={organization}
      name={workspace}
      tab="runs"
      title={attributes.message || id}
      badges={<StatusBadge status={attributes.status} />}
    >
      {() => (
        <section className="card">
          <h2>About</h2>
          <Facts
            facts={[
              ['ID', <code key="id">{id}</code>],
              ['Source', attributes.source],
              ['Created', <Time key="at" at={attributes['created-at']} />],
            ]}
          />
        </section>
      )}
    </WorkspacePage>
  );
}
