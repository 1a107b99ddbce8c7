import { z } from 'zod';
import type { VariableView } from '../../../../application/index.js';
import { variableCategories } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { dateTime, flag, maybeText, text } from '../../routing/resource-schema.js';

const category = z.enum(variableCategories);

const variable =
  ({ is, optional, toOneAt, link }: Words) =>
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
        key: is(text, variable.key),
        value: is(
          maybeText,
          value,
          'Null for a sensitive variable, and for a value that none of the signing secrets of the service can decrypt.',
        ),
        sensitive: is(flag, variable.sensitive),
        category: is(category, variable.category),
        hcl: is(flag, variable.hcl, 'Whether the value is parsed as an expression rather than taken literally.'),
        description: is(maybeText, variable.description),
        'created-at': is(dateTime, variable.createdAt),
        'version-id': is(text, String(variable.revision), 'Changes with every update.'),
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
