import type { LifecycleGuard, LifecycleRow } from '../shared/lifecycle-engine.js';

export const statuses = [
  'pending',
  'fetching',
  'uploaded',
  'archived',
  'errored',
  'backing_data_soft_deleted',
  'backing_data_permanently_deleted',
] as const;

export type Status = (typeof statuses)[number];

/** `api` for versions created through the API or the CLI. */
export type Origin = 'api' | 'version-control';

/** The facts a guard may check: the version itself and facts the use case gathered through ports. */
export interface Facts {
  readonly status: Status;
  readonly origin: Origin;
  readonly isCurrent: boolean;
  readonly runsInProgress: boolean;
  /** Whether any run, finished or not, was created from it. */
  readonly usedByRun: boolean;
  /** Whether the retention period of its soft-deleted backing data has passed. */
  readonly purgeDue: boolean;
  /** Whether it has held its bytes longer than unneeded bytes are kept. */
  readonly outdated: boolean;
}

export const guards = {
  'created through API or CLI': {
    holds: ({ origin }) => origin === 'api',
    because: 'it was created from version control',
  },
  'created from version control': {
    holds: ({ origin }) => origin === 'version-control',
    because: 'it was not created from version control',
  },
  'not the current version': { holds: ({ isCurrent }) => !isCurrent, because: 'it is current' },
  'no runs in progress': { holds: ({ runsInProgress }) => !runsInProgress, because: 'a run in progress uses it' },
  'purge due': { holds: ({ purgeDue }) => purgeDue, because: 'its backing data can still be restored' },
  'old enough': { holds: ({ outdated }) => outdated, because: 'it is not old enough' },
  'not used by a run': { holds: ({ usedByRun }) => !usedByRun, because: 'a run has used it' },
} as const satisfies Record<string, LifecycleGuard<Facts>>;

/** Work a transition orders: recorded with the change and performed after it. */
export type Effect = 'discard-bundle' | 'queue-run' | 'purge-backing-data';

export interface Transition extends LifecycleRow<Status, string, keyof typeof guards, Effect> {
  readonly stamp: string;
}

/**
 * The complete lifecycle of a configuration version. The rows are the specification; `ConfigurationVersion` only reads
 * them.
 */
export const lifecycle = [
  {
    trigger: 'upload',
    from: ['pending'],
    guards: ['created through API or CLI', 'in one of these states'],
    to: 'uploaded',
    stamp: 'uploaded-at',
    effects: ['queue-run'],
    refusedAs: 'configuration-version/upload-refused',
    done: 'uploaded',
    instead: 'upload to a new configuration version',
  },
  {
    trigger: 'replace-upload',
    from: ['uploaded'],
    guards: ['created through API or CLI', 'in one of these states', 'not used by a run'],
    to: 'uploaded',
    stamp: 'uploaded-at',
    effects: ['discard-bundle'],
    refusedAs: 'configuration-version/upload-refused',
    done: 'uploaded',
    instead: 'upload to a new configuration version',
  },
  {
    trigger: 'start-fetch',
    from: ['pending'],
    guards: ['created from version control', 'in one of these states'],
    to: 'fetching',
    stamp: 'fetching-at',
    effects: [],
    refusedAs: 'configuration-version/fetch-refused',
    done: 'fetched',
  },
  {
    trigger: 'finish-fetch',
    from: ['fetching'],
    guards: ['in one of these states'],
    to: 'uploaded',
    stamp: 'uploaded-at',
    effects: ['queue-run'],
    refusedAs: 'configuration-version/fetch-refused',
    done: 'fetched',
  },
  {
    trigger: 'fail',
    from: ['pending', 'fetching'],
    guards: ['in one of these states'],
    to: 'errored',
    stamp: 'errored-at',
    effects: [],
    refusedAs: 'configuration-version/fetch-refused',
    done: 'marked errored',
  },
  {
    trigger: 'finish-runs',
    from: ['uploaded'],
    guards: ['created from version control', 'in one of these states', 'no runs in progress'],
    to: 'archived',
    stamp: 'archived-at',
    effects: ['discard-bundle'],
    refusedAs: 'configuration-version/not-archivable',
    done: 'archived',
  },
  {
    trigger: 'archive',
    from: ['uploaded'],
    guards: ['created through API or CLI', 'in one of these states', 'not the current version', 'no runs in progress'],
    to: 'archived',
    stamp: 'archived-at',
    effects: ['discard-bundle'],
    refusedAs: 'configuration-version/not-archivable',
    done: 'archived',
  },
  {
    trigger: 'retire',
    from: ['uploaded'],
    guards: ['in one of these states', 'not the current version', 'no runs in progress', 'old enough'],
    to: 'archived',
    stamp: 'archived-at',
    effects: ['discard-bundle'],
    refusedAs: 'configuration-version/not-archivable',
    done: 'archived',
  },
  {
    trigger: 'soft-delete',
    from: ['uploaded'],
    guards: ['created through API or CLI', 'in one of these states', 'not the current version', 'no runs in progress'],
    to: 'backing_data_soft_deleted',
    stamp: 'soft-delete-backing-data-at',
    effects: ['purge-backing-data'],
    refusedAs: 'configuration-version/backing-data-unchanged',
    done: 'soft deleted',
  },
  {
    trigger: 'restore',
    from: ['backing_data_soft_deleted'],
    guards: ['in one of these states'],
    to: 'uploaded',
    stamp: 'restore-backing-data-at',
    effects: [],
    refusedAs: 'configuration-version/backing-data-unchanged',
    done: 'restored',
  },
  {
    trigger: 'permanently-delete',
    from: ['backing_data_soft_deleted'],
    guards: ['created through API or CLI', 'in one of these states', 'not the current version', 'no runs in progress'],
    to: 'backing_data_permanently_deleted',
    stamp: 'permanently-delete-backing-data-at',
    effects: ['discard-bundle'],
    refusedAs: 'configuration-version/backing-data-unchanged',
    done: 'permanently deleted',
  },
  {
    trigger: 'purge',
    from: ['backing_data_soft_deleted'],
    guards: [
      'created through API or CLI',
      'in one of these states',
      'not the current version',
      'no runs in progress',
      'purge due',
    ],
    to: 'backing_data_permanently_deleted',
    stamp: 'permanently-delete-backing-data-at',
    effects: ['discard-bundle'],
    refusedAs: 'configuration-version/backing-data-unchanged',
    done: 'purged',
  },
] as const satisfies readonly Transition[];

export type Trigger = (typeof lifecycle)[number]['trigger'];
export type Stamp = (typeof lifecycle)[number]['stamp'];

/** The properties of each status that other code relies on. */
export const statusTraits = {
  pending: { usableInRuns: [], downloadable: false, readable: true },
  fetching: { usableInRuns: [], downloadable: false, readable: true },
  uploaded: { usableInRuns: ['api', 'version-control'], downloadable: true, readable: true },
  archived: { usableInRuns: ['version-control'], downloadable: false, readable: true },
  errored: { usableInRuns: [], downloadable: false, readable: true },
  backing_data_soft_deleted: { usableInRuns: [], downloadable: false, readable: false },
  backing_data_permanently_deleted: { usableInRuns: [], downloadable: false, readable: false },
} as const satisfies Record<
  Status,
  { readonly usableInRuns: readonly Origin[]; readonly downloadable: boolean; readonly readable: boolean }
>;
