import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { useMaybeRead } from '../../api/reading.ts';
import { Facts } from '../../parts/facts.tsx';
import type { Workspace } from '../../workspace/workspace.ts';

interface Props {
  readonly organization: string;
  readonly workspace: Workspace;
}

const kinds = { terraform: 'Terraform', env: 'Environment' } as const;

/** The number of variables that runs get, by kind. */
export function VariablesByKind({ organization, workspace: { id, attributes } }: Props) {
  const variables = useMaybeRead('/workspaces/{workspaceId}/all-vars', { path: { workspaceId: id } }).data?.data;
  const countOf = (kind: string): string => {
    const found = (variables ?? []).filter(({ attributes: { category } }) => category === kind);
    const sensitive = found.filter(({ attributes: { sensitive } }) => sensitive).length;
    return sensitive === 0 ? String(found.length) : `${found.length} (${sensitive} sensitive)`;
  };
  return (
    <section className="card" aria-labelledby="variables">
      <h2 id="variables">Variables</h2>
      {variables !== undefined && (
        <Facts facts={Object.entries(kinds).map(([kind, label]) => [label, countOf(kind)])} />
      )}
      <Link href={addresses.inWorkspace(organization, attributes.name, 'variables')}>All variables</Link>
    </section>
  );
}
