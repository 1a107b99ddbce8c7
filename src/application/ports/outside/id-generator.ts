import type { Id, UserId } from '../../../domain/index.js';

export const idKinds = [
  'organization',
  'membership',
  'user',
  'team',
  'workspace',
  'variable',
  'team-workspace',
  'configuration-version',
  'ingress-attributes',
  'token',
  'bundle',
  'run',
  'task-stage',
  'policy-evaluation',
  'policy-set-outcome',
  'policy-set',
  'policy',
  'agent-pool',
  'state-version',
  'state-version-output',
  'webhook',
  'instance',
] as const;

export type IdKind = (typeof idKinds)[number];

/** Identifiers nobody can guess and nobody makes twice. */
export interface IdGenerator {
  next<Kind extends IdKind>(kind: Kind): Id<Kind>;
  /**
   * Ids for the user of an e-mail address, without end: always the same ones, in the same order, whatever the case of the
   * address. They look like any other id. Inviting an address again therefore does not show whether a user has it by now,
   * and the ids of its deleted users are passed over.
   */
  ofAddress(email: string): Iterable<UserId>;
}
