import type {
  Backlog,
  Effect,
  EffectOutbox,
  EffectState,
  FailingEffect,
  PendingEffect,
} from '../../../application/ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { Instant } from '../../../domain/index.js';
import { type CurrentTables, type MemoryEffect, pageOf } from './memory-tables.js';

export class MemoryEffects implements EffectOutbox {
  constructor(private readonly tables: CurrentTables) {}

  async enqueue(subject: string, effects: readonly Effect[], notBefore: Instant | null = null): Promise<void> {
    const tables = this.tables();
    for (const effect of effects) {
      const id = tables.next('effects');
      tables.effects.set(id, { id, subject, effect, attempts: 0, lastError: null, notBefore, leasedUntil: null });
    }
  }

  async claim(
    now: Instant,
    kinds: readonly Effect['kind'][],
    limit: number,
    until: Instant,
  ): Promise<readonly PendingEffect[]> {
    const { effects } = this.tables();
    const claimed = this.dueBy(now, kinds, limit);
    for (const row of claimed) effects.set(row.id, { ...row, leasedUntil: until });
    return claimed.map(asPending);
  }

  async due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]> {
    return this.dueBy(now, kinds, limit).map(asPending);
  }

  async renew(ids: readonly number[], until: Instant): Promise<void> {
    const { effects } = this.tables();
    for (const id of ids) {
      const row = effects.get(id);
      if (row !== undefined) effects.set(id, { ...row, leasedUntil: until });
    }
  }

  async free(): Promise<void> {
    const { effects } = this.tables();
    for (const row of effects.values()) effects.set(row.id, { ...row, leasedUntil: null });
  }

  async done(id: number): Promise<boolean> {
    return this.tables().effects.delete(id);
  }

  async failed(id: number, error: string, notBefore: Instant): Promise<void> {
    const { effects } = this.tables();
    const row = effects.get(id);
    if (row === undefined) return;
    effects.set(id, { ...row, attempts: row.attempts + 1, lastError: error, notBefore, leasedUntil: null });
  }

  async failing(page: PageRequest): Promise<Page<FailingEffect>> {
    const tried = [...this.tables().effects.values()].sort((a, b) => a.id - b.id).flatMap(asFailing);
    return pageOf(tried, page);
  }

  async backlog(now: Instant, most: number): Promise<readonly Backlog[]> {
    const oldest = [...this.tables().effects.values()].sort((a, b) => a.id - b.id).slice(0, most);
    const groups = Map.groupBy(oldest, (row) => `${row.effect.kind} ${stateOf(row, now)}`);
    return [...groups.values()].flatMap((rows) => {
      const [first] = rows;
      if (first === undefined) return [];
      return { kind: first.effect.kind, state: stateOf(first, now), count: rows.length, oldest: first.id };
    });
  }

  private dueBy(now: Instant, kinds: readonly Effect['kind'][], limit: number): readonly MemoryEffect[] {
    const oldest = new Map<string, MemoryEffect>();
    for (const row of this.tables().effects.values()) {
      const known = oldest.get(row.subject);
      if (known === undefined || row.id < known.id) oldest.set(row.subject, row);
    }
    return [...oldest.values()]
      .filter(({ effect }) => kinds.includes(effect.kind))
      .filter(({ notBefore }) => notBefore === null || notBefore <= now)
      .filter(({ leasedUntil }) => leasedUntil === null || leasedUntil <= now)
      .sort((a, b) => a.id - b.id)
      .slice(0, limit);
  }
}

const asPending = ({ id, effect, attempts, lastError }: MemoryEffect): PendingEffect => ({
  id,
  effect,
  attempts,
  lastError,
});

const stateOf = ({ leasedUntil, attempts, notBefore }: MemoryEffect, now: Instant): EffectState => {
  if (leasedUntil !== null && leasedUntil > now) return 'in-hand';
  if (attempts > 0) return 'failing';
  return notBefore !== null && notBefore > now ? 'later' : 'due';
};

/** Nothing of an effect that was not tried yet. */
const asFailing = ({ id, subject, effect, attempts, lastError, notBefore }: MemoryEffect): FailingEffect[] =>
  lastError === null || notBefore === null ? [] : [{ id, subject, kind: effect.kind, attempts, lastError, notBefore }];
