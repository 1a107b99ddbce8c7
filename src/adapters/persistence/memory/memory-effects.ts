import type { Effect, RemovalTarget } from '../../../application/ports/repositories/effect.js';
import { type Lane, laneNames, laneOf, neverEnded } from '../../../application/ports/repositories/effect-lanes.js';
import {
  type Backlog,
  type Claim,
  type ClaimedEffect,
  type EffectOutbox,
  type EffectState,
  type FailingEffect,
  noOrganization,
  type PendingEffect,
} from '../../../application/ports/repositories/effect-outbox.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type { Instant, OrganizationId } from '../../../domain/index.js';
import { type CurrentTables, compare, type MemoryEffect, type MemoryTables, pageOf } from './memory-tables.js';

export class MemoryEffects implements EffectOutbox {
  constructor(private readonly tables: CurrentTables) {}

  async enqueue(subject: string, effects: readonly Effect[], notBefore: Instant | null = null): Promise<void> {
    const tables = this.tables();
    for (const effect of effects) {
      const id = tables.next('effects');
      const organizationId = organizationOf(tables, effect) ?? noOrganization;
      const fresh = { attempts: 0, begun: 0, lastError: null, leasedUntil: null, place: null };
      tables.effects.set(id, { ...fresh, id, subject, effect, notBefore, organizationId, lane: laneOf(effect.kind) });
    }
  }

  async claim(claim: Claim): Promise<readonly ClaimedEffect[]> {
    const { effects } = this.tables();
    for (const row of effects.values()) effects.set(row.id, { ...row, lane: laneBy(row, claim.now) });
    const claimed = this.inTurn(claim)
      .map((row) => ({ ...row, leasedUntil: claim.until, begun: row.begun + 1 }))
      .sort((a, b) => a.id - b.id);
    for (const row of claimed) effects.set(row.id, row);
    return claimed.map((row) => ({ ...asPending(row), organizationId: row.organizationId, begun: row.begun }));
  }

  async due(now: Instant, kinds: readonly Effect['kind'][], limit: number): Promise<readonly PendingEffect[]> {
    const due = this.dueBy(now).filter(({ effect }) => kinds.includes(effect.kind));
    return due.slice(0, limit).map(asPending);
  }

  async lanesDue(now: Instant): Promise<readonly Lane[]> {
    const due = new Set(this.dueBy(now).map((row) => laneBy(row, now)));
    return laneNames.filter((lane) => due.has(lane));
  }

  async renew(ids: readonly number[], until: Instant): Promise<void> {
    for (const id of ids) this.change(id, { leasedUntil: until });
  }

  async giveBack(claimed: readonly Pick<ClaimedEffect, 'id' | 'begun'>[]): Promise<void> {
    for (const { id, begun } of claimed) {
      if (this.tables().effects.get(id)?.begun === begun) this.change(id, { begun: begun - 1, leasedUntil: null });
    }
  }

  async free(): Promise<void> {
    for (const row of this.tables().effects.values()) {
      if (row.leasedUntil !== null) this.change(row.id, { leasedUntil: null, lane: laneAfterLease(row) });
    }
  }

  async done(id: number): Promise<boolean> {
    return this.tables().effects.delete(id);
  }

  async failed(id: number, error: string, notBefore: Instant): Promise<void> {
    const row = this.tables().effects.get(id);
    if (row === undefined) return;
    const { effect, attempts } = row;
    const place = Math.max(...this.tables().effects.keys()) + 1;
    const ended = { begun: 0, leasedUntil: null, lane: laneOf(effect.kind) };
    this.change(id, { ...ended, attempts: attempts + 1, lastError: error, notBefore, place });
  }

  async putAside(id: number, reason: string): Promise<boolean> {
    return this.change(id, { lane: 'aside', leasedUntil: null, lastError: reason, notBefore: null }) !== undefined;
  }

  async retry(id: number): Promise<FailingEffect | undefined> {
    const row = this.tables().effects.get(id);
    if (row === undefined || row.lastError === null) return undefined;
    if (row.leasedUntil === null) this.change(id, { lane: laneOf(row.effect.kind), begun: 0, notBefore: null });
    return asFailing(this.tables().effects.get(id) ?? row)[0];
  }

  async failing(page: PageRequest): Promise<Page<FailingEffect>> {
    return pageOf(this.byId().flatMap(asFailing), page);
  }

  async countAside(): Promise<number> {
    return this.byId().filter(({ lane }) => lane === 'aside').length;
  }

  async backlog(now: Instant, most: number): Promise<readonly Backlog[]> {
    const groups = Map.groupBy(this.byId().slice(0, most), (row) => `${row.effect.kind} ${stateOf(row, now)}`);
    return [...groups.values()].flatMap((rows) => {
      const [first] = rows;
      if (first === undefined) return [];
      return { kind: first.effect.kind, state: stateOf(first, now), count: rows.length, oldest: first.id };
    });
  }

