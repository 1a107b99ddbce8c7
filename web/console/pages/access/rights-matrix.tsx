import { Fragment, useState } from 'react';
import { Link } from 'wouter';
import { End } from '../../access/access-end.tsx';
import type { TeamAccess } from '../../access/levels.ts';
import { addresses } from '../../addresses.ts';
import { useMaybeReadEach, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { Button } from '../../parts/button.tsx';
import { Pager } from '../../parts/pager.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { useSettled } from '../../parts/settled.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { AccessEditor } from './access-editor.tsx';
import { columns, distinct, type Held, hasSomething, heldOf, nameOf } from './held-levels.ts';
import { type EffectiveAccess, markOf, marks, SourceLink, throughInWords } from './sources.tsx';

const rowsPerPage = 50;

const inGroups = (ids: readonly string[]): readonly (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / rowsPerPage) }, (_, at) =>
    ids.slice(at * rowsPerPage, (at + 1) * rowsPerPage),
  );

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly accesses: readonly TeamAccess[];
}

interface Row {
  readonly teamId: string;
  readonly access: TeamAccess | undefined;
  readonly effective: EffectiveAccess;
}

/** The teams that may do something on the workspace, what that is, and where it comes from; a level is changed in its row. */
export function RightsMatrix({ organization, workspace, accesses }: Props) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    '/organizations/{organization}/teams',
    useSettled({
      path: { organization },
      query: { 'page[size]': rowsPerPage, 'page[number]': pageOf(values) },
    }),
  );
  const [shown, setShown] = useState(rowsPerPage);
  const [open, setOpen] = useState<{ readonly teamId: string; readonly what: 'reasons' | 'editor' }>();
  // Teams with access set here are on the first page; the others follow by name.
  const set = new Map(accesses.map((access) => [access.relationships.team.data.id, access]));
  const first = pageOf(values) === 1 ? [...set.keys()].slice(0, shown) : [];
  const others = data.map(({ id }) => id).filter((id) => !set.has(id));
  // In groups, so that those that are shown stay when more are read.
  const reads = useMaybeReadEach(
    '/workspaces/{id}/effective-access/teams',
    [...inGroups(first), ...inGroups(others)].map((group) => ({
      path: { id: workspace.id },
      query: { 'filter[team][id]': group.join(','), 'page[size]': rowsPerPage },
    })),
  );
  const problem = reads.find(({ error }) => error !== null)?.error;
  const effectives = new Map(
    reads.flatMap((read) => read.data?.data ?? []).map((one) => [one.relationships.team.data?.id, one]),
  );
  const ids = [...first, ...others];
  const rows = ids.flatMap((teamId): Row[] => {
    const effective = effectives.get(teamId);
    return effective === undefined ? [] : [{ teamId, access: set.get(teamId), effective }];
  });
  const having = rows.filter(({ access, effective }) => access !== undefined || hasSomething(effective));
  const without = rows.filter((row) => !having.includes(row));
  const isReading = reads.some(({ isPending }) => isPending);
  const toggle = (teamId: string, what: 'reasons' | 'editor') => () =>
    setOpen(open?.teamId === teamId && open.what === what ? undefined : { teamId, what });
  return (
    <>
      <table className="table matrix">
        <caption className="unseen">Team permissions on this workspace</caption>
        <thead>
          <tr>
            <th scope="col">Team</th>
            <th scope="col">Access here</th>
            {columns.map(({ head }) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {having.map((row) => (
            <Fragment key={row.teamId}>
              <tr>
                <th scope="row">
                  <Link href={addresses.inSection(organization, 'teams', row.teamId)}>{nameOf(row.effective)}</Link>
                </th>
                <td data-label="Access here">
                  <Button
                    kind="quiet"
                    aria-label={`Change the access of ${nameOf(row.effective)}, ${row.access?.attributes.access ?? 'none'}`}
                    aria-expanded={open?.teamId === row.teamId && open.what === 'editor'}
                    onPress={toggle(row.teamId, 'editor')}
                  >
                    {row.access?.attributes.access ?? 'none'} <span aria-hidden="true">▾</span>
                  </Button>
                  {row.access?.attributes['expires-at'] != null && (
                    <span className="source">
                      ends <End ending={row.access.attributes} />
                    </span>
                  )}
                </td>
                {columns
                  .map(({ head, levels }) => ({ head, held: heldOf(row.effective, levels) }))
                  .map(({ head, held }) => (
                    <td key={head} data-label={head} className={held.label === undefined ? 'lacks' : undefined}>
                      <Level held={held} />
                    </td>
                  ))}
                <td data-label="Why">
                  <Button
                    kind="quiet"
                    aria-label={`Why ${nameOf(row.effective)} has these permissions`}
                    aria-expanded={open?.teamId === row.teamId && open.what === 'reasons'}
                    onPress={toggle(row.teamId, 'reasons')}
                  >
                    <span aria-hidden="true">?</span>
                  </Button>
                </td>
              </tr>
              {open?.teamId === row.teamId && (
                <tr>
                  <td className="more" colSpan={columns.length + 3}>
                    {open.what === 'reasons' ? (
                      <Reasons organization={organization} workspace={workspace} row={row} />
                    ) : (
                      <AccessEditor
                        organization={organization}
                        workspaceId={workspace.id}
                        teamId={row.teamId}
                        access={row.access}
                        effective={row.effective}
                        onClose={() => setOpen(undefined)}
                      />
                    )}
                  </td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
      <p className="quiet legend">
        Given by:{' '}
        {Object.entries(marks)
          .map(([name, mark]) => `${mark} ${name}`)
          .join(', ')}
        .{isReading && ' Loading…'}
      </p>
      {first.length < set.size && pageOf(values) === 1 && (
        <p>
          <Button onPress={() => setShown(shown + rowsPerPage)}>
            Show {Math.min(rowsPerPage, set.size - first.length)} more teams with access
          </Button>
        </p>
      )}
      {without.length > 0 && (
        <details>
          <summary>
            And {without.length} {without.length === 1 ? 'team' : 'teams'} without access
          </summary>
          <ul>
            {without.map(({ teamId, effective }) => (
              <li key={teamId}>
                <Link href={addresses.inSection(organization, 'teams', teamId)}>{nameOf(effective)}</Link>
              </li>
            ))}
          </ul>
        </details>
      )}
      {problem && <ProblemView problem={problem} />}
      {!isReading && !problem && rows.length < ids.length && (
        <p className="quiet">Teams whose permissions you may not see are left out.</p>
      )}
      <Pager pagination={meta.pagination} what="Teams" />
    </>
  );
}

/** One word, with a mark of what gives it; the focus shows the reason. */
function Level({ held: { label, ways } }: { readonly held: Held }) {
  if (label === undefined) {
    return (
      <>
        <span aria-hidden="true" className="quiet">
          –
        </span>
        <span className="unseen">no</span>
      </>
    );
  }
  const reason = distinct(ways).map(throughInWords).join('; ');
  return (
    // The focus shows the reason, as the pointer does.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
    <span className="right" tabIndex={0} title={reason} data-reason={reason}>
      <strong>{label}</strong>{' '}
      <span aria-hidden="true" className="quiet">
        {[...new Set(ways.flatMap(markOf))].join(' ')}
      </span>
      <span className="unseen"> {reason}</span>
    </span>
  );
}

interface ReasonsProps {
  readonly organization: string;
  readonly workspace: Workspace;
  readonly row: Row;
}

/** The sources of each level, with links to where it can be changed. */
const Reasons = ({ organization, workspace, row: { teamId, effective } }: ReasonsProps) => (
  <>
    <ul aria-label={`Reasons for ${nameOf(effective)}`}>
      {columns
        .map(({ head, levels }) => ({ head, ...heldOf(effective, levels) }))
        .filter(({ label }) => label !== undefined)
        .map(({ head, label, ways }) => (
          <li key={head}>
            {head}: <strong>{label}</strong>
            {distinct(ways).map((way, index) => (
              <Fragment key={throughInWords(way)}>
                {index === 0 ? ', ' : ' and '}
                <SourceLink
                  organization={organization}
                  projectId={workspace.relationships.project.data.id}
                  teamId={teamId}
                  way={way}
                />
              </Fragment>
            ))}
          </li>
        ))}
    </ul>
    <Link href={addresses.effectiveAccess(organization, workspace.attributes.name, { team: teamId })}>
      All permissions of {nameOf(effective)}
    </Link>
  </>
);
