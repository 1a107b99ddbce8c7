import { type LinkedRepository, later, type StateVersionOutputId } from '../../domain/index.js';
import { revised } from '../../domain/shared/revision.js';
import type { Clock } from '../ports/outside/clock.js';
import { openedWith, type SecretBox } from '../ports/outside/secret-box.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

/**
 * An instance that is suspended for longer may be refused on its next start, because its secrets are no longer
 * registered.
 */
const forgottenAfterSeconds = 24 * 3600;
const batch = 50;

export interface Renewed {
  /** The number of values sealed again. */
  readonly sealed: number;
  /** The number of values that none of this instance's secrets opens. */
  readonly lost: number;
}

interface Batch extends Renewed {
  /** The id after which to continue; undefined at the end. */
  readonly last: string | undefined;
}

interface Sealed {
  readonly id: string;
  readonly sealedValue: string;
  readonly revision: number;
}

/** Variables of workspaces or of variable sets, parameters of policy sets, or what has a sealed key. */
interface SealedRows<Row> {
  sealedWithOtherKeys(fingerprint: string, after: string, limit: number): Promise<readonly Row[]>;
  save(row: Row): Promise<void>;
}

/** A run task or a notification configuration. */
type Keyed<Member extends string> = { readonly id: string; readonly revision: number } & Readonly<
  Record<Member, string | null>
>;

/** A workspace or a policy set. */
interface Linked {
  readonly id: string;
  readonly repository: LinkedRepository | null;
  readonly revision: number;
}

/** Keeps signed and sealed data readable for every instance on the database while the signing secret is rotated. */
export class StoredSecrets {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      | 'workspaces'
      | 'policySets'
      | 'variables'
      | 'setVariables'
      | 'policySetParameters'
      | 'runTasks'
      | 'notificationConfigurations'
      | 'stateOutputs'
      | 'signingKeys'
    >,
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /** Whether this instance shares a secret with earlier ones; on an empty database the first instance decides. */
  async join(): Promise<boolean> {
    return this.unitOfWork.run((tx) => tx.signingKeys.join(this.box.fingerprints, this.clock.now()));
  }

  /** Registers this instance's secrets as in use, and seals with the first secret all data sealed with another. */
  async renew(): Promise<Renewed> {
    const now = this.clock.now();
    await this.unitOfWork.run(async (tx) => {
      await tx.signingKeys.join(this.box.fingerprints, now);
      await tx.signingKeys.forget(later(now, -forgottenAfterSeconds));
    });
    const renewed = { sealed: 0, lost: 0 };
    const batches = [
      (after: string) => this.unitOfWork.run((tx) => this.sealWebhookKeys(tx.workspaces, after)),
      (after: string) => this.unitOfWork.run((tx) => this.sealWebhookKeys(tx.policySets, after)),
      (after: string) => this.unitOfWork.run((tx) => this.sealKeys(tx.runTasks, 'sealedHmacKey', after)),
      (after: string) =>
        this.unitOfWork.run((tx) => this.sealKeys(tx.notificationConfigurations, 'sealedToken', after)),
      (after: string) => this.unitOfWork.run((tx) => this.sealRows(tx.variables, after)),
      (after: string) => this.unitOfWork.run((tx) => this.sealRows(tx.setVariables, after)),
      (after: string) => this.unitOfWork.run((tx) => this.sealRows(tx.policySetParameters, after)),
      (after: string) => this.sealOutputs(after),
    ];
    for (const sealBatch of batches) {
      const { sealed, lost } = await this.renewAll(sealBatch);
      renewed.sealed += sealed;
      renewed.lost += lost;
    }
    return renewed;
  }

  private async renewAll(sealBatch: (after: string) => Promise<Batch>): Promise<Renewed> {
    const renewed = { sealed: 0, lost: 0 };
    for (let after: string | undefined = ''; after !== undefined; ) {
      const { sealed, lost, last } = await sealBatch(after);
      renewed.sealed += sealed;
      renewed.lost += lost;
      after = last;
    }
    return renewed;
  }

  /**
   * A concurrent change restarts its batch: the change is not lost, and its value is sealed by the instance that made
   * it.
   */
  private async sealWebhookKeys<Row extends Linked>(repository: SealedRows<Row>, after: string): Promise<Batch> {
    const rows = await repository.sealedWithOtherKeys(this.box.fingerprints[0], after, batch);
    let sealed = 0;
    for (const row of rows) {
      const link = row.repository;
      const key = link === null ? undefined : openedWith(this.box, link.sealedWebhookKey);
      if (link === null || key === undefined) continue;
      const resealed = { ...link, sealedWebhookKey: this.box.seal(key) };
      await repository.save({ ...revised(row), repository: resealed });
      sealed += 1;
    }
    return { sealed, lost: rows.length - sealed, last: rows.at(-1)?.id };
  }

  private async sealKeys<Member extends string, Row extends Keyed<Member>>(
    repository: SealedRows<Row>,
    member: Member,
    after: string,
  ): Promise<Batch> {
    const rows = await repository.sealedWithOtherKeys(this.box.fingerprints[0], after, batch);
    let sealed = 0;
    for (const row of rows) {
      const key = row[member] === null ? undefined : openedWith(this.box, row[member]);
      if (key === undefined) continue;
      await repository.save({ ...revised(row), [member]: this.box.seal(key) });
      sealed += 1;
    }
    return { sealed, lost: rows.length - sealed, last: rows.at(-1)?.id };
  }

  private async sealRows<Row extends Sealed>(repository: SealedRows<Row>, after: string): Promise<Batch> {
    const rows = await repository.sealedWithOtherKeys(this.box.fingerprints[0], after, batch);
    let sealed = 0;
    for (const row of rows) {
      const value = openedWith(this.box, row.sealedValue);
      if (value === undefined) continue;
      await repository.save({ ...revised(row), sealedValue: this.box.seal(value) });
      sealed += 1;
    }
    return { sealed, lost: rows.length - sealed, last: rows.at(-1)?.id };
  }

  /** Outputs never change: if two instances do it at once, either result can be opened. */
  private sealOutputs(after: StateVersionOutputId): Promise<Batch> {
    return this.unitOfWork.run(async (tx) => {
      const outputs = await tx.stateOutputs.sealedWithOtherKeys(this.box.fingerprints[0], after, batch);
      let sealed = 0;
      for (const { id, value } of outputs) {
        const opened = openedWith(this.box, value);
        if (opened === undefined) continue;
        await tx.stateOutputs.reseal(id, this.box.seal(opened));
        sealed += 1;
      }
      return { sealed, lost: outputs.length - sealed, last: outputs.at(-1)?.id };
    });
  }
}
