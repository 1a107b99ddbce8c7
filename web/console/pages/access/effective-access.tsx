import { useLocation } from 'wouter';
import { claimWords, rightWords } from '../../access/words.ts';
import { addresses } from '../../addresses.ts';
import { Problem } from '../../api/problem.ts';
import { useMaybeRead, useRead } from '../../api/reading.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import { EntryForm } from '../../parts/entry-form.tsx';
import { MemberSelect } from '../../parts/member-parts.tsx';
import type { Params } from '../../parts/params.ts';
import { ProblemView } from '../../parts/problem-view.tsx';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { TeamSelect } from '../../parts/team-parts.tsx';
import { Loading } from '../../shell/page.tsx';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { type Right, Ways } from './sources.tsx';

type Names = Params<'organization' | 'workspace'>;
type Holder = { readonly 'filter[user][id]': string } | { readonly 'filter[team][id]': string };

/** The rights of one person or team on a workspace; the caller's own at an address that names neither. */
export const EffectiveAccessPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage organization={organization} name={name} tab="access" title="Effective permissions">
    {(workspace) => (
      <>
        <Holders organization={organization} workspace={name} />
        <Chosen organization={organization} workspaceId={workspace.id} />
      </>
    )}
  </WorkspacePage>
);

/** For callers who may ask about everybody. Others come here from the teams whose rights they may see. */
function Holders({ organization, workspace }: { readonly organization: string; readonly workspace: string }) {
  const [, navigate] = useLocation();
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  if (data.attributes.permissions?.['can-read-effective-access'] !== true) return null;
  const show = async (of: { readonly user: string } | { readonly team: string }): Promise<void> =>
    navigate(addresses.effectiveAccess(organization, workspace, of));
  return (
    <div className="cards">
      <section className="card" aria-labelledby="of-person">
        <h2 id="of-person">User</h2>
        <EntryForm
          submit="Show permissions of the user"
          isPending={false}
          problem={undefined}
          onSubmit={({ user = '' }) => show({ user })}
        >
          <MemberSelect organization={organization} />
        </EntryForm>
      </section>
      <section className="card" aria-labelledby="of-team">
        <h2 id="of-team">Team</h2>
        <EntryForm
          submit="Show permissions of the team"
          isPending={false}
          problem={undefined}
          onSubmit={({ team = '' }) => show({ team })}
        >
          <TeamSelect organization={organization} />
        </EntryForm>
      </section>
    </div>
  );
}

interface Props {
  readonly organization: string;
  readonly workspaceId: string;
}

function Chosen(props: Props) {
  const [{ user, team }] = useAddressValues();
  if (user !== undefined) return <Rights {...props} holder={{ 'filter[user][id]': user }} />;
  if (team !== undefined) return <Rights {...props} holder={{ 'filter[team][id]': team }} />;
  return <Own {...props} />;
}

function Own(props: Props) {
  const { data, error } = useMaybeRead('/account/details', {});
  if (data !== undefined) return <Rights {...props} holder={{ 'filter[user][id]': data.data.id }} />;
  // The token of a team or an organization has no account.
  if (error instanceof Problem && error.status === 404) return <p className="empty">Choose a user or a team.</p>;
  return error === null ? <Loading /> : <ProblemView problem={error} />;
}

function Rights({ organization, workspaceId, holder }: Props & { readonly holder: Holder }) {
  const { data, error } = useMaybeRead('/workspaces/{id}/effective-access', {
    path: { id: workspaceId },
    query: holder,
  });
  if (error instanceof Problem && error.status === 404) {
    return (
      <p className="empty">
        You may not see these permissions. Owners see those of all users and teams. Workspace admins see those of teams
        with access to the workspace. You always see your own.
      </p>
    );
  }
  if (error !== null) return <ProblemView problem={error} />;
  if (data === undefined) return <Loading />;
  const { name, invited, rights } = data.data.attributes;
  return (
    <section aria-labelledby="rights">
      <h2 id="rights">Permissions of {name ?? 'a secret team'}</h2>
      {invited && <p>The invitation is not accepted yet. These are the permissions that the teams will give.</p>}
      <Table
        caption={`Permissions of ${name ?? 'a secret team'}`}
        rows={rights}
        keyOf={({ right }) => right}
        empty={null}
        columns={[
          { head: 'Permission', cell: ({ right }) => rightWords[right] },
          {
            head: 'Held',
            cell: ({ held }) => <Badge tone={held ? 'good' : 'idle'}>{held ? 'yes' : 'no'}</Badge>,
          },
          { head: 'Given by', cell: ({ claims }) => <Ways organization={organization} claims={claims} /> },
          { head: 'Needs', cell: (right) => <span className="quiet">{needs(right)}</span> },
        ]}
      />
    </section>
  );
}

/** The alternatives, of which one suffices. */
const needs = ({ requires }: Right): string =>
  requires.map((all) => all.map((claim) => claimWords[claim] ?? claim).join(' + ')).join('; or ');
