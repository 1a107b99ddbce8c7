import { type ConfigurationVersion, type Instant, later, type WorkspaceId } from '../../domain/index.js';
import { doneBySystem } from '../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../ports/outside/clock.js';
import type { Settings } from '../ports/outside/settings.js';
import type { VersionPlace } from '../ports/repositories/configuration-version-repository.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { keepVersion } from './keep-version.js';

const batch = 100;

/** The result of one batch. `next` is where to continue; absent at the end. */
export interface OldVersionsArchived {
  readonly archived: number;
  readonly next?: VersionPlace;
  /** The error of the version at `next`, which ended the batch; that version is skipped. */
  readonly failure?: unknown;
}

/** Discards the files of unused versions that have held them longer than the retention period. */
export class ArchiveOldVersions {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'runs' | 'effects' | 'audit'>,
    private readonly clock: Clock,
    private readonly settings: Pick<Settings, 'archiveAfterDays'>,
  ) {}

  /**
   * Checks one batch of versions after `after`: of the workspace that has this retention, or of all that have none. Safe to
   * repeat and to run concurrently.
   */
  async execute(
    after?: VersionPlace,
    of?: { readonly workspaceId: WorkspaceId; readonly days: number },
  ): Promise<OldVersionsArchived> {
    const days = of?.days ?? this.settings.archiveAfterDays;
    if (days === 0) return { archived: 0 };
    const before = later(this.clock.now(), -days * 86_400);
    const seen = await this.unitOfWork.read((tx) =>
      tx.configurationVersions.uploaded(before, batch, after, of?.workspaceId),
    );
    let archived = 0;
    for (const version of seen) {
      try {
        if (await this.archive(version, before)) archived += 1;
      } catch (failure) {
        return { archived, next: version.state, failure };
      }
    }
    const last = seen.length < batch ? undefined : seen.at(-1);
    return last === undefined ? { archived } : { archived, next: last.state };
  }

  private async archive(seen: ConfigurationVersion, before: Instant): Promise<boolean> {
    const { id, workspaceId } = seen.state;
    const now = this.clock.now();
    // Most versions are in use: these are skipped without locking their workspace.
    const likely = await this.unitOfWork.read(async (tx) => seen.allows('retire', await facts(tx, seen, before), now));
    if (!likely) return false;
    return this.unitOfWork.run(async (tx) => {
      // Serializes with run creation and uploads: a concurrent one either commits first or sees the version as
      // archived.
      await tx.workspaces.lockRow(workspaceId);
      const version = await tx.configurationVersions.find(id);
      if (version === undefined) return false;
      const known = await facts(tx, version, before);
      if (!version.allows('retire', known, now)) return false;
      await keepVersion(tx, version.fire('retire', known, now));
      await tx.audit.add(doneBySystem('configuration-versions/archive', id), { workspaceId });
      return true;
    });
  }
}

const facts = async (tx: Transaction<'runs'>, { state, heldSince }: ConfigurationVersion, before: Instant) => ({
  ...(await tx.runs.aboutVersion(state.id)),
  outdated: heldSince < before,
});
