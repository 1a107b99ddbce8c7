import { z } from 'zod';
import type { VariableView } from '../../../application/index.js';
import { variableCategories } from '../../../domain/index.js';
import type { Dialect } from '../dialect.js';
import { type Resource, toOneAt } from '../json-api/document.js';
import * as examples from '../json-api/examples.js';
import { dateTime, linkIn, perDialect, resourceSchema, toOneSchema } from '../json-api/resource-schema.js';

export const presentVariable = (dialect: Dialect) => {
  const workspaces = `${dialect.prefix}/workspaces`;
  return ({ variable, value }: VariableView): Resource => ({
    id: variable.id,
    type: 'vars',
    attributes: {
      key: variable.key,
      value,
      sensitive: variable.sensitive,
      category: variable.category,
      hcl: variable.hcl,
      description: variable.description,
      'created-at': variable.createdAt,
      'version-id': String(variable.revision),
    },
    relationships: {
      configurable: toOneAt('workspaces', variable.workspaceId, `${workspaces}/${variable.workspaceId}`),
    },
    links: { self: `${workspaces}/${variable.workspaceId}/vars/${variable.id}` },
  });
};

export const variableSchema = perDialect((dialect) => {
  const link = linkIn(dialect);
  return resourceSchema(dialect, {
    name: 'Variable',
    type: 'vars',
    description:
      'What the runs of a workspace are given: a variable of its configuration, or one of their environment.',
    attributes: {
      key: z.string(),
      value: z
        .string()
        .nullable()
        .describe('Null for a sensitive variable, always; and for one that no signing secret of the service opens.'),
      sensitive: z.boolean(),
      category: z.enum(variableCategories),
      hcl: z.boolean().describe('Whether the value is an expression, and not the text itself.'),
      description: z.string().nullable(),
      'created-at': dateTime,
      'version-id': z.string().describe('Another one after each change.'),
    },
    relationships: { configurable: toOneSchema('workspaces', { related: link }) },
    links: { self: link },
    example: presentVariable(dialect)(examples.variable),
  });
});
