import type { Bundle } from '../shared/bundle.js';
import type { BundleKey, ConfigurationVersionId, Instant, WorkspaceId } from '../shared/id.js';
import { entered, Lifecycle } from '../shared/lifecycle-engine.js';
import { revised } from '../shared/revision.js';
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

/** The reason a version is `errored`: a short code for programs and a sentence for people. */
export interface Failure {
  readonly error: string;
  readonly errorMessage: string;
}

/** Chosen by the caller who creates the version, and never changed. */
export interface ConfigurationVersionSettings {
  readonly autoQueueRuns: boolean;
  readonly speculative: boolean;
  readonly provisional: boolean;
}

/** The settings that the caller names. */
export type ChosenSettings = {
  readonly [Name in keyof ConfigurationVersionSettings]?: ConfigurationVersionSettings[Name] | undefined;
};

export interface ConfigurationVersionState extends ConfigurationVersionSettings {
  readonly id: ConfigurationVersionId;
  readonly workspaceId: WorkspaceId;
  readonly status: Status;
  readonly origin: Origin;
  /** The source, in the field's terms: `tfe-api`, `terraform`, `github`, … */
  readonly source: string;
  readonly failure: Failure | null;
  readonly statusTimestamps: Readonly<Partial<Record<Stamp, Instant>>>;
  /** Null while no bytes are stored for it. */
  readonly bundle: Bundle | null;
  /** Null unless it was fetched from version control. */
  readonly ingressAttributesId: string | null;
  /** When its soft-deleted backing data is permanently deleted; null in every other state. */
  readonly purgeAt: Instant | null;
  /** The identity on whose behalf its runs are queued; null if it has no creator. */
  readonly createdBy: TokenOwner | null;
  readonly createdAt: Instant;
  /** Incremented with every change; a save based on an older revision is refused. */
  readonly revision: number;
}

/** Work to perform after the change is committed. */
export type OrderedEffect =
  | { readonly kind: 'discard-bundle'; readonly bundleKey: BundleKey }
  | { readonly kind: 'queue-run' | 'purge-backing-data'; readonly versionId: ConfigurationVersionId };

export interface Fired {
  readonly next: ConfigurationVersion;
  readonly effects: readonly OrderedEffect[];
}

/** `outdated` is only gathered by the search for outdated versions; for any other caller it is false. */
export type VersionFactsGathered = Pick<Facts, 'isCurrent' | 'runsInProgress' | 'usedByRun'> &
  Partial<Pick<Facts, 'outdated'>>;

/** The fields a transition may change in addition to the status. */
export type ConfigurationVersionChange = Partial<
  Pick<ConfigurationVersionState, 'bundle' | 'failure' | 'purgeAt' | 'ingressAttributesId'>
>;

const life = new Lifecycle('configuration', lifecycle, guards);

/** A snapshot of a workspace's configuration files. Immutable; the lifecycle table is the only way to change it. */
export class ConfigurationVersion {
  private constructor(readonly state: ConfigurationVersionState) {
    Object.freeze(state);
  }

  /** Settings that are not named have their usual values. */
  static create({
    autoQueueRuns = true,
    speculative = false,
    provisional = false,
    ...given
  }: Pick<
    ConfigurationVersionState,
    'id' | 'workspaceId' | 'origin' | 'source' | 'ingressAttributesId' | 'createdBy' | 'createdAt'
  > &
    ChosenSettings): ConfigurationVersion {
    return new ConfigurationVersion({
      ...given,
      autoQueueRuns,
      speculative,
      provisional,
      status: 'pending',
      failure: null,
      statusTimestamps: {},
      bundle: null,
      purgeAt: null,
      revision: 0,
    });
  }

  /** For repositories only: trusts the stored state. */
  static restore(state: ConfigurationVersionState): ConfigurationVersion {
    return new ConfigurationVersion({ ...state });
  }

  /** Throws the row's refusal, with the reason of its first failing guard. */
  fire(trigger: Trigger, gathered: VersionFactsGathered, now: Instant, change: ConfigurationVersionChange = {}): Fired {
    const row = life.fire(trigger, this.factsOf(gathered, now));
    return {
      next: new ConfigurationVersion(
        revised(this.state, {
          purgeAt: null,
          ...(row.effects.includes('discard-bundle') ? { bundle: null } : {}),
          ...change,
          ...entered(this.state, row, now),
        }),
      ),
      effects: row.effects.flatMap((effect) => this.ordered(effect)),
    };
  }

  /** Whether `fire` would succeed. */
  allows(trigger: Trigger, gathered: VersionFactsGathered, now: Instant): boolean {
    return life.allows(trigger, this.factsOf(gathered, now));
  }

  /** The trigger an upload fires in this status: the first upload, or a replacement. */
  get uploadTrigger(): Trigger {
    return life.startsFrom(this.state.status, 'replace-upload') ? 'replace-upload' : 'upload';
  }

  /** Only a pending version becomes `errored` for invalid contents; any other stays unchanged. */
  canFail(): boolean {
    return life.startsFrom(this.state.status, 'fail');
  }

  /** Uploaded versions, and archived ones from version control, whose files can be fetched again. */
  get usableInRuns(): boolean {
    return (statusTraits[this.state.status].usableInRuns as readonly Origin[]).includes(this.state.origin);
  }

  get downloadable(): boolean {
    return statusTraits[this.state.status].downloadable;
  }

  /** When it received its current bytes; a replacement or a restore starts a new period. */
  get heldSince(): Instant {
    const { createdAt, statusTimestamps: at } = this.state;
    return [at['uploaded-at'], at['restore-backing-data-at']].reduce<Instant>(
      (last, next) => (next !== undefined && next > last ? next : last),
      createdAt,
    );
  }

  /** False while its backing data is soft-deleted or permanently deleted: clients then see it as missing. */
  get readable(): boolean {
    return statusTraits[this.state.status].readable;
  }

  /**
   * Whether its files and first run depend on the creator's rights. For version control they depend on the repository
   * link.
   */
  get dependsOnCreator(): boolean {
    return this.state.origin === 'api';
  }

  /** Provisional versions wait until their run is applied; speculative ones never become current. */
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
