import type { Action } from '../../authorization/policy.js';
import { checkCalledUrl } from '../../shared/called-url.js';
import { DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type {
  Instant,
  NotificationConfigurationId,
  OrganizationId,
  ProjectId,
  RunId,
  TeamId,
  UserId,
  WorkspaceId,
} from '../../shared/id.js';
import { checkPrintableName } from '../../shared/name.js';
import type { RunStatus } from '../runs/run-status.js';

/** The events of a run that receivers are notified of, in the order of a run. */
export const runNotificationTriggers = [
  'run:created',
  'run:planning',
  'run:needs_attention',
  'run:applying',
  'run:completed',
  'run:errored',
] as const;

export type RunNotificationTrigger = (typeof runNotificationTriggers)[number];

/** The triggers that a configuration may have, by what it belongs to. Nothing pulls those of teams: clients keep them. */
export const triggersOf = {
  workspace: runNotificationTriggers,
  project: runNotificationTriggers,
  team: ['change_request:created'],
} as const;

export type NotificationTrigger = (typeof triggersOf)[keyof typeof triggersOf][number];

/** The owner of a configuration. Those of a project are notified of the runs of all its workspaces. */
export type NotificationSubject =
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'project'; readonly id: ProjectId }
  | { readonly kind: 'team'; readonly id: TeamId };

export const destinationTypes = ['generic', 'slack', 'microsoft-teams', 'email'] as const;

export type DestinationType = (typeof destinationTypes)[number];

export interface NotificationSettings {
  readonly name: string;
  readonly enabled: boolean;
  readonly destinationType: DestinationType;
  /** Null for e-mail, and only there. */
  readonly url: string | null;
  /** In the order of a run, each once. */
  readonly triggers: readonly NotificationTrigger[];
  /** For e-mail only. */
  readonly emailAddresses: readonly string[];
  /** Members of the organization, for e-mail only. */
  readonly userIds: readonly UserId[];
}

/** The answer of a receiver, or why there was none. */
export interface DeliveryResponse {
  readonly url: string;
  /** The status; empty without an answer. */
  readonly code: string;
  /** The beginning of the answer's body; without an answer, the reason. */
  readonly body: string;
  readonly successful: boolean;
  readonly sentAt: Instant;
}

/** A receiver outside that is notified of what happens to the runs of a workspace or project, or of a team's requests. */
export interface NotificationConfiguration extends NotificationSettings {
  readonly id: NotificationConfigurationId;
  readonly subject: NotificationSubject;
  readonly organizationId: OrganizationId;
  /** The encrypted token that signs notifications; null without one. */
  readonly sealedToken: string | null;
  /** The last ones, newest first. */
  readonly deliveries: readonly DeliveryResponse[];
  readonly createdAt: Instant;
  /** When its settings last changed. */
  readonly updatedAt: Instant;
  readonly revision: number;
}

/** Something that happened to a run and that a receiver is notified of. */
export interface NotifiedEvent {
  readonly runId: RunId;
  readonly trigger: RunNotificationTrigger;
  /** The status that the run reached. */
  readonly status: RunStatus;
  readonly at: Instant;
}

export const notificationLimits = {
  token: 1024,
  emailAddress: 254,
  /** Addresses, or users. */
  recipients: 100,
  /** Each may be notified at every step of a run, in the workspace and in its project. */
  perSubject: 20,
  deliveries: 5,
  /** Characters of an answer that are kept. */
  body: 1024,
} as const;

/** The limits of waiting for a receiver, in seconds from the event. */
export const notificationWaits = {
  /** A failed attempt is repeated until then. */
  retry: 300,
  /** Notifications wait for those before them. Later than this, the first attempt is not made either. */
  attempt: 3600,
} as const;

/** Triggers of this API family that are not served for this subject, each with the reason. */
const otherTriggers: readonly (readonly [prefix: string, reason: string, subject?: NotificationSubject['kind']])[] = [
  ['run:', 'a team is notified of its change requests only; use a configuration of the workspace or project', 'team'],
  ['assessment:', 'there are no health assessments'],
  ['workspace:auto_destroy_', 'the run that destroys a workspace has the triggers of a run'],
  ['change_request:', 'there are no change requests'],
];

