import type { DestinationType, NotifiedEvent, RunState, Workspace } from '../../../domain/index.js';

/** An event of a run, with everything a notification says of it. */
export interface RunNews {
  readonly event: NotifiedEvent;
  readonly run: RunState;
  readonly workspace: Workspace;
  /** The creator's name; null for a team, an organization, and a deleted user. */
  readonly createdBy: string | null;
  /** The name of the user whose decision led to the event; null without one. */
  readonly updatedBy: string | null;
}

export interface Notification {
  readonly url: string;
  readonly destinationType: Exclude<DestinationType, 'email'>;
  /** Signs the body; null if the configuration has none. */
  readonly token: string | null;
  readonly configuration: { readonly id: string; readonly name: string };
  /** Null to verify that the receiver answers. */
  readonly news: RunNews | null;
}

export interface Delivery {
  readonly delivered: boolean;
  /** Another attempt would fail the same way. */
  readonly final: boolean;
  /** A sentence for those who may see the configuration; it never has more of the URL than the host. */
  readonly reason: string;
  /** Null without an answer. */
  readonly answer: {
    readonly status: number;
    /** The beginning of the body. */
    readonly body: string;
  } | null;
}

/** Calls receivers of notifications, which may be malicious. Never throws for their faults. */
export interface Notifier {
  deliver(notification: Notification): Promise<Delivery>;
}
