import type { AuditAction, ConfigurationVersion, ConfigurationVersionId, RunId } from '../../domain/index.js';
import { doneBySystem, refusedToCreator, refusedToSystem } from '../../domain/supporting/audit/audit-event.js';
import { defaultRunOptions } from '../../domain/supporting/runs/run.js';
import { findWorkspaceForCreator, stillMay } from '../authorization/creator-standing.js';
import { keepVersion } from '../configuration-versions/keep-version.js';
import type { ByteQuota } from '../files/byte-quota.js';
import type { BundleStore } from '../ports/outside/bundle-store.js';
import type { Clock } from '../ports/outside/clock.js';
import type { CommitRequest } from '../ports/outside/commit-fetcher.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import { inWorkspace } from '../ports/repositories/audit-trail.js';
import type { Effect } from '../ports/repositories/effect.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { SendNotification } from '../supporting/notifications/send-notification.js';
import type { CallRunTask } from '../supporting/run-tasks/call-run-task.js';
import type { TriggeredRuns } from '../supporting/run-triggers/triggered-runs.js';
import { lockedRun, type RunProgress } from '../supporting/runs/run-progress.js';
import type { StateOutputsReader } from '../supporting/state-versions/state-outputs-reader.js';
import type { CommitFiles, FetchedFiles } from '../supporting/version-control/commit-files.js';
import { type Begun, fetchedFiles } from './begun.js';
import type { PolicyFetches } from './policy-fetches.js';
import { RemovalTurns } from './removal-turns.js';

type Performers = {
  readonly [Kind in Effect['kind']]: (effect: Extract<Effect, { kind: Kind }>) => Promise<Begun> | Begun;
};

type Abandoning = {
  readonly [Kind in Effect['kind']]?: (
    tx: Transaction,
    effect: Extract<Effect, { kind: Kind }>,
    reason: string,
  ) => Promise<void>;
};

const firedAs = {
  purge: 'configuration-versions/purge',
  'finish-runs': 'configuration-versions/archive',
} as const satisfies Record<string, AuditAction>;

