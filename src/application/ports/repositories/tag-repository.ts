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
import type { TagFilter } from './filters.js';
import type { Page, PageRequest } from './page.js';

/** A tag, and how many of the workspaces within the visibility have it. */
export interface CountedTag extends Tag {
  readonly workspaces: number;
}

/** A tag to give to a workspace. The id is that of its name if the organization does not know it yet. */
export type GivenTag = Pick<Tag, 'id' | 'name'>;

/**
 * The names by which workspaces are grouped. A tag is within a visibility if an existing workspace within it has the tag;
 * every other one is missing.
 */
export interface TagRepository {
  /** The standing is the caller's on the organization. The tag is found even if no workspace has it. */
  findFor(actor: Actor, id: TagId): Promise<WithStanding<Tag> | undefined>;
  /** Those of these ids, by name. */
  among(
    organizationId: OrganizationId,
    visibility: WorkspaceVisibility,
    ids: readonly TagId[],
  ): Promise<readonly Tag[]>;
  /** By name. One indexed statement for the page and one for the length. */
  page(
    organizationId: OrganizationId,
    visibility: WorkspaceVisibility,
    page: PageRequest,
    filter?: TagFilter,
  ): Promise<Page<CountedTag>>;
  /** Changes nothing where a workspace has a tag. */
  give(
    organizationId: OrganizationId,
    workspaceIds: readonly WorkspaceId[],
    tags: readonly GivenTag[],
    now: Instant,
  ): Promise<void>;
  /** From one workspace, all tags or those with these names. */
  takeFrom(workspaceId: WorkspaceId, names: 'all' | readonly string[]): Promise<void>;
  /** From every workspace. */
  takeFromAll(ids: readonly TagId[]): Promise<void>;
}

/** The tags with values, of workspaces and projects. Those of deleted owners are missing. */
export interface TagBindingRepository {
  /** By key. */
  of(owner: TagBindingOwner): Promise<readonly TagBinding[]>;
  /** Those that apply to each of these workspaces or projects, by key. One indexed statement. */
  effectiveOf(
    kind: TagBindingOwner['kind'],
    ids: readonly TagBindingOwner['id'][],
  ): Promise<readonly EffectiveTagBinding[]>;
  /** Changes the value where the owner has the key. */
  bind(owner: TagBindingOwner, bindings: readonly TagBinding[]): Promise<void>;
  unbindAll(owner: TagBindingOwner): Promise<void>;
}
