import { type AtFault, DomainError } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, ProjectId, TagBindingId, WorkspaceId } from '../../shared/id.js';

/** A tag with a value, which may be empty. */
export interface KeyValue {
  readonly key: string;
  readonly value: string;
}

/** The resource that a key is bound to. */
export type TagBindingOwner =
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'project'; readonly id: ProjectId };

export interface TagBinding extends KeyValue {
  readonly id: TagBindingId;
  readonly organizationId: OrganizationId;
  readonly owner: TagBindingOwner;
  readonly createdAt: Instant;
}

/**
 * A binding that applies to a workspace: its own, or one of its project whose key it has not bound itself. To a project,
 * its own apply.
 */
export interface EffectiveTagBinding extends KeyValue {
  readonly id: TagBindingId;
  readonly appliesTo: TagBindingOwner['id'];
  /** Null for its own. */
  readonly inheritedFrom: ProjectId | null;
}

/** Lists of bindings are not paginated; the limit bounds them. */
export const bindingLimits = { ofOwner: 10, key: 128, value: 256 } as const;

const characters = 'letters, digits and the characters _ . = + - @ :';
const keyForm = /^[A-Za-z0-9_.=+@:-]{1,128}$/;
const valueForm = /^[A-Za-z0-9_.=+@:-]{0,256}$/;
const reserved = /^hcp?:/;

const refused = (sentence: string, at: AtFault): DomainError => new DomainError('attribute/invalid', sentence, at);

/** Throws `attribute/invalid` for a malformed key or value. */
export function checkKeyValues(given: readonly KeyValue[], at: AtFault): void {
  if (!given.every(({ key }) => keyForm.test(key))) {
    throw refused(`Tag keys must be 1 to ${bindingLimits.key} ${characters}`, at);
  }
  if (given.some(({ key }) => reserved.test(key))) throw refused('Tag keys must not begin with hc: or hcp:', at);
  if (!given.every(({ value }) => valueForm.test(value))) {
    throw refused(`Tag values must be at most ${bindingLimits.value} ${characters}`, at);
  }
}

/**
 * The bindings as given. `present` are the keys that stay. Throws `attribute/invalid` for a malformed or repeated key, a
 * malformed value, and for too many.
 */
export function checkBindings<Binding extends KeyValue>(
  bindings: readonly Binding[],
  at: AtFault,
  present: readonly string[] = [],
): readonly Binding[] {
  checkKeyValues(bindings, at);
  const keys = bindings.map(({ key }) => key);
  if (new Set(keys).size < keys.length) throw refused('Each tag key may be given only once', at);
  if (new Set([...present, ...keys]).size > bindingLimits.ofOwner) {
    throw refused(`There can be at most ${bindingLimits.ofOwner} tag bindings, besides inherited ones`, at);
  }
  return bindings;
}
