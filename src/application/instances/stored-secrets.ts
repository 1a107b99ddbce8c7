import { later, type WorkspaceId } from '../../domain/index.js';
import type { Clock } from '../ports/clock.js';
import type { SecretBox } from '../ports/secret-box.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** An instance that stands still for so long may be told on its next start that its secrets are no longer in use. */
const forgottenAfterSeconds = 24 * 3600;
const batch = 50;

export interface Renewed {
  /** How many were sealed anew. */
  readonly sealed: number;
  /** How many cannot be opened, by any secret this instance has. */
  readonly lost: number;
}

/** Keeps what is signed and sealed readable for every instance on the database, while the signing secret changes. */
export class StoredSecrets {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /** Whether this instance has a secret in common with those before it; on an empty database the first one decides. */
  async join(): Promise<boolean> {
    return this.unitOfWork.run((tx) => tx.signingKeys.join(this.box.fingerprints, this.clock.now()));
  }

  /** Says that this instance's secrets are in use, and seals with the first of them what is sealed with another. */
  async renew(): Promise<Renewed> {
    const now = this.clock.now();
    await this.unitOfWork.run(async (tx) => {
      await tx.signingKeys.join(this.box.fingerprints, now);
      await tx.signingKeys.forget(later(now, -forgottenAfterSeconds));
    });
    const renewed = { sealed: 0, lost: 0 };
    for (let after: WorkspaceId | undefined = ''; after !== undefined; ) {
      const { sealed, lost, last } = await this.sealBatch(after);
      renewed.sealed += sealed;
      renewed.lost += lost;
      after = last;
    }
    return renewed;
  }

  /** A link that changes meanwhile makes its batch begin anew: the change is not lost, and is sealed by who made it. */
  private sealBatch(after: WorkspaceId): Promise<Renewed & { readonly last: WorkspaceId | undefined }> {
    return this.unitOfWork.run(async (tx) => {
      const workspaces = await tx.workspaces.sealedOtherwise(this.box.fingerprints[0], after, batch);
      let sealed = 0;
      for (const { repository, revision, ...workspace } of workspaces) {
        const key = repository === null ? undefined : this.opened(repository.sealedWebhookKey);
        if (repository === null || key === undefined) continue;
        const anew = { ...repository, sealedWebhookKey: this.box.seal(key) };
        await tx.workspaces.save({ ...workspace, repository: anew, revision: revision + 1 });
        sealed += 1;
      }
      return { sealed, lost: workspaces.length - sealed, last: workspaces.at(-1)?.id };
    });
  }

  private opened(sealed: string): string | undefined {
    try {
      return this.box.open(sealed);
    } catch {
      return undefined;
    }
  }
}
