import { invalidAttribute } from '../../shared/domain-error.js';
import { longestSubject } from './identity.js';

/** A group at the identity provider, or the beginning of its name before a `*`: `platform-*`. */
export type GroupPattern = string;

/** Every group. The first organization of a service is given it. */
export const everyGroup: GroupPattern = '*';

/** The largest number of patterns that one organization is given. */
export const maxGroupPatterns = 100;

/** Whether an organization that was given these groups may map this one. */
export const isGiven = (given: readonly GroupPattern[], group: string): boolean =>
  given.some((pattern) =>
    pattern.endsWith('*') ? group.startsWith(pattern.slice(0, -1)) && group !== '' : group === pattern,
  );

/** The patterns without repetition, sorted. Throws `attribute/invalid`. */
export function checkGroupPatterns(patterns: readonly GroupPattern[]): readonly GroupPattern[] {
  const refuse = (sentence: string) => invalidAttribute('ssoGroups', sentence);
  if (patterns.length > maxGroupPatterns) throw refuse(`at most ${maxGroupPatterns} groups can be given`);
  for (const pattern of patterns) {
    if (pattern.trim() === '') throw refuse('a group must not be empty. Give every group with *');
    if (pattern.length > longestSubject) throw refuse(`a group must have at most ${longestSubject} characters`);
    if (pattern.slice(0, -1).includes('*')) throw refuse(`* must be the last character: ${JSON.stringify(pattern)}`);
  }
  return [...new Set(patterns)].sort();
}

/** Throws `attribute/invalid` unless the organization was given the group. */
export function checkGiven(given: readonly GroupPattern[], group: string): void {
  if (isGiven(given, group)) return;
  const which = given.length === 0 ? 'none' : given.join(', ');
  throw invalidAttribute(
    'ssoTeamId',
    `Sso team id must be a group that a site administrator gave this organization: ${which}. Ask a site administrator to give it the group.`,
  );
}
