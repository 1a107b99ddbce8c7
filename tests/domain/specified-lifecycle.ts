import type { Effect } from '../../src/domain/configuration-versions/lifecycle.js';
import type {
  ConfigurationVersion,
  ConfigurationVersionState,
  DomainErrorCode,
  Facts,
  OrderedEffect,
  Stamp,
  Status,
  Trigger,
} from '../../src/domain/index.js';

/**
 * The life of a configuration version as it is promised, written out a second time and by hand: it shares nothing
 * with the table the domain reads, so that changing one cell there contradicts a cell here.
 */
interface Promised {
  readonly from: readonly Status[];
  readonly asks: readonly Question[];
  readonly to: Status;
  readonly stamp: Stamp;
  readonly effects: readonly Effect[];
  readonly refusal: DomainErrorCode;
  readonly opening: string;
  /** The way out, where there is one. */
  readonly ending?: string;
}

/** `status` is asked against the row's own `from`. */
type Question = keyof typeof answers;

export const answers = {
  'not from version control': {
    broken: (facts: Facts) => facts.origin === 'version-control',
    reason: () => 'it was created from version control',
    guard: 'created through API or CLI',
  },
  'from version control': {
    broken: (facts: Facts) => facts.origin === 'api',
    reason: () => 'it was not created from version control',
    guard: 'created from version control',
  },
  status: {
    broken: (facts: Facts, from: readonly Status[]) => !from.includes(facts.status),
    reason: (facts: Facts) => `its status is ${facts.status}`,
    guard: 'in one of these states',
  },
  'not current': {
    broken: (facts: Facts) => facts.isCurrent,
    reason: () => 'it is current',
    guard: 'not the current version',
  },
  idle: {
    broken: (facts: Facts) => facts.runsInProgress,
    reason: () => 'a run in progress uses it',
    guard: 'no runs in progress',
  },
  due: {
    broken: (facts: Facts) => !facts.purgeDue,
    reason: () => 'its backing data can still be restored',
    guard: 'purge due',
  },
  old: {
    broken: (facts: Facts) => !facts.outdated,
    reason: () => 'it is not old enough',
    guard: 'old enough',
  },
  unused: {
    broken: (facts: Facts) => facts.usedByRun,
    reason: () => 'a run has used it',
    guard: 'not used by a run',
  },
} as const;

