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

/**
 * The bindings as given. `present` are the keys that stay. Throws `attribute/invalid` for a malformed or repeated key, a
 * malformed value, and for too many.
 */
export function checkBindings<Binding extends KeyValue>(
  bindings: readonly Binding[],
  at: AtFault,
  present: readonly string[] = [],
): readonly Binding[] {
  const refuse = (sentence: string): never => {
    throw new DomainError('attribute/invalid', sentence, at);
  };
  const keys = bindings.map(({ key }) => key);
  if (!keys.every((key) => keyForm.test(key))) {
    refuse(`Tag keys must be 1 to ${bindingLimits.key} ${characters}`);
  }
  if (keys.some((key) => reserved.test(key))) refuse('Tag keys must not begin with hc: or hcp:');
  if (!bindings.every(({ value }) => valueForm.test(value))) {
    refuse(`Tag values must be at most ${bindingLimits.value} ${characters}`);
  }
  if (new Set(keys).size < keys.length) refuse('Each tag key may be given only once');
  if (new Set([...present, ...keys]).size > bindingLimits.ofOwner) {
    refuse(`There can be at most ${bindingLimits.ofOwner} tag bindings, besides inherited ones`);
  }
  return bindings;
}
