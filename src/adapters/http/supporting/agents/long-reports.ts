import type { Request } from 'express';
import type { AskLease, LeaseHolder } from '../../../../application/index.js';
import { readLongBody } from '../../routing/read-body.js';
import { KeyedMutex } from './keyed-mutex.js';

/**
 * Reports of one kind, of many MiB. A report is read only for the agent that holds the lease, one at a time per run.
 * Only one at a time overall is parsed, because JSON takes ten times the memory of its bytes.
 */
export class LongReports {
  private readonly turns = new KeyedMutex();

  constructor(private readonly use: { readonly askLease: Pick<AskLease, 'execute'> }) {}

  /** `take` must read the bytes. Throws `lease/lost` and whatever `readLongBody` and `take` throw. */
  async read<Taken>(
    holder: LeaseHolder,
    request: Request,
    largest: number,
    take: (body: Uint8Array | undefined) => Promise<Taken>,
  ): Promise<Taken> {
    await this.use.askLease.execute(holder);
    return this.turns.take(holder.runId, async () => {
      const body = await readLongBody(request, largest);
      return this.turns.take('', async () => take(body));
    });
  }
}
