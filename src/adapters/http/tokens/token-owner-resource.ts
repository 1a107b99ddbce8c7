import type { TokenOwner } from '../../../domain/index.js';
import type { ResourceBuilder } from '../routing/resource.js';
import { toManySchema, toOneSchema } from '../routing/resource-schema.js';

export const ownerTypes = {
  user: 'users',
  team: 'teams',
  organization: 'organizations',
  auditor: 'organizations',
} as const satisfies Record<TokenOwner['kind'], string>;

const identifierOf = ({ kind, id }: TokenOwner) => ({ id, type: ownerTypes[kind] });

/** Every kind of owner that a token can have; null for none. */
export const ownerSchema = toOneSchema([...new Set(Object.values(ownerTypes))], { nullable: true });

export const presentOwner = (owner: TokenOwner | null) => ({ data: owner && identifierOf(owner) });

const creatorsSchema = toManySchema(Object.values(ownerTypes));

/** For a change that named an agent pool. */
export const poolTokenCreators = ({ attribute, optional }: ResourceBuilder, owners: readonly TokenOwner[]) =>
  optional(
    attribute(creatorsSchema, { data: owners.map(identifierOf) }),
    'The users, other than the caller, who issued tokens of the agent pool in the request. Their agents can execute runs of the workspace.',
  );
