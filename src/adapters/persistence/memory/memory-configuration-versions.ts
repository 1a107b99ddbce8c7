import {
  type CommitReport,
  type ConfigurationVersionQueries,
  type ConfigurationVersionRepository,
  type ConfigurationVersionSummary,
  summaryOf,
  type VersionPlace,
} from '../../../application/ports/repositories/configuration-version-repository.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import {
  type Actor,
  ConfigurationVersion,
  type ConfigurationVersionId,
  type IngressAttributes,
  type Instant,
  notFound,
  type WithStanding,
  type WorkspaceId,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { type CurrentTables, checkRevision, pageOf } from './memory-tables.js';

export class MemoryConfigurationVersions implements ConfigurationVersionRepository, ConfigurationVersionQueries {
  constructor(private readonly tables: CurrentTables) {}

  async find(id: ConfigurationVersionId): Promise<ConfigurationVersion | undefined> {
    const state = this.tables().configurationVersion(id);
    return state && ConfigurationVersion.restore(state);
  }

  async findFor(actor: Actor, id: ConfigurationVersionId): Promise<WithStanding<ConfigurationVersion> | undefined> {
    const tables = this.tables();
    const subject = await this.find(id);
    if (subject === undefined) return undefined;
    const workspace = tables.workspace(subject.state.workspaceId);
    if (workspace === undefined) return undefined;
    const standing = standingIn(tables, actor, workspace.organizationId);
    return { subject, standing: standingOn(tables, standing, workspace.id) };
  }

  async findSummaryFor(
    actor: Actor,
    id: ConfigurationVersionId,
  ): Promise<WithStanding<ConfigurationVersionSummary> | undefined> {
    const seen = await this.findFor(actor, id);
    return seen && { ...seen, subject: summaryOf(seen.subject.state) };
  }

  async add({ state }: ConfigurationVersion, becomesCurrent = false): Promise<void> {
    const { id, workspaceId } = state;
    const { workspaces, configurationVersions } = this.tables();
    const workspace = this.tables().workspace(workspaceId);
    if (workspace === undefined) throw notFound();
    if (becomesCurrent) workspaces.set(workspaceId, { ...workspace, currentConfigurationVersionId: id });
    configurationVersions.set(id, state);
  }

  async save({ state }: ConfigurationVersion): Promise<void> {
    checkRevision(this.tables().configurationVersion(state.id), state);
    this.tables().configurationVersions.set(state.id, state);
  }

  async addIngressAttributes(id: ConfigurationVersionId, attributes: IngressAttributes): Promise<void> {
    const { ingressAttributes } = this.tables();
    if (!ingressAttributes.has(id)) ingressAttributes.set(id, attributes);
  }

  async isKnown({ workspaceId, delivery, ...reported }: CommitReport): Promise<boolean> {
    const tables = this.tables();
    if (tables.workspace(workspaceId) === undefined) return false;
    const delivered = delivery === null ? undefined : tables.deliveries.get(deliveryKey(workspaceId, delivery));
    return [...tables.configurationVersions.values()].some(({ id, workspaceId: of, status }) => {
      const commit = tables.ingressAttributes.get(id);
      const isReported =
        commit?.cloneUrl === reported.cloneUrl &&
        commit.branch === reported.branch &&
        commit.commitSha === reported.commitSha &&
        commit.isPullRequest === reported.isPullRequest;
      return of === workspaceId && status !== 'errored' && (id === delivered || isReported);
    });
  }

  async addDelivery(workspaceId: WorkspaceId, delivery: string, id: ConfigurationVersionId): Promise<void> {
    this.tables().deliveries.set(deliveryKey(workspaceId, delivery), id);
  }

  async uploaded(
    before: Instant,
    limit: number,
    after?: VersionPlace,
    workspaceId?: WorkspaceId,
  ): Promise<readonly ConfigurationVersion[]> {
    const tables = this.tables();
    const placeOf = ({ createdAt, id }: VersionPlace) => `${createdAt} ${id}`;
    return [...tables.configurationVersions.values()]
      .filter(({ id, status }) => status === 'uploaded' && tables.configurationVersion(id) !== undefined)
      .filter((state) =>
        workspaceId === undefined
          ? tables.workspace(state.workspaceId)?.retention === null
          : state.workspaceId === workspaceId,
      )
      .filter((state) => state.createdAt < before && (after === undefined || placeOf(state) > placeOf(after)))
      .sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1))
      .slice(0, limit)
      .map((state) => ConfigurationVersion.restore(state));
  }

  async among(ids: readonly ConfigurationVersionId[]): Promise<readonly ConfigurationVersionSummary[]> {
    const tables = this.tables();
    return ids.flatMap((id) => tables.configurationVersion(id) ?? []).map(summaryOf);
  }

  async page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<ConfigurationVersionSummary>> {
    const tables = this.tables();
    const rows = tables.workspace(workspaceId) === undefined ? [] : [...tables.configurationVersions.values()];
    const own = rows.filter((row) => row.workspaceId === workspaceId);
    return pageOf(own.reverse().map(summaryOf), page);
  }

  async ingressAttributes(
    ids: readonly ConfigurationVersionId[],
  ): Promise<ReadonlyMap<ConfigurationVersionId, IngressAttributes>> {
    const tables = this.tables();
    const found = new Map<ConfigurationVersionId, IngressAttributes>();
    for (const id of ids) {
      const attributes = tables.configurationVersion(id) && tables.ingressAttributes.get(id);
      if (attributes !== undefined) found.set(id, attributes);
    }
    return found;
  }
}

const deliveryKey = (workspaceId: WorkspaceId, delivery: string): string => `${workspaceId} ${delivery}`;
