import type { Id, UserId } from '../../../domain/index.js';

export const idKinds = [
  'organization',
  'membership',
  'user',
  'team',
  'project',
  'workspace',
  'tag',
  'tag-binding',
  'variable',
  'variable-set',
  'data-retention-policy',
  'team-workspace',
  'team-project',
  'configuration-version',
  'ingress-attributes',
  'token',
  'identity',
  'session',
  'bundle',
  'run',
  'run-comment',
  'task-stage',
  'task-result',
  'run-task',
  'workspace-task',
  'policy-evaluation',
  'policy-set-outcome',
  'policy-set',
  'policy-set-version',
  'policy-set-parameter',
  'policy',
  'agent-pool',
  'state-version',
  'state-version-output',
  'webhook',
  'instance',
] as const;

export type IdKind = (typeof idKinds)[number];

/** Unique, unguessable identifiers. */
export interface IdGenerator {
  next<Kind extends IdKind>(kind: Kind): Id<Kind>;
  /**
   * An endless sequence of ids for the user of an email address: always the same ids in the same order, regardless of
   * the address's case. They look like any other id. Inviting an address again therefore does not reveal whether a user
   * with it exists by now, and the ids of its deleted users are skipped.
   */
  ofAddress(email: string): Iterable<UserId>;
}
