import { type AtFault, DomainError } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, TagId } from '../../shared/id.js';

/** A name by which workspaces are grouped. The organization has it as long as one of its workspaces does. */
export interface Tag {
  readonly id: TagId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  readonly name: string;
  /** When a workspace of the organization first had it. */
  readonly createdAt: Instant;
}

/** Each workspace shows the names of all its tags. */
export const maxTags = 100;

const wellFormed = /^[a-z0-9](?:[a-z0-9_:-]{0,253}[a-z0-9])?$/;

/** The form in which a name is stored and searched. */
export const tagNameOf = (name: string): string => name.toLowerCase();

const invalid = (at: AtFault, sentence: string) => new DomainError('attribute/invalid', sentence, at);

/** The names to store, sorted and each once. Throws `attribute/invalid` for a malformed one, and for too many. */
export function checkTagNames(names: readonly string[], at: AtFault): readonly string[] {
  const stored = [...new Set(names.map(tagNameOf))].sort();
  const malformed = stored.find((name) => !wellFormed.test(name));
  if (malformed !== undefined) {
    throw invalid(
      at,
      'Tag names must be 1 to 255 letters, digits, colons, hyphens and underscores, and begin and end with a letter or digit',
    );
  }
  if (stored.length > maxTags) throw invalid(at, `A workspace can have at most ${maxTags} tags`);
  return stored;
}
