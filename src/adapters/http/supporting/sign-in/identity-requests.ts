import type { NewIdentity } from '../../../../application/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { parameter } from '../../routing/route.js';
import { reading, resourceDocument, word } from '../../routing/schema.js';

const identityType: TypeName = { singular: 'identity', plural: 'identities' };

export const newIdentity = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, identityType, { issuer: word, subject: word }),
    ({ data }, call): NewIdentity => ({ userId: parameter(call, 'id'), ...data.attributes }),
  );
