import type { Notification, RunNews } from '../../application/index.js';
import type { RunNotificationTrigger, RunStatus } from '../../domain/index.js';

const titles: Readonly<Record<RunNotificationTrigger, string>> = {
  'run:created': 'Run Created',
  'run:planning': 'Run Planning',
  'run:needs_attention': 'Run Needs Attention',
  'run:applying': 'Run Applying',
  'run:completed': 'Run Applied',
  'run:errored': 'Run Errored',
};

/** The statuses that say more than their trigger. */
const titlesByStatus: Readonly<Partial<Record<RunStatus, string>>> = {
  planned_and_finished: 'Run Planned and Finished',
  discarded: 'Run Discarded',
  canceled: 'Run Canceled',
};

const titleOf = ({ event: { trigger, status } }: RunNews): string =>
  (trigger === 'run:created' ? undefined : titlesByStatus[status]) ?? titles[trigger];

const pageOf = ({ run, workspace: { organizationName, name } }: RunNews, publicUrl: string): string =>
  `${publicUrl}/app/${organizationName}/${name}/runs/${run.id}`;

/** The body of a webhook, as clients of this API family read it. */
function generic({ configuration, news }: Notification, publicUrl: string): object {
  const ofRun = <Value>(read: (news: RunNews) => Value): Value | null => (news === null ? null : read(news));
  return {
    payload_version: 1,
    notification_configuration_id: configuration.id,
    run_url: ofRun((of) => pageOf(of, publicUrl)),
    run_id: ofRun(({ run }) => run.id),
    run_message: ofRun(({ run }) => run.options.message),
    run_created_at: ofRun(({ run }) => run.createdAt),
    run_created_by: ofRun(({ createdBy }) => createdBy),
    workspace_id: ofRun(({ workspace }) => workspace.id),
    workspace_name: ofRun(({ workspace }) => workspace.name),
    organization_name: ofRun(({ workspace }) => workspace.organizationName),
    notifications: [
      {
        message: ofRun(titleOf) ?? `Verification of ${configuration.name}`,
        trigger: ofRun(({ event }) => event.trigger) ?? 'verification',
        run_status: ofRun(({ event }) => event.status),
        run_updated_at: ofRun(({ event }) => event.at),
        run_updated_by: ofRun(({ updatedBy }) => updatedBy),
      },
    ],
  };
}

interface Told {
  readonly title: string;
  /** Lines of the message: a name and what is said of it. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly link: string | undefined;
}

/** The part that people read. */
function told({ configuration, news }: Notification, publicUrl: string): Told {
  if (news === null) return { title: `Verification of ${configuration.name}`, facts: [], link: undefined };
  const { run, workspace, createdBy } = news;
  const facts = [
    ['Workspace', `${workspace.organizationName}/${workspace.name}`],
    ['Message', run.options.message],
    ...(createdBy === null ? [] : [['Created by', createdBy] as const]),
    ['Status', news.event.status],
  ] as const;
  return { title: titleOf(news), facts, link: pageOf(news, publicUrl) };
}

/** Slack gives these characters a meaning: a run's message must not mention a channel or hide a link. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

function slack(notification: Notification, publicUrl: string): object {
  const { title, facts, link } = told(notification, publicUrl);
  const head = escaped(title);
  const lines = facts.map(([name, value]) => `*${name}*: ${escaped(value)}`);
  return { text: [link === undefined ? `*${head}*` : `*<${link}|${head}>*`, ...lines].join('\n') };
}

/** Cards read texts as Markdown: a run's message must not hide a link. */
const plain = (text: string): string => text.replaceAll('[', '(').replaceAll(']', ')');

/** An adaptive card, which both connectors and workflows take. */
function teams(notification: Notification, publicUrl: string): object {
  const { title, facts, link } = told(notification, publicUrl);
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      { type: 'TextBlock', size: 'Medium', weight: 'Bolder', text: plain(title), wrap: true },
      ...(facts.length === 0
        ? []
        : [{ type: 'FactSet', facts: facts.map(([name, value]) => ({ title: name, value: plain(value) })) }]),
    ],
    actions: link === undefined ? [] : [{ type: 'Action.OpenUrl', title: 'Open the run', url: link }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

const bodies: Readonly<
  Record<Notification['destinationType'], (notification: Notification, publicUrl: string) => object>
> = { generic, slack, 'microsoft-teams': teams };

export const bodyOf = (notification: Notification, publicUrl: string): object =>
  bodies[notification.destinationType](notification, publicUrl);
