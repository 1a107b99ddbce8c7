import {
  type AuditedThing,
  type AuditPlace,
  type AuditQuery,
  type AuditSlice,
  type AuditTrail,
  mostLookedAt,
  mostNumbered,
} from '../../../application/ports/repositories/audit-trail.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import {
  type AuditEvent,
  auditEventId,
  auditIdsFrom,
  type Instant,
  type NewAuditEvent,
  type OrganizationId,
  type WorkspaceId,
} from '../../../domain/index.js';
import { byText, type CurrentTables, pageOf } from './memory-tables.js';

export class MemoryAuditTrail implements AuditTrail {
  constructor(
    private readonly tables: CurrentTables,
    private readonly now: () => Instant,
    private readonly changed: (id: WorkspaceId) => void,
  ) {}

  async add(event: NewAuditEvent, place: AuditPlace): Promise<void> {
    const tables = this.tables();
    const at = this.now();
    const id = auditEventId(at, String(tables.next('audit-events')).padStart(16, '0'));
    tables.auditEvents.set(id, { ...event, id, at, organizationId: this.organizationAt(place) });
    if (place !== 'site' && place.workspaceId !== undefined) this.changed(place.workspaceId);
  }

  async organizationOf({ kind, id }: AuditedThing): Promise<OrganizationId | undefined> {
    const tables = this.tables();
    const ofWorkspace = (workspaceId = '') => tables.workspaces.get(workspaceId)?.organizationId;
    const ofRun = (runId = '') => ofWorkspace(tables.runs.get(runId)?.workspaceId);
    const ways: Readonly<Record<AuditedThing['kind'], () => OrganizationId | undefined>> = {
      organizations: () =>
        [...tables.organizations.values()].find((row) => row.name === id && tables.organization(row.id))?.id,
      workspaces: () => ofWorkspace(id),
      projects: () => tables.projects.get(id)?.organizationId,
      teams: () => tables.teams.get(id)?.organizationId,
      'team-workspaces': () => ofWorkspace(tables.teamWorkspaces.get(id)?.workspaceId),
      'team-projects': () => tables.projects.get(tables.teamProjects.get(id)?.projectId ?? '')?.organizationId,
      'organization-memberships': () => tables.memberships.get(id)?.organizationId,
      'authentication-tokens': () => {
        const owner = tables.tokens.get(id)?.owner;
        return owner?.kind === 'team' ? tables.teams.get(owner.id)?.organizationId : undefined;
      },
      'configuration-versions': () => ofWorkspace(tables.configurationVersions.get(id)?.workspaceId),
      runs: () => ofRun(id),
      'state-versions': () => ofWorkspace(tables.stateVersions.get(id)?.workspaceId),
      'task-stages': () => ofRun(tables.taskStages.get(id)?.runId),
      'task-results': () => {
        const stages = [...tables.taskStages.values()];
        return ofRun(stages.find(({ results }) => results.some((result) => result.id === id))?.runId);
      },
      tasks: () => tables.runTasks.get(id)?.organizationId,
      'policy-sets': () => tables.policySets.get(id)?.organizationId,
      'policy-set-versions': () => tables.policySetVersions.get(id)?.organizationId,
      policies: () => tables.policies.get(id)?.organizationId,
      tags: () => tables.tags.get(id)?.organizationId,
      varsets: () => tables.variableSets.get(id)?.organizationId,
      'agent-pools': () => tables.agentPools.get(id)?.organizationId ?? undefined,
    };
    return ways[kind]();
  }

  async slice(query: AuditQuery, after: string | undefined, limit: number): Promise<AuditSlice> {
    const trail = this.trailOf(query).sort(byText(({ id }) => id));
    const ordered = query.oldestFirst ? trail : trail.reverse();
    const beyond = ordered.filter(({ id }) => after === undefined || (query.oldestFirst ? id > after : id < after));
    const filtered = query.actorId !== undefined || query.action !== undefined;
    const looked = filtered ? beyond.slice(0, mostLookedAt) : beyond;
    const found = looked.filter(
      ({ actor, action }) => actor.id === (query.actorId ?? actor.id) && action === (query.action ?? action),
    );
    if (found.length > limit) return { items: found.slice(0, limit), last: found[limit - 1]?.id };
    return { items: found, last: looked.length < beyond.length ? looked.at(-1)?.id : undefined };
  }

  async page(organizationId: OrganizationId, since: Instant | undefined, page: PageRequest): Promise<Page<AuditEvent>> {
    const of = { organizationId };
    const trail = this.trailOf({ of, since, until: undefined }).sort(byText(({ id }) => id));
    return pageOf(trail.reverse().slice(0, mostNumbered), page);
  }

  settledBefore(): undefined {}

  async forget(before: Instant, limit: number): Promise<number> {
    const { auditEvents } = this.tables();
    const old = [...auditEvents.keys()].filter((id) => id < auditIdsFrom(before)).sort();
    for (const id of old.slice(0, limit)) auditEvents.delete(id);
    return Math.min(old.length, limit);
  }

  private trailOf({ of, since, until }: Pick<AuditQuery, 'of' | 'since' | 'until'>): AuditEvent[] {
    const tables = this.tables();
    const events = [...tables.auditEvents.values()].filter(
      ({ id }) =>
        (since === undefined || id >= auditIdsFrom(since)) && (until === undefined || id < auditIdsFrom(until)),
    );
    if (of === 'site') return events.filter(({ organizationId }) => organizationId === null);
    if ('organizationId' in of) return events.filter(({ organizationId }) => organizationId === of.organizationId);
    if (tables.organization(of.removed) !== undefined) return [];
    return events.filter(({ organizationId }) => organizationId === of.removed);
  }

  private organizationAt(place: AuditPlace): OrganizationId | null {
    if (place === 'site') return null;
    if ('organizationId' in place) return place.organizationId;
    return this.tables().workspaces.get(place.workspaceId)?.organizationId ?? null;
  }
}
