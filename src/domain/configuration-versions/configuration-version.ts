import { DomainError } from '../shared/domain-error.js';
import type { BundleKey, ConfigurationVersionId, Instant, WorkspaceId } from '../shared/id.js';
import {
  type Effect,
  type Facts,
  guards,
  lifecycle,
  type Origin,
  type Stamp,
  type Status,
  statusTraits,
  type Transition,
  type Trigger,
} from './lifecycle.js';

/** The stored `.tar.gz` of a version: exactly the bytes that were uploaded. */
export interface Bundle {
  readonly key: BundleKey;
  readonly bytes: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
}

/** Why a version is `errored`: a short code for programs, a sentence for people. */
export interface Failure {
  readonly error: string;
  readonly errorMessage: string;
}

export interface ConfigurationVersionState {
  readonly id: ConfigurationVersionId;
  readonly workspaceId: WorkspaceId;
  /** Dense within its workspace, from 1, never reused: it says which of two versions is newer. */
  readonly sequence: number;
  readonly status: Status;
  readonly origin: Origin;
  /** What made it, in the field's words: `tfe-api`, `terraform`, `github`, … */
  readonly source: string;
  readonly autoQueueRuns: boolean;
  readonly speculative: boolean;
  readonly provisional: boolean;
  readonly failure: Failure | null;
  readonly statusTimestamps: Readonly<Partial<Record<Stamp, Instant>>>;
  /** Null whenever no bytes are stored for it. */
  readonly bundle: Bundle | null;
  /** Null unless it was fetched from version control. */
  readonly ingressAttributesId: string | null;
  readonly createdAt: Instant;
  /** Rises by one with every change; a save based on an older one is refused. */
  readonly revision: number;
}

/** Work to do once the change is kept. */
export interface OrderedEffect {
  readonly kind: Effect;
  readonly bundleKey: BundleKey;
}

export interface Fired {
  readonly next: ConfigurationVersion;
  readonly effects: readonly OrderedEffect[];
}

type Gathered = Omit<Facts, 'origin' | 'status'>;

const rowOf = (trigger: Trigger): Transition => lifecycle.find((row) => row.trigger === trigger) as Transition;

/** A workspace's configuration files at one moment. Immutable; the lifecycle table is the only way to change it. */
export class ConfigurationVersion {
  private constructor(readonly state: ConfigurationVersionState) {
    Object.freeze(state);
  }

  static create(
    given: Omit<ConfigurationVersionState, 'status' | 'revision' | 'failure' | 'statusTimestamps' | 'bundle'>,
  ): ConfigurationVersion {
    return new ConfigurationVersion({
      ...given,
      status: 'pending',
      failure: null,
      statusTimestamps: {},
      bundle: null,
      revision: 0,
    });
  }

  /** For repositories only: trusts what was stored. */
  static restore(state: ConfigurationVersionState): ConfigurationVersion {
    return new ConfigurationVersion({ ...state });
  }

  /** Throws the row's refusal, worded by its first guard that fails. */
  fire(
    trigger: Trigger,
    gathered: Gathered,
    now: Instant,
    change: Partial<Pick<ConfigurationVersionState, 'bundle' | 'failure'>> = {},
  ): Fired {
    const row = rowOf(trigger);
    const { status, origin, bundle } = this.state;
    const facts: Facts = { ...gathered, status, origin };
    const broken = row.guards.find((name) => !guards[name].holds(facts, row.from));
    if (broken !== undefined) {
      const sentence = `configuration could not be ${row.done} because ${guards[broken].because(facts)}`;
      throw new DomainError(row.refusedAs, sentence, { trigger, guard: broken });
    }
    const discards = row.effects.includes('discard-bundle') && bundle !== null;
    return {
      next: new ConfigurationVersion({
        ...this.state,
        ...(discards ? { bundle: null } : {}),
        ...change,
        status: row.to,
        statusTimestamps: { ...this.state.statusTimestamps, [row.stamp]: now },
        revision: this.state.revision + 1,
      }),
      effects: discards ? [{ kind: 'discard-bundle', bundleKey: bundle.key }] : [],
    };
  }

  /** The trigger an upload fires in this status: the first one, or one that replaces it. */
  get uploadTrigger(): Trigger {
    return rowOf('replace-upload').from.includes(this.state.status) ? 'replace-upload' : 'upload';
  }

  /** A pending version whose contents proved bad is `errored`; any other is left as it is. */
  canFail(): boolean {
    return rowOf('fail').from.includes(this.state.status);
  }

  /** Uploaded versions, and archived ones from version control, whose files are fetched again. */
  get usableInRuns(): boolean {
    return (statusTraits[this.state.status].usableInRuns as readonly Origin[]).includes(this.state.origin);
  }

  get downloadable(): boolean {
    return statusTraits[this.state.status].downloadable;
  }

  /** False while its backing data is deleted, softly or for good: then it reads as missing. */
  get readable(): boolean {
    return statusTraits[this.state.status].readable;
  }

  /** Provisional versions wait for their run to be applied; speculative ones never become current. */
  get becomesCurrentWhenCreated(): boolean {
    return !this.state.provisional && !this.state.speculative;
  }
}
