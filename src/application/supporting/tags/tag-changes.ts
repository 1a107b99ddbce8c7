import {
  type Actor,
  type AtFault,
  authorizedView,
  DomainError,
  type KeyValue,
  type OrganizationId,
  type TagBinding,
  type TagBindingOwner,
  type TagId,
  type Workspace,
  workspaceVisibility,
} from '../../../domain/index.js';
import { checkTagNames } from '../../../domain/supporting/tags/tag.js';
import { checkBindings } from '../../../domain/supporting/tags/tag-binding.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { IdGenerator } from '../../ports/outside/id-generator.js';
import type { GivenTag } from '../../ports/repositories/tag-repository.js';
import type { Transaction } from '../../ports/repositories/unit-of-work.js';

/** The two references to a tag in the API. */
export type TagReference = { readonly id: TagId } | { readonly name: string };

/** The tags that a new or changed workspace is to have. Unnamed ones stay as they are. */
export interface WantedTags {
  readonly tagNames?: readonly string[];
  /** The same, in place of `tagNames`. */
  readonly tags?: readonly TagReference[];
  readonly tagBindings?: readonly KeyValue[];
}

interface Place {
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
}

/**
 * The names to store. Throws `attribute/invalid` for a malformed one, and for the id of a tag that no workspace has which
 * the caller may read.
 */
export async function namesOf(
  tx: Transaction<'organizations' | 'tags'>,
  actor: Actor,
  { organizationId, organizationName }: Place,
  references: readonly TagReference[],
  at: AtFault,
): Promise<readonly string[]> {
  const ids = [...new Set(references.flatMap((one) => ('id' in one ? one.id : [])))];
  const names = references.flatMap((one) => ('name' in one ? one.name : []));
  if (ids.length === 0) return checkTagNames(names, at);
  const { standing } = authorizedView(await tx.organizations.findFor(actor, organizationName), 'organizations/read');
  const found = await tx.tags.among(organizationId, workspaceVisibility(standing), ids);
  if (found.length < ids.length) throw unknownTag(at);
  return checkTagNames([...names, ...found.map(({ name }) => name)], at);
}

export const unknownTag = (at: AtFault): DomainError =>
  new DomainError('attribute/invalid', 'Tags must be tags of the organization', at);

/** Writes the tags and bindings of workspaces. */
export class TagChanges {
  constructor(
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
  ) {}

  /** Ids for tags that the organization may not know yet. */
  given(names: readonly string[]): readonly GivenTag[] {
    return names.map((name) => ({ id: this.ids.next('tag'), name }));
  }

  give(
    tx: Transaction<'tags'>,
    organizationId: OrganizationId,
    workspaceIds: readonly string[],
    names: readonly string[],
  ): Promise<void> {
    return tx.tags.give(organizationId, workspaceIds, this.given(names), this.clock.now());
  }

  bindings(owner: TagBindingOwner, organizationId: OrganizationId, wanted: readonly KeyValue[]): readonly TagBinding[] {
    return wanted.map(({ key, value }) => ({
      id: this.ids.next('tag-binding'),
      organizationId,
      owner,
      key,
      value,
      createdAt: this.clock.now(),
    }));
  }

  /** The workspace with the names that `write` then stores. */
  async wantedBy(
    tx: Transaction<'organizations' | 'tags'>,
    actor: Actor,
    workspace: Workspace,
    { tagNames, tags }: WantedTags,
  ): Promise<Workspace> {
    const references = tags ?? tagNames?.map((name) => ({ name }));
    if (references === undefined) return workspace;
    const at = tags === undefined ? { attribute: 'tagNames' } : { relationship: 'tags' };
    return { ...workspace, tagNames: await namesOf(tx, actor, workspace, references, at) };
  }

  /** Replaces what is wanted otherwise. A new workspace has nothing to remove. */
  async write(
    tx: Transaction<'tags' | 'tagBindings'>,
    workspace: Workspace,
    { tagNames, tags, tagBindings }: WantedTags,
    { isNew }: { readonly isNew: boolean },
  ): Promise<void> {
    const { id, organizationId } = workspace;
    if (tagNames !== undefined || tags !== undefined) {
      if (!isNew) await tx.tags.takeFrom(id, 'all');
      await this.give(tx, organizationId, [id], workspace.tagNames);
    }
    await this.writeBindings(tx, { kind: 'workspace', id }, organizationId, tagBindings, { isNew });
  }

  async writeBindings(
    tx: Transaction<'tagBindings'>,
    owner: TagBindingOwner,
    organizationId: OrganizationId,
    wanted: readonly KeyValue[] | undefined,
    { isNew }: { readonly isNew: boolean },
  ): Promise<void> {
    if (wanted === undefined) return;
    checkBindings(wanted, { relationship: 'tagBindings' });
    if (!isNew) await tx.tagBindings.unbindAll(owner);
    await tx.tagBindings.bind(owner, this.bindings(owner, organizationId, wanted));
  }
}
