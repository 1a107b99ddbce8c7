import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useMaybeReadEach, useRead } from '../../api/reading.ts';
import { useAddressValues } from '../../parts/address-values.ts';
import { Pager } from '../../parts/pager.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Table } from '../../parts/table.tsx';
import type { Team } from '../../parts/team-parts.tsx';
import { type EffectiveAccess, type GivenClaim, throughInWords } from './sources.tsx';

/** Each row is a request, and the service limits their rate. */
const rowsPerPage = 10;

/** What the columns show, by the claims of the access policy; of levels, from the lowest to the highest. */
const columns = [
  { head: 'Runs', claims: ['runs: read', 'runs: plan', 'runs: apply'] },
  { head: 'Variables', claims: ['variables: read', 'variables: write'] },
  { head: 'State', claims: ['state-versions: read-outputs', 'state-versions: read', 'state-versions: write'] },
  { head: 'Lock', claims: ['workspace locking'] },
  { head: 'Administer', claims: ['workspace admin'] },
] as const;

interface Props {
  readonly organization: string;
  readonly workspace: string;
  readonly workspaceId: string;
}

/** The teams of the organization, what each may do on the workspace, and where that comes from. */
export function RightsMatrix({ organization, workspace, workspaceId }: Props) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    '/organizations/{organization}/teams',
    useSettled({
      path: { organization },
      query: { 'page[size]': rowsPerPage, 'page[number]': Number(values.page ?? 1) },
    }),
  );
  const accesses = useMaybeReadEach(
    '/workspaces/{id}/effective-access',
    data.map((team) => ({ path: { id: workspaceId }, query: { 'filter[team][id]': team.id } })),
  );
  const rows = data.map((team, index) => ({
    team,
    access: accesses[index]?.data?.data,
    error: accesses[index]?.error,
  }));
  const shown = rows.filter(({ error }) => error === null);
  return (
    <section className="card" aria-labelledby="matrix">
      <h2 id="matrix">What each team may do here</h2>
      <Table
        caption="What each team may do on this workspace"
        rows={shown}
        keyOf={({ team }) => team.id}
        empty={<p>You may not see the rights of these teams.</p>}
        columns={[
          {
            head: 'Team',
            cell: ({ team }) => (
              <Link
                href={addresses.effectiveAccess(organization, workspace, { team: team.id })}
                aria-label={`All rights of ${team.attributes.name}`}
              >
                {team.attributes.name}
              </Link>
            ),
          },
          ...columns.map(({ head, claims }) => ({
            head,
            cell: ({ access }: { readonly team: Team; readonly access: EffectiveAccess | undefined }) =>
              access === undefined ? <span className="quiet">…</span> : <Level access={access} claims={claims} />,
          })),
        ]}
      />
      {shown.length > 0 && shown.length < rows.length && (
        <p className="quiet">Teams whose rights you may not see are left out.</p>
      )}
      <Pager pagination={meta.pagination} what="Teams" />
    </section>
  );
}

/** The highest of the claims that are true, and what gives it. */
function Level({ access, claims }: { readonly access: EffectiveAccess; readonly claims: readonly string[] }) {
  const held = access.attributes.rights.flatMap((right) => right.claims);
  const highest = claims.findLast((claim) => held.some((given) => given.claim === claim));
  if (highest === undefined) return <span className="quiet">no</span>;
  const ways = held.filter((given) => given.claim === highest);
  return (
    <>
      <strong>{highest.includes(': ') ? highest.split(': ')[1] : 'yes'}</strong>
      {sourcesOf(ways).map((source) => (
        <span key={source} className="source quiet">
          {source}
        </span>
      ))}
    </>
  );
}

/** Several rights may need the same claim. */
const sourcesOf = (ways: readonly GivenClaim[]): readonly string[] => [...new Set(ways.map(throughInWords))];