  private byId(): readonly MemoryEffect[] {
    return [...this.tables().effects.values()].sort((a, b) => a.id - b.id);
  }

  private change(id: number, given: Partial<MemoryEffect>): MemoryEffect | undefined {
    const { effects } = this.tables();
    const row = effects.get(id);
    if (row !== undefined) effects.set(id, { ...row, ...given });
    return row;
  }

  /** The first of each organization, then the rest of the one whose turn is first. */
  private inTurn({ now, lane, kinds, limit, after, except }: Claim): readonly MemoryEffect[] {
    const due = this.dueBy(now)
      .filter((row) => row.lane === lane && !except.includes(row.organizationId))
      .filter(({ effect }) => kinds?.includes(effect.kind) ?? true)
      .sort((a, b) => placeOf(a) - placeOf(b) || a.id - b.id);
    const byOrganization = [...Map.groupBy(due, ({ organizationId }) => organizationId)].sort(
      ([a], [b]) => Number(a <= after) - Number(b <= after) || compare(a, b),
    );
    const heads = byOrganization.flatMap(([, rows]) => rows.slice(0, 1));
    const rest = byOrganization[0]?.[1].slice(1) ?? [];
    return [...heads, ...rest].slice(0, limit);
  }

  private dueBy(now: Instant): readonly MemoryEffect[] {
    const oldest = new Map<string, MemoryEffect>();
    for (const row of this.byId()) {
      if (row.lane !== 'aside' && !oldest.has(row.subject)) oldest.set(row.subject, row);
    }
    return [...oldest.values()]
      .filter(({ notBefore }) => notBefore === null || notBefore <= now)
      .filter(({ leasedUntil }) => leasedUntil === null || leasedUntil <= now)
      .sort((a, b) => a.id - b.id);
  }
}

function organizationOf(tables: MemoryTables, effect: Effect): OrganizationId | undefined {
  const ofWorkspace = (id = '') => tables.workspaces.get(id)?.organizationId;
  const ofRun = (id = '') => ofWorkspace(tables.runs.get(id)?.workspaceId);
  const stageOf = (resultId: string) =>
    [...tables.taskStages.values()].find(({ results }) => results.some(({ id }) => id === resultId));
  switch (effect.kind) {
    case 'discard-bundle':
      return undefined;
    case 'remove-rows':
      return ofRemoval(tables, effect.target);
    case 'fetch-run-files':
      return ofRun(effect.runId);
    case 'fetch-policies':
      return tables.policySetVersions.get(effect.versionId)?.organizationId;
    case 'call-run-task':
      return ofRun(stageOf(effect.resultId)?.runId);
    case 'read-state-outputs':
      return ofWorkspace(tables.stateVersions.get(effect.stateVersionId)?.workspaceId);
    default:
      return ofWorkspace(tables.configurationVersions.get(effect.versionId)?.workspaceId);
  }
}

function ofRemoval(tables: MemoryTables, { kind, id }: RemovalTarget): OrganizationId | undefined {
  if (kind === 'organization') return id;
  if (kind === 'workspace') return tables.workspaces.get(id)?.organizationId;
  return kind === 'team' ? tables.teams.get(id)?.organizationId : undefined;
}

const placeOf = ({ place, id }: MemoryEffect): number => place ?? id;

/** The lane in which an effect is claimed whose lease has ended without the end of its attempt. */
const laneAfterLease = ({ begun, lane }: MemoryEffect): MemoryEffect['lane'] =>
  begun >= neverEnded.alone ? 'alone' : lane;

const laneBy = (row: MemoryEffect, now: Instant): MemoryEffect['lane'] =>
  row.leasedUntil !== null && row.leasedUntil <= now ? laneAfterLease(row) : row.lane;

const asPending = ({ id, effect, attempts, lastError }: MemoryEffect): PendingEffect => ({
  id,
  effect,
  attempts,
  lastError,
});

const stateOf = ({ lane, leasedUntil, attempts, notBefore }: MemoryEffect, now: Instant): EffectState => {
  if (lane === 'aside') return 'aside';
  if (leasedUntil !== null && leasedUntil > now) return 'in-hand';
  if (attempts > 0) return 'failing';
  return notBefore !== null && notBefore > now ? 'later' : 'due';
};

/** Nothing of an effect that neither failed nor was put aside. */
const asFailing = ({ id, subject, effect, attempts, lastError, notBefore, lane }: MemoryEffect): FailingEffect[] => {
  const status = lane === 'aside' ? 'put_aside' : 'retrying';
  return lastError === null ? [] : [{ id, subject, kind: effect.kind, attempts, lastError, notBefore, status }];
};