/** Throws `attribute/invalid` for a trigger that is not served, with the reason if the API family has it. */
export function checkTriggers(
  subject: NotificationSubject['kind'],
  given: readonly string[],
): readonly NotificationTrigger[] {
  const known: readonly NotificationTrigger[] = triggersOf[subject];
  const other = given.find((trigger) => !known.some((name) => name === trigger));
  if (other !== undefined) {
    const [, reason] =
      otherTriggers.find(([prefix, , of = subject]) => of === subject && other.startsWith(prefix)) ?? [];
    const because = reason === undefined ? '' : `: ${other} is not served, because ${reason}`;
    throw invalidAttribute('triggers', `Triggers must be among ${known.join(', ')}${because}`);
  }
  return known.filter((trigger) => given.includes(trigger));
}

/** Throws `attribute/invalid`. The address of the URL is checked whenever it is called. */
export function checkNotification<Settings extends NotificationSettings>(settings: Settings): Settings {
  const { destinationType, url, emailAddresses, userIds, enabled } = settings;
  checkPrintableName(settings.name);
  if (destinationType === 'email') {
    if (url !== null) throw invalidAttribute('url', 'Url must be left out if the destination type is email');
    if (enabled) {
      throw invalidAttribute(
        'enabled',
        'Enabled must be false if the destination type is email: this service sends no e-mail, and only keeps the configuration',
      );
    }
    const odd = emailAddresses.find((address) => !/^[^\s@]+@[^\s@]+$/.test(address));
    if (odd !== undefined) throw invalidAttribute('emailAddresses', `Email addresses must not have ${odd}`);
    return settings;
  }
  const only = 'only if the destination type is email';
  if (emailAddresses.length > 0) throw invalidAttribute('emailAddresses', `Email addresses can be given ${only}`);
  if (userIds.length > 0) {
    throw new DomainError('attribute/invalid', `Users can be given ${only}`, { relationship: 'users' });
  }
  if (url === null) throw invalidAttribute('url', "Url can't be blank");
  checkCalledUrl(url);
  return settings;
}

/** Throws `attribute/invalid` for a token that nothing would be signed with. */
export function checkToken(destinationType: DestinationType, token: string | null | undefined): void {
  if (!token || destinationType === 'generic') return;
  throw invalidAttribute('token', 'Token can be given only if the destination type is generic');
}

/** Throws `attribute/invalid` if the subject would have more configurations than it may. */
export function checkNotificationCount({ kind }: NotificationSubject, count: number): void {
  const { perSubject } = notificationLimits;
  if (count <= perSubject) return;
  throw new DomainError('attribute/invalid', `A ${kind} can have at most ${perSubject} notification configurations`);
}

/** The action that managing the configurations of a subject needs. */
export const notificationActionOf = {
  workspace: 'notification-configurations/manage',
  project: 'notification-configurations/manage-of-project',
  team: 'notification-configurations/manage-of-team',
} as const satisfies Record<NotificationSubject['kind'], Action>;

/** A run that reaches another status goes on without a person, or has only been queued. */
const triggerOf: Readonly<Partial<Record<RunStatus, RunNotificationTrigger>>> = {
  planning: 'run:planning',
  planned: 'run:needs_attention',
  planned_and_saved: 'run:needs_attention',
  post_plan_awaiting_decision: 'run:needs_attention',
  post_plan_completed: 'run:needs_attention',
  applying: 'run:applying',
  applied: 'run:completed',
  planned_and_finished: 'run:completed',
  discarded: 'run:errored',
  errored: 'run:errored',
  canceled: 'run:errored',
};

/** The trigger of a run that came to rest in another status. */
export const triggerReached = (from: RunStatus, to: RunStatus): RunNotificationTrigger | undefined =>
  from === to ? undefined : triggerOf[to];

/** The configuration once a receiver has answered, or has not. */
export const withDelivery = <Of extends Pick<NotificationConfiguration, 'deliveries'>>(
  { deliveries }: Of,
  delivery: DeliveryResponse,
): Pick<NotificationConfiguration, 'deliveries'> => ({
  deliveries: [delivery, ...deliveries].slice(0, notificationLimits.deliveries),
});
