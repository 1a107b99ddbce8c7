import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useMaybeReadEach, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Pager } from '../../parts/pager.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Table } from '../../parts/table.tsx';
import type { Team } from '../../parts/team-parts.tsx';
import { type EffectiveAccess, type GivenClaim, throughInWords } from './sources.tsx';

/** Each row is a request, and the service limits their rate. */
const rowsPerPage = 10;

type Levels = readonly (readonly [label: string, ...claims: string[]])[];

/** The columns: levels from the lowest to the highest, each with the claims of the access policy that are enough for it. */
const columns: readonly { readonly head: string; readonly levels: Levels }[] = [
  {
    head: 'Runs',
    levels: [
      ['read', 'runs: read'],
      ['plan', 'runs: plan'],
      ['apply', 'runs: apply'],
    ],
  },
  {
    head: 'Variables',
    levels: [
      ['read', 'variables: read'],
      ['write', 'variables: write'],
    ],
  },
  {
    head: 'State',
    levels: [
      ['outputs', 'state-versions: read-outputs'],
      ['read', 'state-versions: read'],
      ['write', 'state-versions: write'],
    ],
  },
  { head: 'Lock', levels: [['yes', 'workspace locking']] },
  {
    head: 'Override policies',
    levels: [['yes', 'manage-policy-overrides', 'policy overrides, through a team with delegate-policy-overrides']],
  },
  { head: 'Administer', levels: [['yes', 'workspace admin']] },
];

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
      query: { 'page[size]': rowsPerPage, 'page[number]': pageOf(values) },
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
      <h2 id="matrix">Team permissions</h2>
      <Table
        caption="Team permissions on this workspace"
        rows={shown}
        keyOf={({ team }) => team.id}
        empty={<p>You may not see the permissions of these teams.</p>}
        columns={[
          {
            head: 'Team',
            cell: ({ team }) => (
              <Link
                href={addresses.effectiveAccess(organization, workspace, { team: team.id })}
                aria-label={`All permissions of ${team.attributes.name}`}
              >
                {team.attributes.name}
              </Link>
            ),
          },
          ...columns.map(({ head, levels }) => ({
            head,
            cell: ({ access }: { readonly team: Team; readonly access: EffectiveAccess | undefined }) =>
              access === undefined ? <span className="quiet">…</span> : <Level access={access} levels={levels} />,
          })),
        ]}
      />
      {shown.length > 0 && shown.length < rows.length && (
        <p className="quiet">Teams whose permissions you may not see are left out.</p>
      )}
      <Pager pagination={meta.pagination} what="Teams" />
    </section>
  );
}

/** The highest level that the team has, and what gives it. */
function Level({ access, levels }: { readonly access: EffectiveAccess; readonly levels: Levels }) {
  const held = access.attributes.rights.flatMap((right) => right.claims);
  const waysTo = (claims: readonly string[]) => held.filter(({ claim }) => claims.includes(claim));
  const [label, ...claims] = levels.findLast(([, ...enough]) => waysTo(enough).length > 0) ?? [];
  if (label === undefined) return <span className="quiet">no</span>;
  return (
    <>
      <strong>{label}</strong>
      {sourcesOf(waysTo(claims)).map((source) => (
        <span key={source} className="source quiet">
          {source}
        </span>
      ))}
    </>
  );
}

/** Several rights may need the same claim. */
const sourcesOf = (ways: readonly GivenClaim[]): readonly string[] => [...new Set(ways.map(throughInWords))];