export const promised: Readonly<Record<Trigger, Promised>> = {
  upload: {
    from: ['pending'],
    asks: ['not from version control', 'status'],
    to: 'uploaded',
    stamp: 'uploaded-at',
    effects: ['queue-run'],
    refusal: 'configuration-version/upload-refused',
    opening: 'configuration could not be uploaded because ',
    ending: '; upload to a new configuration version',
  },
  'replace-upload': {
    from: ['uploaded'],
    asks: ['not from version control', 'status', 'unused'],
    to: 'uploaded',
    stamp: 'uploaded-at',
    effects: ['discard-bundle'],
    refusal: 'configuration-version/upload-refused',
    opening: 'configuration could not be uploaded because ',
    ending: '; upload to a new configuration version',
  },
  'start-fetch': {
    from: ['pending'],
    asks: ['from version control', 'status'],
    to: 'fetching',
    stamp: 'fetching-at',
    effects: [],
    refusal: 'configuration-version/fetch-refused',
    opening: 'configuration could not be fetched because ',
  },
  'finish-fetch': {
    from: ['fetching'],
    asks: ['status'],
    to: 'uploaded',
    stamp: 'uploaded-at',
    effects: ['queue-run'],
    refusal: 'configuration-version/fetch-refused',
    opening: 'configuration could not be fetched because ',
  },
  fail: {
    from: ['pending', 'fetching'],
    asks: ['status'],
    to: 'errored',
    stamp: 'errored-at',
    effects: [],
    refusal: 'configuration-version/fetch-refused',
    opening: 'configuration could not be marked errored because ',
  },
  'finish-runs': {
    from: ['uploaded'],
    asks: ['from version control', 'status', 'idle'],
    to: 'archived',
    stamp: 'archived-at',
    effects: ['discard-bundle'],
    refusal: 'configuration-version/not-archivable',
    opening: 'configuration could not be archived because ',
  },
  archive: {
    from: ['uploaded'],
    asks: ['not from version control', 'status', 'not current', 'idle'],
    to: 'archived',
    stamp: 'archived-at',
    effects: ['discard-bundle'],
    refusal: 'configuration-version/not-archivable',
    opening: 'configuration could not be archived because ',
  },
  retire: {
    from: ['uploaded'],
    asks: ['status', 'not current', 'idle', 'old'],
    to: 'archived',
    stamp: 'archived-at',
    effects: ['discard-bundle'],
    refusal: 'configuration-version/not-archivable',
    opening: 'configuration could not be archived because ',
  },
  'soft-delete': {
    from: ['uploaded'],
    asks: ['not from version control', 'status', 'not current', 'idle'],
    to: 'backing_data_soft_deleted',
    stamp: 'soft-delete-backing-data-at',
    effects: ['purge-backing-data'],
    refusal: 'configuration-version/backing-data-unchanged',
    opening: 'configuration could not be soft deleted because ',
  },
  restore: {
    from: ['backing_data_soft_deleted'],
    asks: ['status'],
    to: 'uploaded',
    stamp: 'restore-backing-data-at',
    effects: [],
    refusal: 'configuration-version/backing-data-unchanged',
    opening: 'configuration could not be restored because ',
  },
  'permanently-delete': {
    from: ['backing_data_soft_deleted'],
    asks: ['not from version control', 'status', 'not current', 'idle'],
    to: 'backing_data_permanently_deleted',
    stamp: 'permanently-delete-backing-data-at',
    effects: ['discard-bundle'],
    refusal: 'configuration-version/backing-data-unchanged',
    opening: 'configuration could not be permanently deleted because ',
  },
  purge: {
    from: ['backing_data_soft_deleted'],
    asks: ['not from version control', 'status', 'not current', 'idle', 'due'],
    to: 'backing_data_permanently_deleted',
    stamp: 'permanently-delete-backing-data-at',
    effects: ['discard-bundle'],
    refusal: 'configuration-version/backing-data-unchanged',
    opening: 'configuration could not be purged because ',
  },
};

export const triggers = Object.keys(promised) as readonly Trigger[];

export type Gathered = Parameters<ConfigurationVersion['fire']>[1];

/** The required outcome of firing: move to this state with these effects, or refuse like this. */
export type Outcome =
  | { readonly moves: ConfigurationVersionState; readonly effects: readonly OrderedEffect[] }
  | {
      readonly refuses: {
        readonly code: DomainErrorCode;
        readonly message: string;
        readonly details: Readonly<Record<string, string>>;
      };
    };

export function promisedOutcome(
  state: ConfigurationVersionState,
  trigger: Trigger,
  gathered: Gathered,
  now: string,
): Outcome {
  const row = promised[trigger];
  const purgeDue = state.purgeAt !== null && !(now < state.purgeAt);
  const facts: Facts = { outdated: false, ...gathered, status: state.status, origin: state.origin, purgeDue };
  for (const question of row.asks) {
    const { broken, reason, guard } = answers[question];
    if (broken(facts, row.from)) {
      return {
        refuses: {
          code: row.refusal,
          message: row.opening + reason(facts) + (row.ending ?? ''),
          details: { trigger, guard },
        },
      };
    }
  }
  const discarded = row.effects.includes('discard-bundle') ? state.bundle : null;
  return {
    moves: {
      ...state,
      status: row.to,
      statusTimestamps: { ...state.statusTimestamps, [row.stamp]: now },
      bundle: discarded === null ? state.bundle : null,
      purgeAt: null,
      revision: state.revision + 1,
    },
    effects: row.effects.flatMap((effect): OrderedEffect[] => {
      if (effect === 'discard-bundle') return discarded === null ? [] : [{ kind: effect, bundleKey: discarded.key }];
      return effect === 'queue-run' && !state.autoQueueRuns ? [] : [{ kind: effect, versionId: state.id }];
    }),
  };
}

export function actualOutcome(
  version: ConfigurationVersion,
  trigger: Trigger,
  gathered: Gathered,
  now: string,
): Outcome | { readonly throws: unknown } {
  try {
    const { next, effects } = version.fire(trigger, gathered, now);
    return { moves: next.state, effects };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('details' in error)) return { throws: error };
    const { code, message, details } = error as Error & Record<'code' | 'details', never>;
    return { refuses: { code, message, details } };
  }
}
