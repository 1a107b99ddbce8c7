import { sealPrefix } from '../../../application/ports/outside/secret-box.js';
import { caseless, hasPart, type WorkspaceFilter } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type {
  StateConsumersChange,
  WorkspaceOfRun,
  WorkspaceRepository,
} from '../../../application/ports/repositories/workspace-repository.js';
import { runStanding } from '../../../domain/authorization/actor.js';
import {
  type Actor,
  type AgentPoolId,
  alreadyTaken,
  type ConfigurationVersionId,
  executionOf,
  type Instant,
  type KeyValue,
  later,
  type OrganizationId,
  type ProjectId,
  type Standing,
  type TeamId,
  tagNameOf,
  type WebhookId,
  type WithStanding,
  type Workspace,
  type WorkspaceId,
  type WorkspaceVisibility,
} from '../../../domain/index.js';
import { currentRunOf } from './memory-runs.js';
import { standingIn, standingOn } from './memory-standing.js';
import { currentStateOf } from './memory-state-versions.js';
import { byText, type CurrentTables, checkRevision, compare, inOrder, pageOf, present } from './memory-tables.js';
import { effectiveBindingsOf } from './memory-tags.js';

/** Whether a name is as the wildcard says, in which an asterisk stands for any text. */
function fits(name: string, wildcard: string): boolean {
  const [first = '', ...others] = caseless(wildcard).split('*');
  const last = others.pop();
  if (last === undefined) return caseless(name) === first;
  if (!caseless(name).startsWith(first)) return false;
  let rest = caseless(name).slice(first.length);
  for (const part of others) {
    const at = rest.indexOf(part);
    if (at < 0) return false;
    rest = rest.slice(at + part.length);
  }
  return rest.endsWith(last);
}

