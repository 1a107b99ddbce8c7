import type { BackingDataChange } from '../../../application/index.js';
import type { PolicyKind, TokenOwner, Unnamed } from '../../../domain/index.js';

/** The names of one kind of resource in a request's `type`. */
export interface TypeName {
  readonly singular: string;
  readonly plural: string;
  /** An alternative name that clients request it by. */
  readonly alias?: string;
  /** How the contract writes it, where that is not the plural alone, and whether it may be missing there. */
  readonly contract?: { readonly words: readonly [string, ...string[]]; readonly required: boolean };
}

/**
 * The few words in which the specification's contract and the clients of this API family differ. Use cases know
 * neither, and only this value decides which one is served.
 */
export interface Dialect {
  readonly name: 'contract' | 'client';
  /** The path it is mounted at, with which its links begin. */
  readonly prefix: string;
  readonly configurationVersionType: string;
  readonly listedTeamTokenType: string;
  /** The types of a run's actor. Clients know no others there, and reject the whole document. */
  readonly runActors: readonly TokenOwner['kind'][];
  /** The names under which the permission on policy mocks is shown. Both are accepted everywhere. */
  readonly mocksAttributes: readonly string[];
  /** The kind of a policy, or of a policy set, whose request names none. */
  readonly unnamedKind: PolicyKind;
  /** Permissions that a request does not name when it makes a grant custom. Clients send only what changed. */
  readonly unnamedPermissions: Unnamed;
  /** The actions of the self-hosted edition that this dialect knows. */
  readonly backingDataActions: readonly { readonly word: string; readonly change: BackingDataChange }[];
  /**
   * Whether it has query parameters that the specification does not have, and refuses those that an operation does not
   * serve and attributes that are nearly its own. The contract ignores all of them.
   */
  readonly refusesParameters: boolean;
  /** The words accepted as a request's `type`, the preferred one first; `undefined` among them allows a missing one. */
  readonly acceptedTypes: (type: TypeName) => readonly (string | undefined)[];
}

export const contract: Dialect = {
  name: 'contract',
  prefix: '',
  configurationVersionType: 'configuration-version',
  listedTeamTokenType: 'team-tokens',
  runActors: ['user', 'team', 'organization'],
  mocksAttributes: ['policy-mocks'],
  unnamedKind: 'opa',
  unnamedPermissions: 'default',
  backingDataActions: [],
  refusesParameters: false,
  acceptedTypes: ({ plural, contract: { words, required } = { words: [plural], required: false } }) =>
    required ? words : [...words, undefined],
};

export const client: Dialect = {
  name: 'client',
  prefix: '/api/v2',
  configurationVersionType: 'configuration-versions',
  listedTeamTokenType: 'authentication-tokens',
  runActors: ['user'],
  mocksAttributes: ['policy-mocks', 'sentinel-mocks'],
  unnamedKind: 'sentinel',
  unnamedPermissions: 'as-implied',
  backingDataActions: [
    { word: 'soft_delete_backing_data', change: 'soft-delete' },
    { word: 'restore_backing_data', change: 'restore' },
    { word: 'permanently_delete_backing_data', change: 'permanently-delete' },
  ],
  refusesParameters: true,
  acceptedTypes: ({ singular, plural, alias = plural }) => [plural, singular, alias, '', undefined],
};

/**
 * In the order in which they are described, and in which their routes are tried. The clients' mount is one router to
 * pass for all other requests: after the other mount's routes, a small request to it takes 15 to 20 % longer.
 */
export const dialects: readonly Dialect[] = [client, contract];

export type Edition = 'self-hosted' | 'hosted';

/** A dialect as an edition serves it. */
export const inEdition = (dialect: Dialect, edition: Edition): Dialect =>
  edition === 'self-hosted' ? dialect : { ...dialect, backingDataActions: [] };
