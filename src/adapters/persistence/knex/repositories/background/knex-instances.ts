import type { Demand, RequestRates, SigningKeys } from '../../../../../application/ports/repositories/instances.js';
import type { Instant } from '../../../../../domain/index.js';
import { type Statements, stale, throwIfTaken } from '../../engine/statements.js';

export class KnexSigningKeys implements SigningKeys {
  constructor(private readonly db: Statements) {}

  async join(fingerprints: readonly string[], now: Instant): Promise<boolean> {
    const { sql } = this.db;
    const known = await this.db.all<{ readonly fingerprint: string; readonly place: number }>(
      sql('signing_keys').select('fingerprint', 'place'),
    );
    const isKnown = (given: string) => known.some(({ fingerprint }) => fingerprint === given);
    if (known.length > 0 && !fingerprints.some(isKnown)) return false;
    let place = Math.max(0, ...known.map((row) => row.place));
    for (const fingerprint of fingerprints) {
      if (isKnown(fingerprint)) {
        await this.db.run(sql('signing_keys').where({ fingerprint }).update({ noted_at: now }));
        continue;
      }
      place += 1;
      // Places are unique, so of two instances that find the same keys there only one adds to them.
      await throwIfTaken(this.db.run(sql('signing_keys').insert({ fingerprint, place, noted_at: now })), {
        signing_keys: () => stale('another instance added a signing key'),
      });
    }
    return true;
  }

  async fits(fingerprints: readonly string[]): Promise<boolean> {
    const known = await this.db.all<{ readonly fingerprint: string }>(
      this.db.sql('signing_keys').select('fingerprint'),
    );
    return known.length === 0 || known.some(({ fingerprint }) => fingerprints.includes(fingerprint));
  }

  async forget(before: Instant): Promise<void> {
    await this.db.run(this.db.sql('signing_keys').where('noted_at', '<', before).delete());
  }
}

/** One row to each instance, whatever the number of callers: both statements are always the same, and small. */
export class KnexRequestRates implements RequestRates {
  constructor(private readonly db: Statements) {}

  async note(instance: string, demand: Demand, now: Instant): Promise<void> {
    const row = { instance, demand: JSON.stringify(demand), noted_at: now };
    await this.db.run(this.db.sql('request_rates').insert(row).onConflict('instance').merge(['demand', 'noted_at']));
  }

  async ofOthers(instance: string, since: Instant): Promise<readonly Demand[]> {
    const others = this.db.sql('request_rates').whereNot({ instance }).where('noted_at', '>=', since);
    const rows = await this.db.all<{ readonly demand: string }>(others.select('demand'));
    return rows.map(({ demand }) => JSON.parse(demand) as Demand);
  }

  async forget(before: Instant): Promise<void> {
    await this.db.run(this.db.sql('request_rates').where('noted_at', '<', before).delete());
  }
}
