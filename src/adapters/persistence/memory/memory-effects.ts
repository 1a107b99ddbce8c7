import type {
  Effect,
  EffectOutbox,
  PendingEffect,
  Removals,
  RemovalTarget,
} from '../../../application/ports/effect-outbox.js';
import type { BundleKey, Instant, OrganizationId, TeamId, UserId, WorkspaceId } from '../../../domain/index.js';
import type { CurrentTables, MemoryEffect, MemoryTables } from './memory-tables.js';

export class MemoryEffects implements EffectOutbox {
  constructor(private readonly tables: CurrentTables) {}

  async enqueue(subject: string, effects: readonly Effect[]): Promise<void> {
    const tables = this.tables();
    for (const effect of effects) {
      const id = tables.next('effects');
      tables.effects.set(id, { id, subject, effect, attempts: 0, lastError: null, notBefore: null });
    }
  }

  async due(now: Instant, limit: number): Promise<readonly PendingEffect[]> {
    const oldest = new Map<string, MemoryEffect>();
    for (const row of this.tables().effects.values()) {
      const known = oldest.get(row.subject);
      if (known === undefined || row.id < known.id) oldest.set(row.subject, row);
    }
    return [...oldest.values()]
      .filter(({ notBefore }) => notBefore === null || notBefore <= now)
      .sort((a, b) => a.id - b.id)
      .slice(0, limit)
      .map(({ id, effect, attempts, lastError }) => ({ id, effect, attempts, lastError }));
  }

  async done(id: number): Promise<void> {
    this.tables().effects.delete(id);
  }

  async failed(id: number, error: string, notBefore: Instant): Promise<void> {
    const { effects } = this.tables();
    const row = effects.get(id);
    if (row !== undefined) effects.set(id, { ...row, attempts: row.attempts + 1, lastError: error, notBefore });
  }
}

export class MemoryRemovals implements Removals {
  constructor(private readonly tables: CurrentTables) {}

  async removeBatch(target: RemovalTarget, limit: number): ReturnType<Removals['removeBatch']> {
    const tables = this.tables();
    const versions = [...tables.configurationVersions.values()].filter(
      ({ workspaceId }) =>
        workspaceId === target.id || tables.workspaces.get(workspaceId)?.organizationId === target.id,
    );
    const bundleKeys: BundleKey[] = [];
    for (const { id, bundle } of versions.slice(0, limit)) {
      tables.configurationVersions.delete(id);
      tables.ingressAttributes.delete(id);
      dropWhere(tables.runs, (run) => run.configurationVersionId === id);
      if (bundle !== null) bundleKeys.push(bundle.key);
    }
    const finished = versions.length <= limit;
    if (finished) removers[target.kind](tables, target.id);
    return { bundleKeys, finished };
  }
}

function dropWhere<Row>(table: Map<unknown, Row>, isGone: (row: Row) => boolean): void {
  for (const [key, row] of table) if (isGone(row)) table.delete(key);
}

function removeOrganization(tables: MemoryTables, id: OrganizationId): void {
  for (const row of tables.workspaces.values()) if (row.organizationId === id) removeWorkspace(tables, row.id);
  for (const row of tables.teams.values()) if (row.organizationId === id) removeTeam(tables, row.id);
  dropWhere(tables.memberships, (membership) => membership.organizationId === id);
  dropWhere(tables.tokens, ({ owner }) => owner.id === id);
  tables.organizations.delete(id);
  tables.deletions.delete(id);
}

function removeWorkspace(tables: MemoryTables, id: WorkspaceId): void {
  dropWhere(tables.teamWorkspaces, (row) => row.workspaceId === id);
  dropWhere(tables.runs, (run) => run.workspaceId === id);
  tables.sequences.delete(id);
  tables.workspaces.delete(id);
  tables.deletions.delete(id);
}

function removeTeam(tables: MemoryTables, id: TeamId): void {
  dropWhere(tables.tokens, ({ owner }) => owner.id === id);
  tables.teamMembers.delete(id);
  dropWhere(tables.teamWorkspaces, (row) => row.teamId === id);
  tables.teams.delete(id);
  tables.deletions.delete(id);
}

function removeUser(tables: MemoryTables, id: UserId): void {
  dropWhere(tables.tokens, ({ owner }) => owner.id === id);
  dropWhere(tables.memberships, (membership) => membership.userId === id);
  for (const [teamId, members] of tables.teamMembers) {
    tables.teamMembers.set(teamId, new Set([...members].filter((userId) => userId !== id)));
  }
  tables.users.delete(id);
  tables.deletions.delete(id);
}

const removers: Record<RemovalTarget['kind'], (tables: MemoryTables, id: string) => void> = {
  organization: removeOrganization,
  workspace: removeWorkspace,
  team: removeTeam,
  user: removeUser,
};
