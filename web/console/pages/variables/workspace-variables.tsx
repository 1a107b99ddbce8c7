import { Link } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api, included, type Schemas } from '../../api/client.ts';
import { useMaybeRead, useRead } from '../../api/reading.ts';
import type { Params } from '../../parts/params.ts';
import { Table } from '../../parts/table.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { AddVariable, VariableActions, type VariableStore, VariableValue } from './variable-actions.tsx';
import { categoryName, changeOf, draftOf, type Variable } from './variable-form.tsx';

type Names = Params<'organization' | 'workspace'>;

export const WorkspaceVariablesPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage
    organization={organization}
    name={name}
    tab="variables"
    actions={({ id, attributes }) =>
      attributes.permissions['can-update-variable'] && <AddVariable store={storeOf(id)} />
    }
  >
    {(workspace) => <Variables organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

const storeOf = (workspaceId: string): VariableStore => ({
  outdates: ['/workspaces/{workspaceId}/vars', '/workspaces/{workspaceId}/all-vars'],
  add: (values) =>
    api.post('/workspaces/{workspaceId}/vars', { path: { workspaceId }, body: { data: draftOf(values) } }),
  change: (variable, values) =>
    api.patch('/workspaces/{workspaceId}/vars/{variableId}', {
      path: { workspaceId, variableId: variable.id },
      body: { data: changeOf(variable, values) },
    }),
  remove: (variableId) =>
    api.delete('/workspaces/{workspaceId}/vars/{variableId}', { path: { workspaceId, variableId } }),
});

const sameName = (one: Variable, other: Variable): boolean =>
  one.attributes.key === other.attributes.key && one.attributes.category === other.attributes.category;

function Variables({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const { id } = workspace;
  const { permissions } = workspace.attributes;
  const own = useRead('/workspaces/{workspaceId}/vars', { path: { workspaceId: id } }).data;
  const effective = useRead('/workspaces/{workspaceId}/all-vars', { path: { workspaceId: id } }).data;
  const sets = useRead('/workspaces/{id}/varsets', { path: { id }, query: { include: ['vars'], 'page[size]': 100 } });
  const setOf = ({ relationships }: Variable) => sets.data.find((set) => set.id === relationships.varset?.data.id);
  const ofSets = sets.data.flatMap(({ relationships }) =>
    relationships.vars.data.flatMap(({ id }) => included<Schemas['client.Variable']>(sets, 'vars', id) ?? []),
  );
  const all = new Map([...own, ...effective, ...ofSets].map((variable) => [variable.id, variable]));
  const rows = [...all.values()].sort((one, other) => (one.attributes.key < other.attributes.key ? -1 : 1));
  const winnerOf = (variable: Variable) => effective.find((one) => sameName(one, variable));
  const nameOfSource = (variable: Variable) =>
    variable.relationships.varset === undefined
      ? 'this workspace'
      : (setOf(variable)?.attributes.name ?? 'a variable set');
  return (
    <Table
      caption="Variables"
      rows={rows}
      keyOf={(variable) => variable.id}
      empty={<p>This workspace has no variables.</p>}
      columns={[
        {
          head: 'Key',
          cell: ({ attributes }) => (
            <>
              <code>{attributes.key}</code>
              {attributes.description !== null && attributes.description !== '' && (
                <div className="quiet">{attributes.description}</div>
              )}
            </>
          ),
        },
        { head: 'Value', cell: VariableValue },
        { head: 'Category', cell: ({ attributes }) => categoryName(attributes.category) },
        {
          head: 'Comes from',
          cell: (variable) => (
            <Source organization={organization} set={setOf(variable)} name={nameOfSource(variable)} />
          ),
        },
        {
          head: 'In runs',
          cell: (variable) => {
            const winner = winnerOf(variable);
            if (winner === undefined) return <span className="quiet">not received</span>;
            return winner.id === variable.id ? 'received' : `overridden by ${nameOfSource(winner)}`;
          },
        },
        {
          head: 'Actions',
          cell: (variable) =>
            permissions['can-update-variable'] &&
            variable.relationships.varset === undefined && <VariableActions variable={variable} store={storeOf(id)} />,
        },
      ]}
    />
  );
}

interface SourceProps {
  readonly organization: string;
  readonly set: Schemas['client.VariableSet'] | undefined;
  readonly name: string;
}

/** A set is a link for those who may open it. */
function Source({ organization, set, name }: SourceProps) {
  const { data } = useMaybeRead('/organizations/{organization}', { path: { organization } });
  const mayOpen = data?.data.attributes.permissions?.['can-manage-varsets'] === true;
  if (set === undefined) return name;
  const { global, priority } = set.attributes;
  const kind = [priority && 'priority', global && 'global'].filter(Boolean).join(', ');
  return (
    <>
      {mayOpen ? <Link href={addresses.inSection(organization, 'varsets', set.id)}>{name}</Link> : name}
      {kind !== '' && <span className="quiet"> ({kind})</span>}
    </>
  );
}
