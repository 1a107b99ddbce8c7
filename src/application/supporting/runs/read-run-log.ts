import { type Instant, later, notFound, type Phase, phases, type Run } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** Clients read until they see the end, and know the log is not theirs to interpret before they saw its start. */
const start = 0x02;
const end = 0x03;

/** Clients ask for the URL once, and read from it for as long as the phase goes on: that may be longer than the URL lives. */
const mostFollowedSeconds = 24 * 3600;
/** How long the end of a log is left to those who follow it: they ask every few seconds. */
const endSeconds = 60;

/**
 * GET /v1/log/:objectId. The URL is the right. It lives as long as any other for reading; one that has ended still reads a
 * log that is being written.
 */
export class ReadRunLog {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'runLogs'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  /** From `offset` of the stream, whose first byte is a start mark, and whose last an end mark once the phase is over. */
  async execute(objectId: string, offset: number, limit: number): Promise<Uint8Array> {
    const now = this.clock.now();
    const { phase, id, ended } = this.open(objectId, now);
    return this.unitOfWork.read(async (tx) => {
      // The status first: when it says that the phase is over, the log is whole.
      const run = await tx.runs.find(id);
      if (run === undefined || (ended && !isFollowed(run, phase, now))) throw notFound();
      const size = await tx.runLogs.size(id, phase);
      const inLog = Math.max(0, offset - 1);
      const marked = offset === 0 && limit > 0 ? 1 : 0;
      const bytes = await tx.runLogs.read(id, phase, inLog, limit - marked);
      const atEnd = inLog + bytes.byteLength >= size && run.hasFinished(phase) && offset <= size + 1;
      const endMark = atEnd && marked + bytes.byteLength < limit ? [end] : [];
      return Uint8Array.from([...(marked ? [start] : []), ...bytes, ...endMark]);
    });
  }

  private open(
    objectId: string,
    now: Instant,
  ): { readonly phase: Phase; readonly id: string; readonly ended: boolean } {
    for (const phase of phases) {
      const purpose = `${phase}-log` as const;
      const id = this.urls.open(purpose, objectId, later(now, -mostFollowedSeconds));
      if (id !== undefined) return { phase, id, ended: this.urls.open(purpose, objectId, now) === undefined };
    }
    throw notFound();
  }
}

function isFollowed(run: Run, phase: Phase, now: Instant): boolean {
  const finishedAt = run.finishedAt(phase);
  return finishedAt === undefined || now < later(finishedAt, endSeconds);
}
