import type { Demand, RequestRates, SigningKeys } from '../../../application/ports/repositories/instances.js';
import type { Instant } from '../../../domain/index.js';
import type { CurrentTables } from './memory-tables.js';

export class MemorySigningKeys implements SigningKeys {
  constructor(private readonly tables: CurrentTables) {}

  async join(fingerprints: readonly string[], now: Instant): Promise<boolean> {
    if (!(await this.fits(fingerprints))) return false;
    for (const fingerprint of fingerprints) this.tables().signingKeys.set(fingerprint, now);
    return true;
  }

  async fits(fingerprints: readonly string[]): Promise<boolean> {
    const { signingKeys } = this.tables();
    return signingKeys.size === 0 || fingerprints.some((fingerprint) => signingKeys.has(fingerprint));
  }

  async forget(before: Instant): Promise<void> {
    const { signingKeys } = this.tables();
    for (const [fingerprint, notedAt] of signingKeys) if (notedAt < before) signingKeys.delete(fingerprint);
  }
}

export class MemoryRequestRates implements RequestRates {
  constructor(private readonly tables: CurrentTables) {}

  async note(instance: string, demand: Demand, now: Instant): Promise<void> {
    this.tables().requestRates.set(instance, { demand, notedAt: now });
  }

  async ofOthers(instance: string, since: Instant): Promise<readonly Demand[]> {
    const rows = [...this.tables().requestRates].filter(
      ([other, { notedAt }]) => other !== instance && notedAt >= since,
    );
    return rows.map(([, { demand }]) => demand);
  }

  async forget(before: Instant): Promise<void> {
    const { requestRates } = this.tables();
    for (const [instance, { notedAt }] of requestRates) if (notedAt < before) requestRates.delete(instance);
  }
}
