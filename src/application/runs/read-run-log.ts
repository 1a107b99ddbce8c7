import { notFound, type Phase, phases } from '../../domain/index.js';
import type { CapabilityUrls } from '../ports/capability-urls.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

/** Clients read until they see the end, and know the log is not theirs to interpret before they saw its start. */
const start = 0x02;
const end = 0x03;

/** GET /v1/log/:objectId. The URL is the right. */
export class ReadRunLog {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  /** From `offset` of the stream, whose first byte is a start mark, and whose last an end mark once the phase is over. */
  async execute(objectId: string, offset: number, limit: number): Promise<Uint8Array> {
    const now = this.clock.now();
    const [phase, id] = this.open(objectId, now);
    return this.unitOfWork.read(async (tx) => {
      // The status first: when it says that the phase is over, the log is whole.
      const run = await tx.runs.find(id);
      if (run === undefined) throw notFound();
      const size = await tx.runLogs.size(id, phase);
      const inLog = Math.max(0, offset - 1);
      const marked = offset === 0 && limit > 0 ? 1 : 0;
      const bytes = await tx.runLogs.read(id, phase, inLog, limit - marked);
      const atEnd = inLog + bytes.byteLength >= size && run.hasFinished(phase) && offset <= size + 1;
      const endMark = atEnd && marked + bytes.byteLength < limit ? [end] : [];
      return Uint8Array.from([...(marked ? [start] : []), ...bytes, ...endMark]);
    });
  }

  private open(objectId: string, now: string): readonly [Phase, string] {
    for (const phase of phases) {
      const id = this.urls.open(`${phase}-log`, objectId, now);
      if (id !== undefined) return [phase, id];
    }
    throw notFound();
  }
}
