import type { ChangeKind, ChangeListener, Changes, Following } from '../../../../application/index.js';
import { noteChange } from '../../../../application/ports/outside/changes.js';
import { isRefusal, type WorkspaceId } from '../../../../domain/index.js';
import type { Answer, Call } from '../../routing/route.js';
import { eventStreamHeaders, heartbeat, rest, serverSent } from './event-stream.js';

/** The events of a stream. */
export const eventNames = { records: 'workspace', log: 'log', all: 'all' } as const;

/** Changes that were not sent yet: never more than one for each workspace, however slowly the client reads. */
class Pending {
  private changes = new Map<WorkspaceId, ChangeKind>();
  private missed = false;
  private wake = () => {};

  readonly listener: ChangeListener = (changes) => {
    if (changes === undefined) this.missed = true;
    else for (const [id, kind] of changes) noteChange(this.changes, id, kind);
    this.wake();
  };

  get any(): boolean {
    return this.missed || this.changes.size > 0;
  }

  take(): Changes | undefined {
    const taken = this.missed ? undefined : this.changes;
    this.changes = new Map();
    this.missed = false;
    return taken;
  }

  /** Resolves once there are some, or after the time, or when the signal is aborted. */
  async come(milliseconds: number, ended: AbortSignal): Promise<void> {
    if (this.any) return;
    await rest(milliseconds, ended, (now) => {
      this.wake = now;
    });
  }
}

const textOf = (changes: Changes | 'all'): string =>
  changes === 'all'
    ? serverSent(eventNames.all, {})
    : [...changes].map(([id, kind]) => serverSent(eventNames[kind], { id })).join('');

/**
 * Follows with `begin`, and streams what the caller may know. Everything that is sent is first authorized again. Holds
 * no connection to the database while it waits.
 */
export async function streamChanges(
  call: Call,
  pauseFor: 'betweenEvents' | 'betweenLists',
  begin: (listener: ChangeListener) => Promise<Following>,
): Promise<Answer> {
  const pending = new Pending();
  const { ended, times } = call.waiting();
  const following = await begin(pending.listener);
  if (ended.aborted) following.end();
  else ended.addEventListener('abort', following.end, { once: true });

  async function* events(): AsyncGenerator<string> {
    const end = performance.now() + times.longest;
    // Sends the head: what the client reads from now on, it may read again when it changes.
    yield heartbeat;
    for (;;) {
      const left = end - performance.now();
      if (left <= 0 || ended.aborted) return;
      await pending.come(Math.min(times.heartbeat, left), ended);
      if (ended.aborted) return;
      if (!pending.any) {
        yield heartbeat;
        continue;
      }
      const text = textOf(await following.visible(await call.sameActor(), pending.take()));
      if (text !== '') yield text;
      await rest(times[pauseFor], ended);
    }
  }

  /** Ends without an error for a caller who lost the right: the next request says why. */
  async function* whileAllowed(): AsyncGenerator<string> {
    try {
      yield* events();
    } catch (error) {
      if (!isRefusal(error)) throw error;
    }
  }

  return { status: 200, parts: whileAllowed(), headers: eventStreamHeaders };
}
