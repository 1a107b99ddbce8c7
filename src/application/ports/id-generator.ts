import type { Id } from '../../domain/index.js';

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
}
