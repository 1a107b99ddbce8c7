import { z } from 'zod';
import type { VariableView } from '../../../../application/index.js';
import { variableCategories } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

const category = z.enum(variableCategories);

const variable =
  ({ attribute, optional, toOneAt, link }: ResourceBuilder) =>
  (dialect: Dialect) => {
    const [workspaces, sets] = [`${dialect.prefix}/workspaces`, `${dialect.prefix}/varsets`];
    const pathOf = ({ id, workspaceId, variableSetId }: VariableView['variable']) =>
      workspaceId === undefined
        ? `${sets}/${variableSetId}/relationships/vars/${id}`
        : `${workspaces}/${workspaceId}/vars/${id}`;
    return ({ variable, variable: { workspaceId, variableSetId }, value }: VariableView): Resource => ({
      id: variable.id,
      type: 'vars',
      attributes: {
        key: attribute(text, variable.key),
        value: attribute(
          maybeText,
          value,
          'Null for a sensitive variable, and for a value that none of the signing secrets of the service can decrypt.',
        ),
        sensitive: attribute(flag, variable.sensitive),
        category: attribute(category, variable.category),
        hcl: attribute(flag, variable.hcl, 'Whether the value is parsed as an expression rather than taken literally.'),
        description: attribute(maybeText, variable.description),
        'created-at': attribute(dateTime, variable.createdAt),
        'version-id': attribute(text, String(variable.revision), 'Changes with every update.'),
      },
      relationships: {
        ...(workspaceId !== undefined && {
          configurable: optional(toOneAt('workspaces', workspaceId, `${workspaces}/${workspaceId}`)),
        }),
        ...(variableSetId !== undefined && {
          varset: optional(toOneAt('varsets', variableSetId, `${sets}/${variableSetId}`)),
        }),
      },
      links: { self: link(pathOf(variable)) },
    });
  };

export const presentVariable = variable(presenting);

export const variableSchema = described(
  {
    name: 'Variable',
    about: 'A Terraform variable or an environment variable, of a workspace or of a variable set.',
  },
  (words, dialect) => variable(words)(dialect)(anyView()),
);
