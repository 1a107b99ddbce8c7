import { api, type Schemas } from '../../api/client.ts';
import { useRead } from '../../api/reading.ts';
import { pageOf, useAddressValues } from '../../parts/address-values.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import type { FormValues } from '../../parts/entry-form.tsx';
import { CheckField, Field } from '../../parts/field.tsx';
import { FilterField } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { Params } from '../../parts/params.ts';
import { RowMenu } from '../../parts/row-menu.tsx';
import { useSettled } from '../../parts/settled.ts';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { OrganizationPage } from '../../shell/organization-page.tsx';

type Task = Schemas['client.RunTask'];

const list = '/organizations/{organization}/tasks';
const one = '/tasks/{id}';
const outdates = [list, one, '/workspaces/{workspaceId}/tasks'] as const;

export function RunTasksPage({ params: { organization } }: Params<'organization'>) {
  const [values, change] = useAddressValues();
  return (
    <OrganizationPage
      organization={organization}
      section="tasks"
      actions={() => <NewTask organization={organization} />}
    >
      {() => (
        <>
          <search className="filters" aria-label="Run tasks">
            <FilterField label="Name" value={values.name} onChange={(name) => change({ name })} />
          </search>
          <Tasks organization={organization} />
        </>
      )}
    </OrganizationPage>
  );
}

const NewTask = ({ organization }: { readonly organization: string }) => (
  <FormDialog
    trigger="New run task"
    title="New run task"
    kind="main"
    submit="Create run task"
    send={(values) =>
      api.post(list, { path: { organization }, body: { data: { type: 'tasks', attributes: taskOf(values) } } })
    }
    done="The run task was created."
    outdates={outdates}
  >
    <TaskFields />
  </FormDialog>
);

/** The fields of a run task; of an existing one if it is given. */
const TaskFields = ({ task }: { readonly task?: Task }) => (
  <>
    <Field label="Name" name="name" isRequired autoFocus defaultValue={task?.attributes.name ?? ''} />
    <Field
      label="URL"
      name="url"
      type="url"
      isRequired
      defaultValue={task?.attributes.url ?? ''}
      description="It is called with the run, and may read its configuration and redacted plan."
    />
    <Field label="Description" name="description" defaultValue={task?.attributes.description ?? ''} />
    <Field
      label="HMAC key"
      name="hmac-key"
      type="password"
      autoComplete="off"
      description={
        task === undefined
          ? 'Signs each call. It is never shown again. Empty sends them unsigned.'
          : 'It cannot be shown. Leave this empty to keep it.'
      }
    />
    {task !== undefined && <CheckField label="Remove the HMAC key" name="without-key" />}
    <CheckField label="Enabled: runs call it" name="enabled" isChecked={task?.attributes.enabled ?? true} />
  </>
);

/** The attributes of a filled form. A key that is left empty stays as it is. */
function taskOf({ name = '', url = '', description = '', enabled, ...values }: FormValues) {
  const key = values['hmac-key'] ?? '';
  const removesKey = values['without-key'] === 'on';
  return {
    name,
    url,
    description,
    enabled: enabled === 'on',
    category: 'task' as const,
    ...((key !== '' || removesKey) && { 'hmac-key': removesKey ? '' : key }),
  };
}

function Tasks({ organization }: { readonly organization: string }) {
  const [values] = useAddressValues();
  const { data, meta } = useRead(
    list,
    useSettled({
      path: { organization },
      query: { 'search[name]': values.name ?? '', 'page[number]': pageOf(values) },
    }),
  );
  return (
    <>
      <Table
        caption="Run tasks"
        rows={data}
        keyOf={({ id }) => id}
        empty={
          values.name === undefined ? (
            <>
              <p>
                A run task is a server, such as a scanner, that runs call before or after their plan or apply, and that
                can stop them. Create it here, then attach it to workspaces under Run tasks. There is none yet.
              </p>
              <p>Terraform creates one too, with these lines:</p>
              <pre className="lines">{resource(organization)}</pre>
            </>
          ) : (
            <p>No run task matches.</p>
          )
        }
        columns={[
          { head: 'Name', cell: ({ attributes }) => attributes.name },
          { head: 'URL', cell: ({ attributes }) => <code className="lines">{attributes.url}</code> },
          { head: 'Description', cell: ({ attributes }) => attributes.description },
          {
            head: 'State',
            cell: ({ attributes }) =>
              attributes.enabled ? <Badge tone="good">Enabled</Badge> : <Badge tone="idle">Disabled</Badge>,
          },
          {
            head: 'Workspaces',
            isNumber: true,
            cell: ({ relationships }) => relationships['workspace-tasks'].data.length,
          },
          { head: 'Created', cell: ({ attributes }) => <Time at={attributes['created-at']} /> },
          { head: 'Actions', cell: (task) => <Actions task={task} /> },
        ]}
      />
      <Pager pagination={meta.pagination} what="Run tasks" />
    </>
  );
}

const resource = (organization: string): string => `resource "tfe_organization_run_task" "scanner" {
  organization = "${organization}"
  name         = "scanner"
  url          = "https://scanner.example/runs"
  hmac_key     = var.scanner_key
}`;

function Actions({ task }: { readonly task: Task }) {
  const path = { id: task.id };
  const { name } = task.attributes;
  const count = task.relationships['workspace-tasks'].data.length;
  const remove = useChange(() => api.delete(one, { path }), { done: 'The run task was deleted.', outdates });
  return (
    <RowMenu of={name}>
      <FormDialog
        trigger="Change"
        triggerName={`Change ${name}`}
        title={`Change ${name}`}
        submit="Save run task"
        send={(values) => api.patch(one, { path, body: { data: { type: 'tasks', attributes: taskOf(values) } } })}
        done="The run task was changed."
        outdates={outdates}
      >
        <TaskFields task={task} />
      </FormDialog>
      <Confirm
        trigger="Delete"
        triggerName={`Delete ${name}`}
        title={`Delete ${name}?`}
        confirm="Delete run task"
        isDanger
        onConfirm={() => remove.run(undefined)}
      >
        <p>
          {count === 0
            ? 'No workspace uses it.'
            : `It is detached from ${count === 1 ? 'one workspace' : `${count} workspaces`}.`}{' '}
          Runs that wait for its result get none.
        </p>
      </Confirm>
    </RowMenu>
  );
}
