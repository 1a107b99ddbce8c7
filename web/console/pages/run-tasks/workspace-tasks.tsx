import { useState } from 'react';
import { api, type Schemas } from '../../api/client.ts';
import { useMaybeRead, useMaybeReadEach, useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field, SelectField } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { Picker } from '../../parts/picker.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';

type Attached = Schemas['client.WorkspaceTask'];
type Attributes = Attached['attributes'];
type Stage = Attributes['stages'][number];
type Level = Attributes['enforcement-level'];

const list = '/workspaces/{workspaceId}/tasks';
const one = '/workspaces/{workspaceId}/tasks/{workspaceTaskId}';
const outdates = [list, '/organizations/{organization}/tasks'] as const;

const stages: Readonly<Record<Stage, string>> = {
  pre_plan: 'Before the plan',
  post_plan: 'After the plan',
  pre_apply: 'Before the apply',
  post_apply: 'After the apply',
};
const stageNames = Object.keys(stages) as Stage[];

const levels: Readonly<Record<Level, string>> = {
  advisory: 'Advisory: is shown, and stops nothing',
  mandatory: 'Mandatory: must pass, or the run stops',
};
const levelChoices = Object.entries(levels).map(([value, label]) => ({ value, label }));
const levelNames: Readonly<Record<Level, string>> = { advisory: 'Advisory', mandatory: 'Mandatory' };

export const WorkspaceTasksPage = ({
  params: { organization, workspace: name },
}: Params<'organization' | 'workspace'>) => (
  <WorkspacePage
    organization={organization}
    name={name}
    tab="tasks"
    actions={({ id, attributes }) =>
      attributes.permissions['can-manage-run-tasks'] && <Attach organization={organization} workspaceId={id} />
    }
  >
    {(workspace) => <Tasks organization={organization} workspace={workspace} />}
  </WorkspacePage>
);

/** Whether the caller may see the tasks of the organization; others see ids, and attach by them. */
function useSeesTasks(organization: string): boolean {
  const { data } = useRead('/organizations/{organization}', { path: { organization } });
  return data.attributes.permissions?.['can-manage-run-tasks'] === true;
}

const Attach = ({ organization, workspaceId }: { readonly organization: string; readonly workspaceId: string }) => (
  <FormDialog
    trigger="Attach a run task"
    title="Attach a run task"
    submit="Attach"
    send={(values) =>
      api.post(list, {
        path: { workspaceId },
        body: {
          data: {
            type: 'workspace-tasks',
            attributes: settingsOf(values),
            relationships: { task: { data: { type: 'tasks', id: values.task ?? '' } } },
          },
        },
      })
    }
    done="The run task was attached."
    outdates={outdates}
  >
    <TaskField organization={organization} />
    <SettingsFields />
  </FormDialog>
);

function TaskField({ organization }: { readonly organization: string }) {
  const seesTasks = useSeesTasks(organization);
  const [search, setSearch] = useState('');
  const { data } = useMaybeRead(
    '/organizations/{organization}/tasks',
    { path: { organization }, query: { 'search[name]': search, 'page[size]': 50 } },
    { enabled: seesTasks },
  );
  if (!seesTasks) {
    const from = 'Those who manage the run tasks of the organization know it.';
    return <Field label="ID of the run task" name="task" isRequired autoFocus description={from} />;
  }
  return (
    <Picker
      label="Run task"
      name="task"
      choices={data?.data.map(({ id, attributes }) => ({ value: id, label: attributes.name }))}
      isCut={(data?.meta.pagination['next-page'] ?? null) !== null}
      onSearch={setSearch}
      isRequired
    />
  );
}

/** The fields of an attachment; of an existing one if it is given. */
const SettingsFields = ({ attached }: { readonly attached?: Attached }) => (
  <>
    <fieldset className="checks">
      <legend>Stages</legend>
      {stageNames.map((stage) => (
        <CheckField
          key={stage}
          label={stages[stage]}
          name={stage}
          isChecked={attached?.attributes.stages.includes(stage) ?? stage === 'post_plan'}
        />
      ))}
    </fieldset>
    <SelectField
      label="Level"
      name="enforcement-level"
      value={attached?.attributes['enforcement-level'] ?? 'advisory'}
      choices={levelChoices}
    />
    <p className="quiet">Runs that are created from now on follow it.</p>
  </>
);

const settingsOf = (values: FormValues) => ({
  'enforcement-level': values['enforcement-level'] as Level,
  stages: stageNames.filter((stage) => values[stage] === 'on'),
});

function Tasks({ organization, workspace }: { readonly organization: string; readonly workspace: Workspace }) {
  const [values] = useAddressValues();
  const seesTasks = useSeesTasks(organization);
  const { data, meta } = useRead(list, {
    path: { workspaceId: workspace.id },
    query: { 'page[number]': pageOf(values) },
  });
  const ids = data.map(({ relationships }) => relationships.task.data.id);
  const tasks = useMaybeReadEach(
    '/tasks/{id}',
    ids.map((id) => ({ path: { id } })),
    { enabled: seesTasks },
  );
  const nameOf = ({ relationships: { task } }: Attached): string =>
    tasks[ids.indexOf(task.data.id)]?.data?.data.attributes.name ?? task.data.id;
  const mayManage = workspace.attributes.permissions['can-manage-run-tasks'];
  return (
    <>
      <Table
        caption="Run tasks"
        rows={data}
        keyOf={({ id }) => id}
        empty={
          <p>
            Runs of this workspace call no run task. Attach one, such as a scanner, to let it check their plans. The
            organization’s run tasks are in its settings.
          </p>
        }
        columns={[
          { head: 'Run task', cell: nameOf },
          { head: 'Called', cell: ({ attributes }) => attributes.stages.map((stage) => stages[stage]).join(', ') },
          { head: 'Level', cell: ({ attributes }) => levelNames[attributes['enforcement-level']] },
          { head: 'Attached', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          ...(mayManage
            ? [
                {
                  head: 'Actions',
                  cell: (attached: Attached) => <Actions attached={attached} name={nameOf(attached)} />,
                },
              ]
            : []),
        ]}
      />
      <Pager pagination={meta.pagination} what="Run tasks" />
    </>
  );
}

function Actions({ attached, name }: { readonly attached: Attached; readonly name: string }) {
  const path = { workspaceId: attached.relationships.workspace.data.id, workspaceTaskId: attached.id };
  const detach = useChange(() => api.delete(one, { path }), { done: 'The run task was detached.', outdates });
  return (
    <RowMenu of={name}>
      <FormDialog
        trigger="Change"
        triggerName={`Change ${name}`}
        title={`Change ${name}`}
        submit="Save"
        send={(values) =>
          api.patch(one, { path, body: { data: { type: 'workspace-tasks', attributes: settingsOf(values) } } })
        }
        done="The run task was changed."
        outdates={outdates}
      >
        <SettingsFields attached={attached} />
      </FormDialog>
      <Confirm
        trigger="Detach"
        triggerName={`Detach ${name}`}
        title={`Detach ${name}?`}
        confirm="Detach run task"
        isDanger
        onConfirm={() => detach.run(undefined)}
      >
        <p>Runs no longer call it. A run that waits for its result gets none.</p>
      </Confirm>
    </RowMenu>
  );
}
