import type { Knex } from 'knex';
import type { RunLogs } from '../../../../../../application/ports/repositories/run-repository.js';
import type { Phase, RunId, RunState, WorkspaceId } from '../../../../../../domain/index.js';
import { inserted } from '../../../engine/prepared.js';
import { type Statements, stale, throwIfTaken } from '../../../engine/statements.js';

interface ChunkRow {
  /** Postgres answers a bigint as text. */
  readonly start_byte: number | string;
  readonly end_byte: number | string;
  readonly bytes: Uint8Array;
}

/** One row for each time something was appended. */
export class KnexRunLogs implements RunLogs {
  constructor(
    private readonly db: Statements,
    private readonly grown: (id: WorkspaceId) => void,
  ) {}

  async size(id: RunId, phase: Phase): Promise<number> {
    const last = this.chunks(id, phase).select('end_byte').orderBy('start_byte', 'desc').limit(1);
    return Number((await this.db.first<ChunkRow>(last))?.end_byte ?? 0);
  }

  async append(
    { id, workspaceId }: Pick<RunState, 'id' | 'workspaceId'>,
    phase: Phase,
    offset: number,
    bytes: Uint8Array,
  ): Promise<void> {
    const outrun = () => stale(`the ${phase} log of ${id} was written by another request`);
    if ((await this.size(id, phase)) !== offset) throw outrun();
    if (bytes.length === 0) return;
    const insert = inserted(this.db, 'run_log_chunks', {
      run_id: id,
      phase,
      start_byte: offset,
      end_byte: offset + bytes.length,
      bytes: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
    });
    await throwIfTaken(this.db.run(insert), { run_log_chunks: outrun });
    this.grown(workspaceId);
  }

  async read(id: RunId, phase: Phase, offset: number, limit: number): Promise<Uint8Array> {
    const end = offset + limit;
    // The chunk in which the range begins; none of those before it is looked at.
    const first = this.chunks(id, phase).where('start_byte', '<=', offset).max('start_byte');
    const chunks = await this.db.all<ChunkRow>(
      this.chunks(id, phase)
        .where('start_byte', '>=', first)
        .where('start_byte', '<', end)
        .where('end_byte', '>', offset)
        .select('start_byte', 'end_byte', 'bytes')
        .orderBy('start_byte'),
    );
    const parts = chunks.map(({ start_byte, bytes }) => {
      const start = Number(start_byte);
      return bytes.subarray(Math.max(offset - start, 0), end - start);
    });
    // Not the database driver's own kind of buffer.
    return new Uint8Array(Buffer.concat(parts));
  }

  async drop(id: RunId, phase: Phase): Promise<void> {
    await this.db.run(this.chunks(id, phase).delete());
  }

  private chunks(id: RunId, phase: Phase): Knex.QueryBuilder {
    return this.db.sql('run_log_chunks').where({ run_id: id, phase });
  }
}
