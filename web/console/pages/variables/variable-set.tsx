import { useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api, included, type Schemas } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { Attachments } from '../../parts/attachments.tsx';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { ProjectField, projectNamed } from '../../parts/name-fields.tsx';
import type { Params } from '../../parts/params.ts';
import { SettingsCard } from '../../parts/settings-card.tsx';
import { Table } from '../../parts/table.tsx';
import { WorkspaceAttachments } from '../../parts/workspace-attachments.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';
import { AddVariable, VariableActions, type VariableStore, VariableValue } from './variable-actions.tsx';
import { categoryName, changeOf, draftOf } from './variable-form.tsx';
import { settingsOf, type VariableSet, VariableSetFields } from './variable-set-form.tsx';

const one = '/varsets/{id}';
const list = '/organizations/{organization}/varsets';
const variables = '/varsets/{id}/relationships/vars';
/** The variables that runs receive depend on sets. */
const effects = ['/workspaces/{id}/varsets', '/workspaces/{workspaceId}/all-vars'] as const;
const outdates = [one, list, ...effects] as const;

/** Only those who may change a set can read it. */
export function VariableSetPage({ params: { organization, id } }: Params<'organization' | 'id'>) {
  const set = useRead(one, { path: { id }, query: { include: ['workspaces', 'projects'] } });
  const { attributes } = set.data;
  return (
    <OrganizationPage organization={organization} section="varsets" title={attributes.name}>
      {() => (
        <>
          <SetVariables id={id} />
          {!attributes.global && (
            <>
              <Workspaces organization={organization} set={set} />
              <Projects organization={organization} set={set} />
            </>
          )}
          <Settings key={attributes['updated-at']} set={set.data} />
          <DangerZone>
            <RemoveSet organization={organization} set={set.data} />
          </DangerZone>
        </>
      )}
    </OrganizationPage>
  );
}

function RemoveSet({ organization, set }: { readonly organization: string; readonly set: VariableSet }) {
  const [, navigate] = useLocation();
  const remove = useChange(() => api.delete(one, { path: { id: set.id } }), {
    done: 'The variable set was deleted.',
    outdates: [list, ...effects],
  });
  return (
    <Confirm
      trigger="Delete set"
      title={`Delete ${set.attributes.name}?`}
      confirm="Delete variable set"
      kind="danger"
      isDanger
      onConfirm={async () => {
        await remove.run(undefined);
        navigate(addresses.inOrganization(organization, 'varsets'));
      }}
    >
      <p>Its {set.attributes['var-count']} variables are deleted with it.</p>
    </Confirm>
  );
}

const storeOf = (id: string): VariableStore => ({
  outdates: [variables, ...outdates],
  add: (values) => api.post(variables, { path: { id }, body: { data: draftOf(values) } }),
  change: (variable, values) =>
    api.patch('/varsets/{id}/relationships/vars/{setVariableId}', {
      path: { id, setVariableId: variable.id },
      body: { data: changeOf(variable, values) },
    }),
  remove: (setVariableId) =>
    api.delete('/varsets/{id}/relationships/vars/{setVariableId}', { path: { id, setVariableId } }),
});

function SetVariables({ id }: { readonly id: string }) {
  const { data } = useRead(variables, { path: { id } });
  const store = storeOf(id);
  return (
    <section className="card" aria-labelledby="variables">
      <div className="heading">
        <h2 id="variables">Variables</h2>
        <div className="actions">
          <AddVariable store={store} />
        </div>
      </div>
      <Table
        caption="Variables of the set"
        rows={data}
        keyOf={(variable) => variable.id}
        empty={<p>The set has no variables yet.</p>}
        columns={[
          { head: 'Key', cell: ({ attributes }) => <code>{attributes.key}</code> },
          { head: 'Value', cell: VariableValue },
          { head: 'Category', cell: ({ attributes }) => categoryName(attributes.category) },
          { head: 'Description', cell: ({ attributes }) => attributes.description },
          { head: 'Actions', cell: (variable) => <VariableActions variable={variable} store={store} /> },
        ]}
      />
    </section>
  );
}

interface Shown {
  readonly organization: string;
  readonly set: { readonly data: VariableSet; readonly included?: readonly { type: string; id: string }[] };
}

function Workspaces({ organization, set }: Shown) {
  const { id, relationships } = set.data;
  const items = relationships.workspaces.data.map((workspace) => ({
    id: workspace.id,
    name: included<Schemas['client.Workspace']>(set, 'workspaces', workspace.id)?.attributes.name ?? workspace.id,
  }));
  const path = '/varsets/{id}/relationships/workspaces';
  const bodyOf = (workspaceId: string) => ({ data: [{ type: 'workspaces' as const, id: workspaceId }] });
  return (
    <WorkspaceAttachments
      heading="Workspaces"
      organization={organization}
      items={items}
      empty="Not attached to any workspace."
      add={(workspaceId) => api.post(path, { path: { id }, body: bodyOf(workspaceId) })}
      remove={(workspaceId) => api.delete(path, { path: { id }, body: bodyOf(workspaceId) })}
      outdates={outdates}
    />
  );
}

function Projects({ organization, set }: Shown) {
  const { id, relationships } = set.data;
  const items = relationships.projects.data.map((project) => ({
    id: project.id,
    name: included<Schemas['client.Project']>(set, 'projects', project.id)?.attributes.name ?? project.id,
  }));
  const path = '/varsets/{id}/relationships/projects';
  const bodyOf = (projectId: string) => ({ data: [{ type: 'projects' as const, id: projectId }] });
  return (
    <Attachments
      heading="Projects"
      what="project"
      items={items}
      empty="Not attached to any project."
      add={async ({ name = '' }) =>
        api.post(path, { path: { id }, body: bodyOf(await projectNamed(organization, name)) })
      }
      remove={(projectId) => api.delete(path, { path: { id }, body: bodyOf(projectId) })}
      outdates={outdates}
      field={<ProjectField organization={organization} />}
    />
  );
}

const Settings = ({ set }: { readonly set: VariableSet }) => (
  <SettingsCard
    save={(values) => {
      const data = { type: 'varsets' as const, attributes: settingsOf(values) };
      return api.patch(one, { path: { id: set.id }, body: { data } });
    }}
    done="The variable set was changed."
    outdates={outdates}
  >
    <VariableSetFields set={set} />
  </SettingsCard>
);
