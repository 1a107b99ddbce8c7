import { z } from 'zod';
import type { NewVariableSet, VariableSetChange, VariableSetInclude } from '../../../../application/index.js';
import { variableLimits } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { include, textual, valuesOf } from '../../routing/parameters.js';
import { invalid } from '../../routing/request-error.js';
import { type Call, parameter } from '../../routing/route.js';
import {
  absentable,
  identifier,
  manyOf,
  named,
  reading,
  resourceDocument,
  unserved,
  word,
} from '../../routing/schema.js';
import { workspaceType } from '../workspaces/workspace-requests.js';
import { wholeVariables } from './variable-requests.js';

const type: TypeName = { singular: 'varset', plural: 'varsets' };
export const projectType: TypeName = { singular: 'project', plural: 'projects' };

const settings = {
  description: z.string().max(variableLimits.description).nullable().optional(),
  global: absentable(z.boolean()),
  priority: absentable(z.boolean()),
};

const listed = (dialect: Dialect, of: TypeName) =>
  absentable(z.object({ data: absentable(manyOf(identifier(dialect, of))) }));

const relationships = (dialect: Dialect) => ({
  workspaces: listed(dialect, workspaceType),
  projects: listed(dialect, projectType),
  vars: wholeVariables(dialect),
  stacks: unserved('Stacks are not served. Attach workspaces or projects'),
});

const idsOf = (given: { readonly data?: readonly { readonly id: string }[] | undefined } | undefined) =>
  given?.data?.map(({ id }) => id);

const parent = absentable(
  z.object({
    data: absentable(z.object({ type: z.enum(['organizations', 'projects']), id: word.min(1) })),
  }),
);

/** The id of the project that is to own the set; null for the organization of the path. */
const ownerOf = (given: z.infer<typeof parent>, call: Call): string | null => {
  const owner = given?.data;
  if (owner?.type === 'projects') return owner.id;
  if (owner === undefined || owner.id === parameter(call, 'organization')) return null;
  const detail = 'Parent must be the organization of the path, or one of its projects';
  throw invalid([{ pointer: '/data/relationships/parent', detail }]);
};

export const newVariableSet = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, type, { name: word, ...settings }, { ...relationships(dialect), parent });
  return reading(
    schema,
    ({ data: { attributes, relationships } }, call): NewVariableSet => ({
      name: attributes.name,
      description: attributes.description ?? '',
      global: attributes.global ?? false,
      priority: attributes.priority ?? false,
      projectId: ownerOf(relationships.parent, call),
      workspaceIds: idsOf(relationships.workspaces) ?? [],
      projectIds: idsOf(relationships.projects) ?? [],
      variables: relationships.vars?.data ?? [],
    }),
  );
};

/** Only what the request names. */
export const variableSetChange = (dialect: Dialect) => {
  const schema = resourceDocument(
    dialect,
    type,
    { name: absentable(word), ...settings },
    {
      ...relationships(dialect),
      parent: unserved('The owner of a variable set cannot be changed. Delete the set and create it again'),
    },
  );
  return reading(
    schema,
    ({ data: { attributes, relationships } }): VariableSetChange => ({
      ...named({
        name: attributes.name,
        description: attributes.description === null ? '' : attributes.description,
        global: attributes.global,
        priority: attributes.priority,
        workspaceIds: idsOf(relationships.workspaces),
        projectIds: idsOf(relationships.projects),
      }),
      variables: relationships.vars?.data ?? [],
    }),
  );
};

export const variableSetParameters = {
  include: include<VariableSetInclude>({ vars: ['vars'], workspaces: ['workspaces'], projects: ['projects'] }),
};

export const variableSetsParameters = {
  ...variableSetParameters,
  q: textual('Only variable sets with this text in their name.'),
};

export const variableSetsQuery = ({ query }: Call) => {
  const { q: search, include } = valuesOf(variableSetsParameters, query);
  return { filter: { search }, include };
};
