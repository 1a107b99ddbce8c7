import { z } from 'zod';
import type { VariableDraft } from '../../../../application/index.js';
import { variableCategories, variableLimits } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, manyOf, named, reading, resourceDocument, word } from '../../routing/schema.js';

const type: TypeName = { singular: 'var', plural: 'vars' };

const attributes = {
  value: absentable(z.string().max(variableLimits.value)),
  description: z.string().max(variableLimits.description).nullable().optional(),
  hcl: absentable(z.boolean()),
  sensitive: absentable(z.boolean()),
};

/** The body of a request, which is also an item of a new variable set. */
const documentOf = (dialect: Dialect) =>
  resourceDocument(dialect, type, { key: word, category: z.enum(variableCategories), ...attributes });

const draftOf = ({ attributes }: z.infer<ReturnType<typeof documentOf>>['data']): VariableDraft => ({
  key: attributes.key,
  value: attributes.value ?? '',
  description: attributes.description ?? null,
  category: attributes.category,
  hcl: attributes.hcl ?? false,
  sensitive: attributes.sensitive ?? false,
});

export const newVariable = (dialect: Dialect) => reading(documentOf(dialect), ({ data }) => draftOf(data));

/** A relationship with whole variables instead of identifiers. */
export const wholeVariables = (dialect: Dialect) =>
  absentable(z.object({ data: absentable(manyOf(documentOf(dialect).shape.data.transform(draftOf))) }));

/** Only what the request names. */
export const variableChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, {
    key: absentable(word),
    category: absentable(z.enum(variableCategories)),
    ...attributes,
  });
  return reading(schema, ({ data }): Partial<VariableDraft> => named(data.attributes));
};
