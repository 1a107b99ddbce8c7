import type { Id, UserId } from '../../domain/index.js';

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
   * The id of the user of an e-mail address: always the same for one address, whatever its case, and like any other to who
   * does not know the secrets of the service. So inviting an address again does not show whether a user has it by now.
   */
  ofAddress(email: string): UserId;
}
