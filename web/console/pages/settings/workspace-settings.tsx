import { useLocation } from 'wouter';
import { addresses } from '../../addresses.ts';
import { api } from '../../api/client.ts';
import { outdated, useRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { DangerZone } from '../../parts/danger-zone.tsx';
import { EntryForm, type FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field } from '../../parts/field.tsx';
import type { Params } from '../../parts/params.ts';
import { ProjectPicker } from '../../parts/project-picker.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import { DataRetention } from './data-retention.tsx';
import { ExecutionFields, savedSentence } from './execution-fields.tsx';
import { ScheduledDestruction } from './scheduled-destruction.tsx';
import { StateConsumers } from './state-consumers.tsx';
import { VersionControl } from './version-control.tsx';

type Names = Params<'organization' | 'workspace'>;

const one = '/organizations/{organization}/workspaces/{name}';
const list = '/organizations/{organization}/workspaces';

export const WorkspaceSettingsPage = ({ params: { organization, workspace: name } }: Names) => (
  <WorkspacePage organization={organization} name={name} tab="settings">
    {(workspace) => {
      const { permissions } = workspace.attributes;
      return (
        <>
          {permissions['can-update'] && (
            <Settings key={workspace.attributes['updated-at']} organization={organization} workspace={workspace} />
          )}
          {(permissions['can-link-repository'] || workspace.attributes['vcs-repo'] !== null) && (
            <VersionControl workspace={workspace} />
          )}
          {permissions['can-update'] && <StateConsumers organization={organization} workspace={workspace} />}
          {permissions['can-set-retention'] && <DataRetention workspace={workspace} />}
          {permissions['can-schedule-destroy'] && <ScheduledDestruction workspace={workspace} />}
          {permissions['can-destroy'] && <Deletion organization={organization} workspace={workspace} />}
        </>
      );
    }}
  </WorkspacePage>
);

interface Shown {
  readonly organization: string;
  readonly workspace: Workspace;
}

const flags = {
  'auto-apply': 'Apply automatically after a plan that succeeded',
  'allow-destroy-plan': 'Allow runs that destroy all resources',
  'global-remote-state': 'Share the state with every workspace of the organization',
} as const;
const flagNames = Object.keys(flags) as (keyof typeof flags)[];

const texts = ['name', 'description', 'terraform-version', 'working-directory'] as const;

const tagsIn = (text: string): readonly string[] =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');

/** Only what differs: the service asks for more permissions to change some of them than others. */
function changeOf({ attributes, relationships }: Workspace, values: FormValues) {
  const differs = (name: string, now: string): boolean => values[name] !== undefined && values[name] !== now;
  const project = values.project ?? '';
  const tags = tagsIn(values['tag-names'] ?? '');
  return {
    type: 'workspaces' as const,
    attributes: {
      ...Object.fromEntries(
        texts.filter((name) => differs(name, attributes[name] ?? '')).map((name) => [name, values[name]]),
      ),
      ...Object.fromEntries(
        flagNames
          .map((name) => [name, values[name] === 'on'] as const)
          .filter(([name, isOn]) => isOn !== attributes[name]),
      ),
      ...(tags.join() !== attributes['tag-names'].join() && { 'tag-names': [...tags] }),
      ...executionOf(attributes, values),
    },
    ...(differs('project', relationships.project.data.id) && {
      relationships: { project: { data: { type: 'projects' as const, id: project } } },
    }),
  };
}

/** The mode that the form begins with; empty for the default. */
const ownMode = (attributes: Workspace['attributes']): string =>
  attributes['setting-overwrites']['execution-mode'] ? attributes['execution-mode'] : '';
const ownPool = (attributes: Workspace['attributes']): string =>
  attributes['setting-overwrites']['agent-pool'] ? (attributes['agent-pool-id'] ?? '') : '';

function executionOf(attributes: Workspace['attributes'], values: FormValues) {
  const mode = values['execution-mode'] ?? '';
  const pool = values['agent-pool-id'] ?? '';
  if (mode === ownMode(attributes) && pool === ownPool(attributes)) return {};
  return {
    ...(mode === ''
      ? { 'setting-overwrites': { 'execution-mode': false } }
      : { 'execution-mode': mode as Workspace['attributes']['execution-mode'] }),
    'agent-pool-id': pool === '' ? null : pool,
  };
}

function Settings({ organization, workspace }: Shown) {
  const [, navigate] = useLocation();
  const { attributes } = workspace;
  const around = useRead('/organizations/{organization}', { path: { organization } }).data.attributes;
  const project = useRead('/projects/{id}', { path: { id: workspace.relationships.project.data.id } }).data.attributes;
  const save = useChange(
    (data: ReturnType<typeof changeOf>) =>
      api.patch('/workspaces/{id}', { path: { id: workspace.id }, body: { data } }),
    { done: ({ data }) => savedSentence(data.relationships), outdates: [list] },
  );
  const submit = async (values: FormValues): Promise<void> => {
    const { data } = await save.run(changeOf(workspace, values));
    const { name } = data.attributes;
    // The address contains the name.
    if (name !== attributes.name) navigate(addresses.inWorkspace(organization, name, 'settings'), { replace: true });
    else await outdated(one);
  };
  return (
    <section className="card" aria-labelledby="general">
      <h2 id="general">General</h2>
      <EntryForm submit="Save settings" isPending={save.isPending} problem={save.problem} onSubmit={submit}>
        <Field label="Name" name="name" isRequired defaultValue={attributes.name} />
        <Field label="Description" name="description" defaultValue={attributes.description ?? ''} />
        <ProjectPicker
          organization={organization}
          label="Project"
          name="project"
          value={workspace.relationships.project.data.id}
          offers={(project) => project.attributes.permissions['can-move-workspace']}
        />
        <Field
          label="Tags"
          name="tag-names"
          defaultValue={attributes['tag-names'].join(', ')}
          description="Separated by commas."
        />
        <ExecutionFields
          organization={organization}
          workspace={attributes.name}
          mode={{
            name: 'execution-mode',
            value: ownMode(attributes),
            choices: [
              { value: '', label: `Default (${project['default-execution-mode']})` },
              { value: 'remote', label: 'Remote: agents of this site' },
              { value: 'agent', label: 'Agent: agents of a pool' },
              { value: 'local', label: 'Local: only states are kept here' },
            ],
          }}
          pool={{ name: 'agent-pool-id', value: ownPool(attributes), none: 'Default' }}
          mayList={around.permissions?.['can-update-agent-pools'] === true}
        />
        <Field
          label="Terraform version"
          name="terraform-version"
          isRequired
          defaultValue={attributes['terraform-version']}
          description="A version, constraints such as ~> 1.11.0, or latest."
        />
        <Field
          label="Working directory"
          name="working-directory"
          defaultValue={attributes['working-directory']}
          description="Empty for the root of the configuration."
        />
        {flagNames.map((name) => (
          <CheckField key={name} label={flags[name]} name={name} isChecked={attributes[name]} />
        ))}
      </EntryForm>
    </section>
  );
}

function Deletion({ organization, workspace }: Shown) {
  const [, navigate] = useLocation();
  const { name, permissions, 'resource-count': resources } = workspace.attributes;
  const path = { id: workspace.id };
  const after = { done: `The workspace ${name} was deleted.`, outdates: [list] } as const;
  const safely = useChange(() => api.post('/workspaces/{id}/actions/safe-delete', { path }), after);
  const forced = useChange(() => api.delete('/workspaces/{id}', { path }), after);
  const leave = () => navigate(addresses.workspaces(organization));
  return (
    <DangerZone>
      <p>Its states, runs, variables and configuration versions are deleted with it.</p>
      <div className="actions">
        {resources === 0 ? (
          <Confirm
            trigger="Delete workspace"
            title={`Delete ${name}?`}
            confirm="Delete"
            kind="danger"
            isDanger
            typed={name}
            onConfirm={() => safely.run(undefined).then(leave)}
          />
        ) : (
          permissions['can-force-delete'] && (
            <Confirm
              trigger="Delete workspace and leave its resources"
              title={`Delete ${name}?`}
              confirm="Delete"
              kind="danger"
              isDanger
              typed={name}
              onConfirm={() => forced.run(undefined).then(leave)}
            >
              <p>
                Its state manages {resources} resources. They continue to exist, and nothing manages them any more. To
                delete them too, create a destroy run first.
              </p>
            </Confirm>
          )
        )}
      </div>
    </DangerZone>
  );
}
