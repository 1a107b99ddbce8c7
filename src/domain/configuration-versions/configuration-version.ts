import type { Bundle } from '../shared/bundle.js';
import type { BundleKey, ConfigurationVersionId, Instant, WorkspaceId } from '../shared/id.js';
import { entered, Lifecycle } from '../shared/lifecycle-engine.js';
import type { TokenOwner } from '../shared/token-owner.js';
import {
  type Effect,
  type Facts,
  guards,
  lifecycle,
  type Origin,
  type Stamp,
  type Status,
  statusTraits,
  type Trigger,
} from './lifecycle.js';

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
  /** When its soft-deleted backing data goes for good; null in every other state. */
  readonly purgeAt: Instant | null;
  /** On whose behalf runs are queued for it; null for nobody. */
  readonly createdBy: TokenOwner | null;
  readonly createdAt: Instant;
  /** Rises by one with every change; a save based on an older one is refused. */
  readonly revision: number;
}

/** Work to do once the change is kept. */
export type OrderedEffect =
  | { readonly kind: 'discard-bundle'; readonly bundleKey: BundleKey }
  | { readonly kind: 'queue-run' | 'purge-backing-data'; readonly versionId: ConfigurationVersionId };

export interface Fired {
  readonly next: ConfigurationVersion;
  readonly effects: readonly OrderedEffect[];
}

/** `outdated` is for whoever looks for such versions to say; to everybody else none is. */
export type VersionFactsGathered = Pick<Facts, 'isCurrent' | 'runsInProgress' | 'usedByRun'> &
  Partial<Pick<Facts, 'outdated'>>;

/** What a transition may change beside the status. */
export type ConfigurationVersionChange = Partial<
  Pick<ConfigurationVersionState, 'bundle' | 'failure' | 'purgeAt' | 'ingressAttributesId'>
>;

const life = new Lifecycle('configuration', lifecycle, guards);

/** A workspace's configuration files at one moment. Immutable; the lifecycle table is the only way to change it. */
export class ConfigurationVersion {
  private constructor(readonly state: ConfigurationVersionState) {
    Object.freeze(state);
  }

  static create(
    given: Omit<
      ConfigurationVersionState,
      'status' | 'revision' | 'failure' | 'statusTimestamps' | 'bundle' | 'purgeAt'
    >,
  ): ConfigurationVersion {
    return new ConfigurationVersion({
      ...given,
      status: 'pending',
      failure: null,
      statusTimestamps: {},
      bundle: null,
      purgeAt: null,
      revision: 0,
    });
  }

  /** For repositories only: trusts what was stored. */
  static restore(state: ConfigurationVersionState): ConfigurationVersion {
    return new ConfigurationVersion({ ...state });
  }

  /** Throws the row's refusal, worded by its first guard that fails. */
  fire(trigger: Trigger, gathered: VersionFactsGathered, now: Instant, change: ConfigurationVersionChange = {}): Fired {
    const row = life.fire(trigger, this.factsOf(gathered, now));
    return {
      next: new ConfigurationVersion({
        ...this.state,
        purgeAt: null,
        ...(row.effects.includes('discard-bundle') ? { bundle: null } : {}),
        ...change,
        ...entered(this.state, row, now),
        revision: this.state.revision + 1,
      }),
      effects: row.effects.flatMap((effect) => this.ordered(effect)),
    };
  }

  /** Whether `fire` would not throw. */
  allows(trigger: Trigger, gathered: VersionFactsGathered, now: Instant): boolean {
    return life.allows(trigger, this.factsOf(gathered, now));
  }

  /** The trigger an upload fires in this status: the first one, or one that replaces it. */
  get uploadTrigger(): Trigger {
    return life.startsFrom(this.state.status, 'replace-upload') ? 'replace-upload' : 'upload';
  }

  /** A pending version whose contents proved bad is `errored`; any other is left as it is. */
  canFail(): boolean {
    return life.startsFrom(this.state.status, 'fail');
  }

  /** Uploaded versions, and archived ones from version control, whose files are fetched again. */
  get usableInRuns(): boolean {
    return (statusTraits[this.state.status].usableInRuns as readonly Origin[]).includes(this.state.origin);
  }

  get downloadable(): boolean {
    return statusTraits[this.state.status].downloadable;
  }

  /** Since when it holds the bytes it holds; bytes that replaced others, or were restored, count from then on. */
  get heldSince(): Instant {
    const { createdAt, statusTimestamps: at } = this.state;
    return [at['uploaded-at'], at['restore-backing-data-at']].reduce<Instant>(
      (last, next) => (next !== undefined && next > last ? next : last),
      createdAt,
    );
  }

  /** False while its backing data is deleted, softly or for good: then it reads as missing. */
  get readable(): boolean {
    return statusTraits[this.state.status].readable;
  }

  /** Whether its files and its first run depend on the right of its creator. Of version control they depend on the link. */
  get dependsOnCreator(): boolean {
    return this.state.origin === 'api';
  }

  /** Provisional versions wait for their run to be applied; speculative ones never become current. */
  get becomesCurrentWhenCreated(): boolean {
    return !this.state.provisional && !this.state.speculative;
  }

  private factsOf(gathered: VersionFactsGathered, now: Instant): Facts {
    const { status, origin, purgeAt } = this.state;
    return { outdated: false, ...gathered, status, origin, purgeDue: purgeAt !== null && purgeAt <= now };
  }

  private ordered(effect: Effect): OrderedEffect[] {
    const { id, bundle, autoQueueRuns } = this.state;
    switch (effect) {
      case 'discard-bundle':
        return bundle === null ? [] : [{ kind: effect, bundleKey: bundle.key }];
      case 'queue-run':
        return autoQueueRuns ? [{ kind: effect, versionId: id }] : [];
      case 'purge-backing-data':
        return [{ kind: effect, versionId: id }];
    }
  }
}
