import type { Id } from '../../domain/index.js';

export const idKinds = [
  'organization',
  'membership',
  'user',
  'team',
  'workspace',
  'team-workspace',
  'configuration-version',
  'ingress-attributes',
  'token',
  'bundle',
] as const;

export type IdKind = (typeof idKinds)[number];

/** Identifiers nobody can guess and nobody makes twice. */
export interface IdGenerator {
  next<Kind extends IdKind>(kind: Kind): Id<Kind>;
}