export class MemoryWorkspaces implements WorkspaceRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: WorkspaceId): Promise<WithStanding<Workspace> | undefined> {
    return this.seen(actor, this.tables().workspace(id));
  }

  async findIdFor(actor: Actor, id: WorkspaceId): Promise<WithStanding<WorkspaceId> | undefined> {
    const seen = await this.findFor(actor, id);
    return seen && { ...seen, subject: id };
  }

  async findByNameFor(
    actor: Actor,
    organizationName: string,
    name: string,
  ): Promise<WithStanding<Workspace> | undefined> {
    const named = (workspace: Workspace) => workspace.name === name && workspace.organizationName === organizationName;
    return this.seen(actor, this.living().find(named));
  }

  async find(id: WorkspaceId): Promise<Workspace | undefined> {
    return this.tables().workspace(id);
  }

  async findByWebhook(id: WebhookId): Promise<Workspace | undefined> {
    return this.living().find(({ repository }) => repository?.webhookId === id);
  }

  async sealedOtherwise(fingerprint: string, after: WorkspaceId, limit: number): Promise<readonly Workspace[]> {
    const otherwise = ({ id, repository }: Workspace) =>
      repository !== null && id > after && !repository.sealedWebhookKey.startsWith(sealPrefix(fingerprint));
    return this.living()
      .filter(otherwise)
      .sort(byText(({ id }) => id))
      .slice(0, limit);
  }

  async add(workspace: Workspace): Promise<void> {
    this.checkName(workspace);
    this.tables().workspaces.set(workspace.id, workspace);
  }

  async save(workspace: Workspace): Promise<void> {
    const stored = this.tables().workspace(workspace.id);
    checkRevision(stored, workspace);
    this.checkName(workspace);
    const currentConfigurationVersionId = stored?.currentConfigurationVersionId ?? null;
    const source = stored?.source ?? workspace.source;
    this.tables().workspaces.set(workspace.id, { ...workspace, currentConfigurationVersionId, source });
  }

  async moveTo(projectId: ProjectId, ids: readonly WorkspaceId[], now: Instant): Promise<void> {
    const { workspaces } = this.tables();
    for (const workspace of await this.among(ids)) {
      const moved = { ...workspace, projectId, updatedAt: now, revision: workspace.revision + 1 };
      workspaces.set(workspace.id, moved);
    }
  }

  async remove(id: WorkspaceId, now: Instant): Promise<void> {
    this.tables().delete(id, now);
  }

  async promote(id: WorkspaceId, versionId: ConfigurationVersionId): Promise<void> {
    const { workspaces, configurationVersions } = this.tables();
    const workspace = workspaces.get(id);
    if (workspace === undefined) return;
    const byAge = [...configurationVersions.keys()];
    const current = workspace.currentConfigurationVersionId;
    if (current !== null && byAge.indexOf(current) > byAge.indexOf(versionId)) return;
    workspaces.set(id, { ...workspace, currentConfigurationVersionId: versionId });
  }

  /** Nothing to wait for: one transaction runs at a time. */
  async lockRow(): Promise<void> {}

  async visibleAmong(
    organizationId: OrganizationId,
    ids: readonly WorkspaceId[],
    visibility: WorkspaceVisibility,
  ): Promise<readonly WorkspaceId[]> {
    const living = this.living(organizationId).filter((workspace) => ids.includes(workspace.id));
    const visible = living.filter((workspace) => this.isVisible(visibility, workspace));
    return visible.map(({ id }) => id).sort();
  }

  async among(ids: readonly WorkspaceId[]): Promise<readonly Workspace[]> {
    return this.living().filter(({ id }) => ids.includes(id));
  }

  async seenAmong(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    ids: readonly WorkspaceId[],
  ): Promise<readonly WithStanding<Workspace>[]> {
    return this.seenWhere(organizationId, standing, visibility, ({ id }) => ids.includes(id));
  }

  async using(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    poolIds: readonly AgentPoolId[],
  ): Promise<readonly WithStanding<Workspace>[]> {
    return this.seenWhere(organizationId, standing, visibility, (workspace) => {
      const { agentPoolId } = executionOf(workspace);
      return agentPoolId !== null && poolIds.includes(agentPoolId);
    });
  }

  private seenWhere(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    wanted: (workspace: Workspace) => boolean,
  ): readonly WithStanding<Workspace>[] {
    return this.living(organizationId)
      .filter((workspace) => wanted(workspace) && this.isVisible(visibility, workspace))
      .map((subject) => ({ subject, standing: standingOn(this.tables(), standing, subject.id) }));
  }

  async page(
    organizationId: OrganizationId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    {
      search,
      wildcard = '*',
      projectId,
      tags = [],
      excludedTags = [],
      bindings = [],
      currentRun,
      sort,
    }: WorkspaceFilter = {},
  ): Promise<Page<WithStanding<Workspace>>> {
    const tables = this.tables();
    const current = ({ id }: Workspace) => currentRunOf(tables, id);
    const namesAmong = ({ id, tagNames }: Workspace, names: readonly string[]) => {
      const keys = new Set(effectiveBindingsOf(tables, id).map(({ key }) => key));
      const has = (name: string) => tagNames.includes(tagNameOf(name)) || keys.has(name);
      return new Set(names.filter(has).map(tagNameOf));
    };
    const isBound = ({ id }: Workspace, wanted: Partial<KeyValue>) =>
      effectiveBindingsOf(tables, id).some(
        ({ key, value }) => key === (wanted.key ?? key) && value === (wanted.value ?? value),
      );
    const matches = (workspace: Workspace) => {
      const status = currentRun && current(workspace)?.status;
      return (
        hasPart(workspace.name, search) &&
        fits(workspace.name, wildcard) &&
        (projectId === undefined || workspace.projectId === projectId) &&
        namesAmong(workspace, tags).size === new Set(tags.map(tagNameOf)).size &&
        namesAmong(workspace, excludedTags).size === 0 &&
        bindings.every((wanted) => isBound(workspace, wanted)) &&
        (currentRun === undefined || (status !== undefined && currentRun.includes(status)))
      );
    };
    const changedAt = ({ id, createdAt }: Workspace) => currentStateOf(tables, id)?.createdAt ?? createdAt;
    const text = (workspace: Workspace) =>
      sort?.key === 'latest-change-at' ? changedAt(workspace) : current(workspace)?.createdAt;
    const sorted = inOrder(this.living(organizationId).filter(matches), (workspace) => text(workspace) ?? '', sort);
    const last = (workspace: Workspace) => sort?.key === 'current-run.created-at' && text(workspace) === undefined;
    return this.pageAmong([...sorted.filter((one) => !last(one)), ...sorted.filter(last)], standing, visibility, page);
  }

  async stateConsumers(
    id: WorkspaceId,
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Promise<Page<WithStanding<Workspace>>> {
    const consumers = this.tables().stateConsumers.get(id) ?? new Set();
    return this.pageAmong(
      this.living().filter((workspace) => consumers.has(workspace.id)),
      standing,
      visibility,
      page,
    );
  }

  async dueForDestruction(now: Instant, limit: number): Promise<readonly WorkspaceId[]> {
    const at = ({ autoDestroy }: Workspace) => autoDestroy?.at ?? undefined;
    const due = this.living().filter((workspace) => (at(workspace) ?? later(now, 1)) <= now);
    const sorted = due.sort(byText((workspace) => `${at(workspace)} ${workspace.id}`));
    return sorted.slice(0, limit).map(({ id }) => id);
  }

  async findForRun(readerId: WorkspaceId, sought: WorkspaceOfRun): Promise<WithStanding<Workspace> | undefined> {
    const tables = this.tables();
    const found = this.living(tables.workspace(readerId)?.organizationId ?? '').find((workspace) =>
      'id' in sought
        ? workspace.id === sought.id
        : workspace.name === sought.name && workspace.organizationName === sought.organizationName,
    );
    if (found === undefined) return undefined;
    const named = tables.stateConsumers.get(found.id)?.has(readerId) === true;
    return { subject: found, standing: runStanding(found.globalRemoteState || named) };
  }

  async retaining(after: WorkspaceId, limit: number): Promise<readonly Workspace[]> {
    const tables = this.tables();
    const living = present([...tables.workspaces.keys()].map((id) => tables.workspace(id)));
    const retaining = living.filter(({ id, retention }) => id > after && retention !== null && retention.days !== null);
    return retaining.sort((a, b) => compare(a.id, b.id)).slice(0, limit);
  }

  async changeStateConsumers(id: WorkspaceId, { removed, added }: StateConsumersChange): Promise<void> {
    const tables = this.tables();
    const { stateConsumers } = tables;
    const isRemoved = (one: WorkspaceId): boolean => {
      if (removed === 'all') return true;
      if (!('throughTeams' in removed)) return removed.includes(one);
      return removed.throughTeams.some((teamId) => tables.hasAccess(teamId, one));
    };
    const kept = [...(stateConsumers.get(id) ?? [])].filter((one) => !isRemoved(one));
    const consumers = new Set([...kept, ...added]);
    if (consumers.size === 0) stateConsumers.delete(id);
    else stateConsumers.set(id, consumers);
  }

  private pageAmong(
    among: readonly Workspace[],
    standing: Standing,
    visibility: WorkspaceVisibility,
    page: PageRequest,
  ): Page<WithStanding<Workspace>> {
    const tables = this.tables();
    const found = pageOf(
      among.filter((workspace) => this.isVisible(visibility, workspace)),
      page,
    );
    const items = found.items.map((subject) => ({ subject, standing: standingOn(tables, standing, subject.id) }));
    return { ...found, items };
  }

  private isVisible(visibility: WorkspaceVisibility, { id }: Workspace): boolean {
    const granted = (teamId: TeamId) => this.tables().hasAccess(teamId, id);
    return visibility === 'all' || visibility.throughTeams.some(granted);
  }

  private seen(actor: Actor, subject: Workspace | undefined): WithStanding<Workspace> | undefined {
    const tables = this.tables();
    if (subject === undefined) return undefined;
    const standing = standingIn(tables, actor, subject.organizationId);
    return { subject, standing: standingOn(tables, standing, subject.id) };
  }

  /** By name. */
  private living(organizationId?: OrganizationId): readonly Workspace[] {
    const tables = this.tables();
    const rows = [...tables.workspaces.values()].filter(
      (row) => organizationId === undefined || row.organizationId === organizationId,
    );
    return present(rows.map(({ id }) => tables.workspace(id))).sort(byText(({ name }) => name.toLowerCase()));
  }

  private checkName({ id, organizationId, name }: Workspace): void {
    const others = this.living(organizationId);
    if (others.some((other) => other.name === name && other.id !== id)) throw alreadyTaken('name', 'Name');
  }
}
