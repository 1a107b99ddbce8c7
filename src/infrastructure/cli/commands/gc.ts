import { effectLeaseSeconds } from '../../../application/background/perform-effects.js';
import { attemptSeconds, type Effect, type PendingEffect } from '../../../application/index.js';
import { OperatorError } from '../../backup.js';
import type { Call, Command } from '../toolkit/command.js';
import { atWork, openStore, type Workplace } from '../toolkit/operator.js';
import { counted, size, table } from '../toolkit/output.js';

/** Effects that only remove data. A service, which may be running at the same time, performs the others. */
const share = {
  kinds: ['purge-backing-data', 'archive-version', 'discard-bundle', 'remove-rows'],
  batch: 20,
} as const satisfies { readonly kinds: readonly Effect['kind'][]; readonly batch: number };

/**
 * If the database does not know most of a store's bundles, the store is assumed to be another service's without this
 * option.
 */
const ownStore = 'own-store';

/** A smaller number of unknown bundles does not indicate another service's store if the database knows any bundle. */
const fewestStrange = 10;

/** The maximum listed. */
const max = 10_000;

interface Found {
  readonly what: string;
  readonly subject: string;
  /** Null if not known in advance. */
  readonly bytes: number | null;
}

const titles = {
  'purge-backing-data': 'soft-deleted, retention period over',
  'archive-version': 'archived, its runs are finished',
  'discard-bundle': 'discarded',
  'remove-rows': 'deleted',
} as const;

/** The data a pending effect will remove. */
async function foundOf(place: Workplace, { effect }: PendingEffect): Promise<readonly Found[]> {
  switch (effect.kind) {
    case 'purge-backing-data':
    case 'archive-version': {
      const version = await place.unitOfWork.read((tx) => tx.configurationVersions.find(effect.versionId));
      return [{ what: titles[effect.kind], subject: effect.versionId, bytes: version?.state.bundle?.bytes ?? null }];
    }
    case 'discard-bundle':
      return [{ what: titles[effect.kind], subject: effect.bundleKey, bytes: null }];
    case 'remove-rows':
      return [{ what: `${effect.target.kind} ${titles[effect.kind]}`, subject: effect.target.id, bytes: null }];
    default:
      return [];
  }
}

interface Failure {
  readonly subject: string;
  readonly error: string;
}

async function performed(place: Workplace, { progress }: Call): Promise<readonly Failure[]> {
  const effects = place.use.performEffects;
  const failed: Failure[] = [];
  const renewal = setInterval(() => effects.renew().catch(() => undefined), (effectLeaseSeconds / 3) * 1000);
  try {
    let all = 0;
    for (let more = true; more; ) {
      const { done, failures } = await effects.execute(share);
      all += done;
      progress.print(`${all} background jobs done`);
      failed.push(
        ...failures.map(({ effect, error }) => ({
          subject: `${effect.effect.kind} ${effect.id}`,
          error: String(error),
        })),
      );
      more = done + failures.length > 0;
    }
  } finally {
    clearInterval(renewal);
  }
  return failed;
}

async function collect(place: Workplace, call: Call) {
  const dryRun = call.switch('dry-run');
  const store = place.use.removeLeftovers;
  const { leftovers, inUse, all } = await store.find(attemptSeconds.abandoned, (looked) =>
    call.progress.print(`${looked} archives checked`),
  );
  const now = place.clock.now();
  const due = await place.unitOfWork.read((tx) => tx.effects.due(now, share.kinds, max));
  const left = new Set(leftovers.map(({ key }) => key));
  const found: Found[] = leftovers.map(({ key, bytes, abandoned }) => ({
    what: abandoned ? 'abandoned upload' : 'not referenced',
    subject: key,
    bytes,
  }));
  for (const effect of due) {
    found.push(...(await foundOf(place, effect)).filter(({ subject }) => !left.has(subject)));
  }
  const unreferred = leftovers.filter(({ abandoned }) => !abandoned);
  const ordered = new Set(due.map(({ effect }) => (effect.kind === 'discard-bundle' ? effect.bundleKey : undefined)));
  const strange = unreferred.filter(({ key }) => !ordered.has(key)).length;
  const familiar = inUse + unreferred.length - strange;
  const doubt =
    strange > familiar && (strange >= fewestStrange || familiar === 0)
      ? `the database references only ${familiar} of ${counted(all, 'archive')} in the store: is this the store of that database?`
      : undefined;
  if (dryRun) return { found, failed: [], doubt };

  if (doubt !== undefined && !call.switch(ownStore)) {
    throw new OperatorError(
      `${doubt} Add --dry-run to list the other archives, or --${ownStore} if the store belongs to the database`,
    );
  }
  const failed: Failure[] = [];
  const attempt = (subject: string, work: Promise<unknown>) =>
    work.catch((error: unknown) => failed.push({ subject, error: String(error) }));
  await attempt('abandoned uploads', place.use.sweepBundles.execute(attemptSeconds.abandoned));
  for (const [index, { key }] of unreferred.entries()) {
    await attempt(key, store.execute(key));
    call.progress.print(`${index + 1} of ${counted(unreferred.length, 'archive')} removed`);
  }
  failed.push(...(await performed(place, call)));
  return { found, failed, doubt: undefined };
}

export const gc: Command = {
  name: 'gc',
  does: 'deletes data that is no longer needed',
  about: `It deletes abandoned uploads, archives that the database does not reference, and deleted data whose retention period is over. It reads the whole store, but keeps what was stored less than ${attemptSeconds.abandoned / 3600} hours ago, which may still be in use. A running service does the same automatically, except for unreferenced archives, which remain after the database is restored to an older state.`,
  options: {
    'dry-run': { about: 'list the data without deleting it' },
    [ownStore]: {
      about: 'confirms that the store belongs to this database, although the database does not reference most of it',
    },
  },
  run: async (call) =>
    atWork(
      call,
      async (place) => {
        const { found, failed, doubt } = await collect(place, call);
        const bytes = found.reduce((sum, one) => sum + (one.bytes ?? 0), 0);
        const dryRun = call.switch('dry-run');
        const rows = found.map((one) => [one.what, one.subject, one.bytes]);
        const sum = `${counted(found.length, 'item')}, ${size(bytes)}${dryRun ? ' would be deleted' : ' deleted'}`;
        return {
          json: { 'dry-run': dryRun, found, bytes, failed, doubt: doubt ?? null },
          text: [
            ...(found.length === 0 ? [] : [table(['what', 'which', 'bytes'], rows), '']),
            ...failed.map(({ subject, error }) => `${subject} failed: ${error}`),
            sum,
            ...(doubt === undefined ? [] : [`${doubt} If so, add --${ownStore}.`]),
          ].join('\n'),
          failed: failed.length > 0,
        };
      },
      () => openStore(call.config),
    ),
};
