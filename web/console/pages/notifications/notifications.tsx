import { api } from '../../api/client.ts';
import { outdated, useRead } from '../../api/reading.ts';
import { useChange } from '../../parts/change.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { Params } from '../../parts/params.ts';
import { RowMenu } from '../../parts/row-menu.tsx';
import { Badge } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import type { Workspace } from '../../workspace/workspace.ts';
import { WorkspacePage } from '../../workspace/workspace-page.tsx';
import {
  destinationOf,
  destinationWords,
  type Notification,
  NotificationFields,
  notificationOf,
  triggerLabels,
} from './notification-form.tsx';

const list = '/workspaces/{workspaceId}/notification-configurations';
const one = '/notification-configurations/{id}';
const type = 'notification-configurations' as const;
const outdates = [list] as const;

export const NotificationsPage = ({
  params: { organization, workspace: name },
}: Params<'organization' | 'workspace'>) => (
  <WorkspacePage
    organization={organization}
    name={name}
    tab="notifications"
    actions={({ id, attributes }) => attributes.permissions['can-update'] && <NewNotification workspaceId={id} />}
  >
    {(workspace) => <Notifications workspace={workspace} />}
  </WorkspacePage>
);

const NewNotification = ({ workspaceId }: { readonly workspaceId: string }) => (
  <FormDialog
    trigger="New notification"
    title="New notification"
    submit="Create notification"
    send={(values) => {
      const attributes = { ...notificationOf(values), 'destination-type': destinationOf(values) };
      return api.post(list, { path: { workspaceId }, body: { data: { type, attributes } } });
    }}
    done="The notification was created."
    outdates={outdates}
  >
    <NotificationFields />
  </FormDialog>
);

function Notifications({ workspace }: { readonly workspace: Workspace }) {
  const { data } = useRead(list, { path: { workspaceId: workspace.id } });
  return (
    <Table
      caption="Notifications"
      rows={data}
      keyOf={({ id }) => id}
      empty={
        <>
          <p>
            A notification reports what happens to runs of this workspace, such as a plan that needs a decision, to a
            webhook, Slack or Microsoft Teams. There is none yet.
          </p>
          <p>Terraform creates one too, with these lines:</p>
          <pre className="lines">{resource(workspace.id)}</pre>
        </>
      }
      columns={[
        { head: 'Name', cell: ({ attributes }) => attributes.name },
        { head: 'Sends to', cell: ({ attributes }) => destinationWords[attributes['destination-type']] },
        {
          head: 'When',
          cell: ({ attributes }) =>
            triggerLabels(attributes.triggers).join(', ') || <span className="quiet">never</span>,
        },
        {
          head: 'State',
          cell: ({ attributes }) =>
            attributes.enabled ? <Badge tone="good">Enabled</Badge> : <Badge tone="idle">Disabled</Badge>,
        },
        { head: 'Last answer', cell: LastAnswer },
        { head: 'Actions', cell: (notification) => <Actions notification={notification} /> },
      ]}
    />
  );
}

const resource = (workspaceId: string): string => `resource "tfe_notification_configuration" "runs" {
  workspace_id     = "${workspaceId}"
  name             = "runs"
  enabled          = true
  destination_type = "slack"
  url              = var.slack_url
  triggers         = ["run:needs_attention", "run:errored"]
}`;

/** Characters of an answer that a row shows. */
const maxShown = 200;

/** The answer of the receiver to the newest notification or test, or why there was none. */
function LastAnswer({
  attributes: {
    'delivery-responses': [last],
  },
}: Notification) {
  if (last === undefined) return <span className="quiet">none yet</span>;
  return (
    <>
      {last.code === '' ? 'No answer' : last.code}
      {last.body !== '' && `: ${last.body.slice(0, maxShown)}`}, <Time at={last['sent-at']} />
    </>
  );
}

function Actions({ notification }: { readonly notification: Notification }) {
  const { id, attributes } = notification;
  const { name, enabled } = attributes;
  const path = { id };
  const enable = useChange(
    () => api.patch(one, { path, body: { data: { type, attributes: { enabled: !enabled } } } }),
    { done: `${name} is ${enabled ? 'disabled' : 'enabled'}.`, outdates },
  );
  // The answer is kept, also where it is the reason of a refusal.
  const verify = useChange(() => api.post(`${one}/actions/verify`, { path }).finally(() => outdated(list)), {
    done: ({ data }) => `The receiver answered ${data.attributes['delivery-responses'][0]?.code}.`,
  });
  const remove = useChange(() => api.delete(one, { path }), { done: 'The notification was deleted.', outdates });
  return (
    <RowMenu of={name}>
      {attributes['destination-type'] !== 'email' && (
        <>
          <Confirm
            trigger="Send a test"
            triggerName={`Send a test to ${name}`}
            title={`Send a test to ${name}?`}
            confirm="Send test"
            onConfirm={() => verify.run(undefined)}
          >
            <p>The receiver must answer it with a 2xx within 10 seconds.</p>
          </Confirm>
          <FormDialog
            trigger="Change"
            triggerName={`Change ${name}`}
            title={`Change ${name}`}
            submit="Save notification"
            send={(values) => api.patch(one, { path, body: { data: { type, attributes: notificationOf(values) } } })}
            done="The notification was changed."
            outdates={outdates}
          >
            <NotificationFields notification={notification} />
          </FormDialog>
          <Confirm
            trigger={enabled ? 'Disable' : 'Enable'}
            triggerName={`${enabled ? 'Disable' : 'Enable'} ${name}`}
            title={`${enabled ? 'Disable' : 'Enable'} ${name}?`}
            confirm={enabled ? 'Disable notification' : 'Enable notification'}
            onConfirm={() => enable.run(undefined)}
          >
            <p>{enabled ? 'Nothing is sent until it is enabled again.' : 'The receiver gets a test first.'}</p>
          </Confirm>
        </>
      )}
      <Confirm
        trigger="Delete"
        triggerName={`Delete ${name}`}
        title={`Delete ${name}?`}
        confirm="Delete notification"
        isDanger
        onConfirm={() => remove.run(undefined)}
      >
        <p>The receiver gets nothing any more. Its secret is deleted, too.</p>
      </Confirm>
    </RowMenu>
  );
}
