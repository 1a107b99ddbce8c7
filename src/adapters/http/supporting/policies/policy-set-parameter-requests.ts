import { z } from 'zod';
import type { PolicySetParameterDraft } from '../../../../application/index.js';
import { parameterLimits } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, named, reading, resourceDocument, word } from '../../routing/schema.js';

const type: TypeName = { singular: 'var', plural: 'vars' };

const attributes = {
  value: absentable(z.string().max(parameterLimits.value)),
  sensitive: absentable(z.boolean()),
};

/** The only category of parameters. */
const category = z.literal('policy-set');

export const newPolicySetParameter = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { key: word, category, ...attributes });
  return reading(
    schema,
    ({ data: { attributes } }): PolicySetParameterDraft => ({
      key: attributes.key,
      value: attributes.value ?? '',
      sensitive: attributes.sensitive ?? false,
    }),
  );
};

/** Only what the request names. */
export const policySetParameterChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, {
    key: absentable(word),
    category: absentable(category),
    ...attributes,
  });
  return reading(schema, ({ data: { attributes } }): Partial<PolicySetParameterDraft> => {
    const { key, value, sensitive } = attributes;
    return named({ key, value, sensitive });
  });
};
