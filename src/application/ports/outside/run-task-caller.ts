import type { IngressAttributes, LocatedResult, RunState, Workspace } from '../../../domain/index.js';

/** All that a call of a run task says. */
export interface RunTaskCall {
  readonly url: string;
  /** Signs the body; null if the task has none. */
  readonly hmacKey: string | null;
  /** The callback token. */
  readonly token: string;
  readonly result: LocatedResult;
  readonly run: RunState;
  /** The creator's name; null for a team, an organization, and a deleted user. */
  readonly createdBy: string | null;
  readonly workspace: Workspace;
  /** Null unless the files come from version control. */
  readonly commit: IngressAttributes | null;
  /** Whether the redacted JSON plan can be read. */
  readonly hasPlan: boolean;
}

export type CallAnswer =
  | { readonly delivered: true }
  /** `final`: another attempt would fail the same way. The reason is a sentence for readers of the run. */
  | { readonly delivered: false; readonly final: boolean; readonly reason: string };

/** Calls the servers of run tasks, which may be malicious. Never throws for their faults. */
export interface RunTaskCaller {
  call(call: RunTaskCall): Promise<CallAnswer>;
}
