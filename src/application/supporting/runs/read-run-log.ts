import { type Instant, later, notFound, type Phase, phases, type Run } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** Clients read until the end mark, and ignore the content before the start mark. */
const start = 0x02;
const end = 0x03;

/**
 * Clients request the URL once, and read from it for as long as the phase runs, which may exceed the URL's lifetime.
 */
const maxFollowedSeconds = 24 * 3600;
/** The time that clients following a log get to read its end: they poll every few seconds. */
const endSeconds = 60;

/**
 * GET /v1/log/:objectId. The URL is the credential. It lives as long as any other read URL; an expired one still reads
 * a log that is being written.
 */
export class ReadRunLog {
  constructor(
    private readonly unitOfWork: UnitOfWork<'runs' | 'runLogs'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  /** From `offset` of the stream, which begins with a start mark and ends with an end mark once the phase is over. */
  async execute(objectId: string, offset: number, limit: number): Promise<Uint8Array> {
    const now = this.clock.now();
    const { phase, id, ended } = this.open(objectId, now);
    return this.unitOfWork.read(async (tx) => {
      // The status is read first: if it says that the phase is over, the log is complete.
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
      const id = this.urls.open(purpose, objectId, later(now, -maxFollowedSeconds));
      if (id !== undefined) return { phase, id, ended: this.urls.open(purpose, objectId, now) === undefined };
    }
    throw notFound();
  }
}

function isFollowed(run: Run, phase: Phase, now: Instant): boolean {
  const finishedAt = run.finishedAt(phase);
  return finishedAt === undefined || now < later(finishedAt, endSeconds);
}
