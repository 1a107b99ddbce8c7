import { hasPart, type TagFilter } from '../../../application/ports/repositories/filters.js';
import type { Page, PageRequest } from '../../../application/ports/repositories/page.js';
import type {
  CountedTag,
  GivenTag,
  TagBindingRepository,
  TagRepository,
} from '../../../application/ports/repositories/tag-repository.js';
import type {
  Actor,
  EffectiveTagBinding,
  Instant,
  OrganizationId,
  Tag,
  TagBinding,
  TagBindingOwner,
  TagId,
  WithStanding,
  WorkspaceId,
  WorkspaceVisibility,
} from '../../../domain/index.js';
import { standingIn } from './memory-standing.js';
import { byText, type CurrentTables, type MemoryTables, pageOf, present } from './memory-tables.js';

const byName = byText<Tag>(({ name }) => name);
const byKey = byText<TagBinding>(({ key }) => key);

export class MemoryTags implements TagRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, id: TagId): Promise<WithStanding<Tag> | undefined> {
    const tables = this.tables();
    const subject = this.tag(id);
    return subject && { subject, standing: standingIn(tables, actor, subject.organizationId) };
  }

  async among(
    organizationId: OrganizationId,
    visibility: WorkspaceVisibility,
    ids: readonly TagId[],
  ): Promise<readonly Tag[]> {
    return this.within(organizationId, visibility).filter(({ id }) => ids.includes(id));
  }

  async page(
    organizationId: OrganizationId,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    { search, workspaceId, exceptWorkspaceId }: TagFilter = {},
  ): Promise<Page<CountedTag>> {
    const users = new Map(
      this.within(organizationId, visibility).map((tag) => [tag, usersOf(this.tables(), tag.id, visibility)]),
    );
    const listed = [...users].filter(
      ([{ name }, ids]) =>
        hasPart(name, search) &&
        (workspaceId === undefined || ids.includes(workspaceId)) &&
        (exceptWorkspaceId === undefined || !ids.includes(exceptWorkspaceId)),
    );
    return pageOf(
      listed.map(([tag, { length }]) => ({ ...tag, workspaces: length })),
      page,
    );
  }

  async give(
    organizationId: OrganizationId,
    workspaceIds: readonly WorkspaceId[],
    tags: readonly GivenTag[],
    now: Instant,
  ): Promise<void> {
    const tables = this.tables();
    const ids = tags.map(({ id, name }) => {
      const known = [...tables.tags.values()].find((tag) => tag.organizationId === organizationId && tag.name === name);
      if (known !== undefined) return known.id;
      tables.tags.set(id, { id, organizationId, organizationName: '', name, createdAt: now });
      return id;
    });
    for (const workspaceId of workspaceIds) {
      tables.workspaceTags.set(workspaceId, new Set([...(tables.workspaceTags.get(workspaceId) ?? []), ...ids]));
    }
  }

  async takeFrom(workspaceId: WorkspaceId, names: 'all' | readonly string[]): Promise<void> {
    const { tags } = this.tables();
    this.keep(workspaceId, (id) => names !== 'all' && !names.includes(tags.get(id)?.name ?? ''));
  }

  async takeFromAll(ids: readonly TagId[]): Promise<void> {
    for (const workspaceId of this.tables().workspaceTags.keys()) this.keep(workspaceId, (id) => !ids.includes(id));
  }

  private keep(workspaceId: WorkspaceId, isKept: (id: TagId) => boolean): void {
    const { workspaceTags } = this.tables();
    workspaceTags.set(workspaceId, new Set([...(workspaceTags.get(workspaceId) ?? [])].filter(isKept)));
  }

  private tag(id: TagId): Tag | undefined {
    const tables = this.tables();
    const tag = tables.tags.get(id);
    const organization = tag && tables.organization(tag.organizationId);
    return organization && { ...tag, organizationName: organization.name };
  }

  private within(organizationId: OrganizationId, visibility: WorkspaceVisibility): readonly Tag[] {
    const tables = this.tables();
    return present([...tables.tags.keys()].map((id) => this.tag(id)))
      .filter((tag) => tag.organizationId === organizationId && usersOf(tables, tag.id, visibility).length > 0)
      .sort(byName);
  }
}

/** The workspaces within the visibility that have the tag. */
function usersOf(tables: MemoryTables, tagId: TagId, visibility: WorkspaceVisibility): readonly WorkspaceId[] {
  const isVisible = (id: WorkspaceId) =>
    visibility === 'all' || visibility.throughTeams.some((teamId) => tables.hasAccess(teamId, id));
  const users = [...tables.workspaceTags].filter(([, ids]) => ids.has(tagId)).map(([workspaceId]) => workspaceId);
  return users.filter((id) => tables.workspace(id) !== undefined && isVisible(id));
}

export class MemoryTagBindings implements TagBindingRepository {
  constructor(private readonly tables: CurrentTables) {}

  async of({ kind, id }: TagBindingOwner): Promise<readonly TagBinding[]> {
    const tables = this.tables();
    const lives = kind === 'workspace' ? tables.workspace(id) : tables.project(id);
    return lives === undefined ? [] : ownBindings(tables, id);
  }

  async effectiveOf(workspaceIds: readonly WorkspaceId[]): Promise<readonly EffectiveTagBinding[]> {
    const tables = this.tables();
    return workspaceIds.toSorted().flatMap((id) => effectiveBindingsOf(tables, id));
  }

  async bind(_: TagBindingOwner, bindings: readonly TagBinding[]): Promise<void> {
    const { tagBindings } = this.tables();
    for (const binding of bindings) {
      const { owner, key, value } = binding;
      const bound = [...tagBindings.values()].find((other) => other.owner.id === owner.id && other.key === key);
      tagBindings.set(bound?.id ?? binding.id, { ...(bound ?? binding), value });
    }
  }

  async unbindAll(owner: TagBindingOwner): Promise<void> {
    for (const { id } of await this.of(owner)) this.tables().tagBindings.delete(id);
  }
}

const ownBindings = (tables: MemoryTables, ownerId: string): readonly TagBinding[] =>
  [...tables.tagBindings.values()].filter(({ owner }) => owner.id === ownerId).sort(byKey);

/** By key. */
export function effectiveBindingsOf(tables: MemoryTables, workspaceId: WorkspaceId): readonly EffectiveTagBinding[] {
  const workspace = tables.workspace(workspaceId);
  if (workspace === undefined) return [];
  const own = ownBindings(tables, workspaceId);
  const inherited = ownBindings(tables, workspace.projectId).filter(
    ({ key }) => !own.some((binding) => binding.key === key),
  );
  return [...own, ...inherited].sort(byKey).map(({ id, owner, key, value }) => ({
    id,
    workspaceId,
    inheritedFrom: owner.kind === 'project' ? owner.id : null,
    key,
    value,
  }));
}