/** The implementation of each effect kind. Each must be safe to begin several times. */
export class EffectPerformers {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly store: BundleStore,
    private readonly progress: RunProgress,
    private readonly files: CommitFiles,
    private readonly quota: ByteQuota,
    private readonly stateOutputs: StateOutputsReader,
    private readonly policyFetches: PolicyFetches,
    private readonly runTasks: CallRunTask,
    private readonly notifications: SendNotification,
    private readonly triggeredRuns: TriggeredRuns,
  ) {
    this.removals = new RemovalTurns(unitOfWork);
  }

  private readonly removals: RemovalTurns;

  private readonly performers: Performers = {
    'discard-bundle': async ({ bundleKey }) => {
      await this.store.discard(bundleKey);
      return {};
    },
    'remove-rows': ({ target }) => this.removals.begin(target),
    'queue-run': ({ versionId }) => ({ keep: (tx) => this.queueRun(tx, versionId) }),
    'purge-backing-data': ({ versionId }) => ({ keep: (tx) => this.fireIfAllowed(tx, versionId, 'purge') }),
    'archive-version': ({ versionId }) => ({ keep: (tx) => this.fireIfAllowed(tx, versionId, 'finish-runs') }),
    'fetch-commit': ({ versionId, request }) => this.fetchCommit(versionId, request),
    'fetch-run-files': ({ runId }) => this.fetchRunFiles(runId),
    'fetch-policies': ({ versionId }) => this.policyFetches.begin(versionId),
    'follow-run-triggers': ({ runId, after }) => ({ keep: (tx) => this.triggeredRuns.follow(tx, runId, after) }),
    'queue-triggered-run': ({ triggerId, runId }) => ({ keep: (tx) => this.triggeredRuns.queue(tx, triggerId, runId) }),
    'call-run-task': async ({ resultId }) => ({ keep: await this.runTasks.execute(resultId) }),
    'send-notification': async ({ configurationId, event }) => ({
      keep: await this.notifications.execute(configurationId, event),
    }),
    'read-state-outputs': async ({ stateVersionId }) => ({ keep: await this.stateOutputs.read(stateVersionId) }),
  };

  /** Ends what waits for an effect that is not attempted any more, with the reason; nothing waits for the other kinds. */
  private readonly abandoning: Abandoning = {
    'fetch-commit': (tx, { versionId }, reason) => this.failFetch(tx, versionId, reason),
    'fetch-run-files': (tx, { runId }, reason) => this.failRun(tx, runId, reason),
    'fetch-policies': (tx, { versionId }, reason) => this.policyFetches.fail(tx, versionId, reason),
    'call-run-task': (tx, { resultId }, reason) => this.runTasks.abandon(tx, resultId, reason),
    'read-state-outputs': (tx, { stateVersionId }, reason) => this.stateOutputs.abandon(tx, stateVersionId, reason),
  };

  async abandon<Kind extends Effect['kind']>(
    tx: Transaction,
    effect: Extract<Effect, { kind: Kind }>,
    reason: string,
  ): Promise<void> {
    type Abandon = (tx: Transaction, given: typeof effect, reason: string) => Promise<void>;
    await (this.abandoning[effect.kind as Kind] as Abandon | undefined)?.(tx, effect, reason);
  }

  async begin<Kind extends Effect['kind']>(effect: Extract<Effect, { kind: Kind }>): Promise<Begun> {
    return (this.performers[effect.kind as Kind] as (given: typeof effect) => Promise<Begun> | Begun)(effect);
  }

  /**
   * Queues a run on behalf of the version's creator. Does nothing if the version is no longer usable; records a refusal
   * if the creator lost the right or the organization is over its quota.
   */
  private async queueRun(tx: Transaction, id: ConfigurationVersionId): Promise<void> {
    const version = await this.lockedVersion(tx, id);
    const workspace = version?.usableInRuns ? await tx.workspaces.find(version.state.workspaceId) : undefined;
    if (version === undefined || workspace === undefined) return;
    if (await this.quota.isUsedUp(tx, workspace)) {
      await tx.audit.add(refusedToSystem('runs/queue', id, 'organization/over-quota'), inWorkspace(workspace));
      return;
    }
    const { createdBy } = version.state;
    const seen = await findWorkspaceForCreator(tx, version.state);
    if (version.dependsOnCreator && !stillMay(seen, 'runs/queue')) {
      await tx.audit.add(refusedToCreator(createdBy, 'runs/queue', id), inWorkspace(workspace));
      return;
    }
    const { run } = await this.progress.begin(tx, workspace, async () => version, {
      source: 'tfe-configuration-version',
      options: { ...defaultRunOptions, message: 'Queued by the upload of its configuration' },
      planOnly: false,
      savePlan: false,
      autoApply: workspace.autoApply && stillMay(seen, 'runs/apply'),
      createdBy,
    });
    await tx.audit.add(doneBySystem('runs/queue', run.state.id), inWorkspace(workspace));
  }

  /** Consults the lifecycle table again: an ordered transition that is no longer allowed is skipped. */
  private async fireIfAllowed(
    tx: Transaction,
    id: ConfigurationVersionId,
    trigger: 'purge' | 'finish-runs',
  ): Promise<void> {
    const version = await this.lockedVersion(tx, id);
    if (version === undefined) return;
    const facts = await tx.runs.aboutVersion(id);
    if (!version.allows(trigger, facts, this.clock.now())) return;
    await keepVersion(tx, version.fire(trigger, facts, this.clock.now()));
    await tx.audit.add(doneBySystem(firedAs[trigger], id), version.state);
  }

  /**
   * Reads the version after locking the workspace's row: until the transaction ends, no run is created from it and its
   * files are not discarded.
   */
  private async lockedVersion(tx: Transaction, id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined> {
    const found = await tx.configurationVersions.find(id);
    if (found === undefined) return undefined;
    await tx.workspaces.lockRow(found.state.workspaceId);
    return tx.configurationVersions.find(id);
  }

  private async fetchCommit(id: ConfigurationVersionId, request: CommitRequest): Promise<Begun> {
    const started = await this.unitOfWork.run((tx) => this.startFetch(tx, id));
    if (started === undefined) return {};
    return fetchedFiles(
      { clock: this.clock, store: this.store },
      async () => {
        const within = await this.unitOfWork.read(async (tx) => {
          await this.quota.refuseMore(tx, started.state);
          return this.quota.room(tx, started.state);
        });
        return this.files.fetch(request, within);
      },
      async (tx, fetched) => {
        const version = await tx.configurationVersions.find(id);
        if (version?.state.status !== 'fetching') return false;
        await this.finishFetch(tx, version, request, fetched);
        // If concurrent uploads have used up the quota, the next attempt is refused before it fetches.
        await this.quota.refuseExcess(tx, version.state, fetched.bundle.bytes);
        return true;
      },
      (tx, { message }) => this.failFetch(tx, id, message),
    );
  }

  private async failFetch(tx: Transaction, id: ConfigurationVersionId, errorMessage: string): Promise<void> {
    const version = await tx.configurationVersions.find(id);
    if (!version?.canFail()) return;
    const failure = { error: 'fetch-failed', errorMessage };
    await keepVersion(tx, version.fire('fail', await tx.runs.aboutVersion(id), this.clock.now(), { failure }));
    await tx.audit.add(doneBySystem('configuration-versions/fail', id), version.state);
  }

  /** Undefined if the version is gone or was already fetched. */
  private async startFetch(tx: Transaction, id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined> {
    const version = await tx.configurationVersions.find(id);
    if (version?.state.status === 'pending') {
      await keepVersion(tx, version.fire('start-fetch', await tx.runs.aboutVersion(id), this.clock.now()));
      return version;
    }
    return version?.state.status === 'fetching' ? version : undefined;
  }

  private async finishFetch(
    tx: Transaction,
    version: ConfigurationVersion,
    request: CommitRequest,
    { bundle, commit }: FetchedFiles,
  ): Promise<void> {
    const { id } = version.state;
    const ingressAttributesId = version.state.ingressAttributesId ?? this.ids.next('ingress-attributes');
    if (version.state.ingressAttributesId === null) {
      const attributes = this.files.attributesOf(request, commit);
      await tx.configurationVersions.addIngressAttributes(id, { ...attributes, id: ingressAttributesId });
    }
    const facts = await tx.runs.aboutVersion(id);
    await keepVersion(tx, version.fire('finish-fetch', facts, this.clock.now(), { bundle, ingressAttributesId }));
    await tx.audit.add(doneBySystem('configuration-versions/fetch', id), version.state);
  }

  private async fetchRunFiles(id: RunId): Promise<Begun> {
    const request = await this.unitOfWork.read((tx) => this.files.requestOfRun(tx, id));
    if (request === undefined) return {};
    return fetchedFiles(
      { clock: this.clock, store: this.store },
      // Files of an existing run count towards the quota but are never refused.
      () => this.files.fetch(request, (bytes) => bytes),
      async (tx, { bundle }) => {
        const run = await this.fetchingRun(tx, id);
        if (run === undefined) return false;
        await this.progress.fire(tx, run, 'finish-fetch', { ownFiles: { key: bundle.key, bytes: bundle.bytes } });
        await tx.audit.add(doneBySystem('runs/fetch-files', id), run.state);
        return true;
      },
      (tx, { message }) => this.failRun(tx, id, message),
    );
  }

  private async failRun(tx: Transaction, id: RunId, failure: string): Promise<void> {
    const run = await this.fetchingRun(tx, id);
    if (run === undefined) return;
    await this.progress.fire(tx, run, 'fail', { failure });
    await tx.audit.add(doneBySystem('runs/fail', id), run.state);
  }

  /** The run, read with its workspace's row locked, unless it was canceled meanwhile. */
  private async fetchingRun(tx: Transaction, id: RunId) {
    const run = await lockedRun(tx, id);
    return run?.state.status === 'fetching' ? run : undefined;
  }
}
