import { DomainError, type Run, type StateVersion, type StateVersionId } from '../../../domain/index.js';
import { doneByAgent } from '../../../domain/supporting/audit/audit-event.js';
import { checkSuccession } from '../../../domain/supporting/state-versions/state-version.js';
import type { Uploads } from '../../files/uploads.js';
import type { BundleInspector, Measurement } from '../../ports/outside/bundle-inspector.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { dropAnnounced, keepState } from '../state-versions/state-writing.js';
import { type LeaseHolder, leasedRun, lockedLeasedRun, requireStatus } from './lease-holder.js';

/**
 * PUT /agent/v1/runs/:id/state-versions/:stateId/content. The bytes are stored while they arrive, without an open
 * transaction; a short transaction then makes them the workspace's current state. The lease is checked before and
 * after.
 */
export class UploadState {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'stateVersions' | 'effects' | 'audit'>,
    private readonly secrets: SecretGenerator,
    private readonly uploads: Uploads,
    private readonly inspector: BundleInspector,
  ) {}

  /**
   * A repeated upload of a finalized state stores nothing. Throws `lease/lost`, `run/transition-refused`,
   * `resource/not-found` for a state that the run did not announce, or has replaced with a new announcement, and
   * `agent-report/invalid` for bytes that differ from the announced ones. After a refusal, or if reading `body` throws,
   * nothing is stored.
   */
  async execute(holder: LeaseHolder, id: StateVersionId, body: AsyncIterable<Uint8Array>): Promise<void> {
    const announced = await this.unitOfWork.read(async (tx) =>
      this.find(tx, await leasedRun(tx, this.secrets, holder), id),
    );
    const measurement = onlyAs(announced, this.inspector.measure(body));
    await this.uploads.keep(this.unitOfWork, measurement, async (tx, bundle) => {
      const run = await lockedLeasedRun(tx, this.secrets, holder);
      const version = await this.find(tx, run, id);
      if (version.status === 'finalized') return false;
      checkSuccession(await tx.stateVersions.current(version.workspaceId), version);
      // A client's forced state would follow this one unseen. One without force is refused by its serial, in words.
      if ((await tx.stateVersions.pendingOfClient(version.workspaceId))?.forced) {
        await dropAnnounced(tx, version.workspaceId);
      }
      await keepState(tx, version, bundle);
      await tx.audit.add(doneByAgent(holder.agent, 'state-versions/write', id), version);
      return true;
    });
  }

  private async find(tx: Transaction<'stateVersions'>, run: Run, id: StateVersionId): Promise<StateVersion> {
    requireStatus(run, 'applying', 'state could not be written');
    const version = await tx.stateVersions.find(id);
    const its = version?.status === 'pending' ? version.runId === run.state.id : undefined;
    if (version === undefined || !(its ?? version.workspaceId === run.state.workspaceId)) {
      throw new DomainError(
        'resource/not-found',
        'the run has not announced this state version, or has announced another one since',
      );
    }
    return version;
  }
}

/** The measurement, which throws `agent-report/invalid` at the first excess byte, or at the end of other bytes. */
const onlyAs = (announced: StateVersion, measurement: Measurement): Measurement => ({
  ...measurement,
  bytes: asAnnounced(announced, measurement),
});

async function* asAnnounced({ size, md5 }: StateVersion, { bytes, facts }: Measurement): AsyncGenerator<Uint8Array> {
  let passed = 0;
  for await (const chunk of bytes) {
    passed += chunk.byteLength;
    if (passed > size) throw unlike(`The content is larger than the announced ${size} bytes`);
    yield chunk;
  }
  if (passed < size) throw unlike(`The content has ${passed} bytes, but ${size} were announced`);
  const found = facts();
  if (found.md5 !== md5) throw unlike(`The MD5 digest of the content is ${found.md5}, but ${md5} was announced`);
}

const unlike = (sentence: string): DomainError => new DomainError('agent-report/invalid', sentence);
