import { z } from 'zod';
import {
  type OtherProjectSettings,
  type ProjectFilter,
  type ProjectInclude,
  projectSorts,
  type WantedTags,
} from '../../../../application/index.js';
import { type ExecutionChange, executionModes, type ProjectSettings } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import { include, sortBy, texts, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import { absentable, identifier, named, reading, resourceDocument, word } from '../../routing/schema.js';
import { taggedBindings, taggedParameters } from '../tags/tag-filters.js';
import { bindingList, toBindings } from '../tags/tag-requests.js';
import { poolType, projectType } from '../workspaces/workspace-requests.js';

const settings = {
  description: z.string().max(256).nullable().optional(),
  'auto-destroy-activity-duration': z.string().max(5).nullable().optional().meta({
    description:
      'How long after their last new state workspaces without a schedule of their own are destroyed: 1 to 9999 days (`14d`) or hours (`12h`). Null for never.',
  }),
  'default-execution-mode': absentable(z.enum(executionModes)),
  'default-agent-pool-id': word.nullable().optional(),
  'setting-overwrites': absentable(
    z.object({ 'default-execution-mode': absentable(z.boolean()), 'default-agent-pool': absentable(z.boolean()) }),
  ),
};

const relationships = (dialect: Dialect) => ({
  'default-agent-pool': absentable(z.object({ data: identifier(dialect, poolType).nullable() })),
  'tag-bindings': absentable(z.object({ data: bindingList(dialect) })),
});

const projectDocument = <Name extends z.ZodType>(dialect: Dialect, name: Name) =>
  resourceDocument(dialect, projectType, { name, ...settings }, relationships(dialect));

type Body = z.infer<ReturnType<typeof projectDocument>>['data'];

/** Undefined when the request does not set it. The pool is one setting in two places; the relationship goes first. */
function executionIn({ attributes, relationships }: Pick<Body, 'attributes' | 'relationships'>) {
  const { 'setting-overwrites': overwrites, 'default-agent-pool-id': poolId } = attributes;
  const related = relationships['default-agent-pool'];
  const change: ExecutionChange = named({
    executionMode: attributes['default-execution-mode'],
    // Clients send an empty id for no pool.
    agentPoolId: related === undefined ? (poolId === '' ? null : poolId) : (related.data?.id ?? null),
    overwrites: overwrites && {
      executionMode: overwrites['default-execution-mode'],
      agentPool: overwrites['default-agent-pool'],
    },
  });
  return Object.keys(change).length === 0 ? undefined : change;
}

type Tagged<Settings> = Settings & OtherProjectSettings;

const bindingsIn = (
  given: {
    readonly [Name in 'tag-bindings']?: { readonly data: Parameters<typeof toBindings>[0] } | undefined;
  },
): Pick<WantedTags, 'tagBindings'> =>
  named({ tagBindings: given['tag-bindings'] && toBindings(given['tag-bindings'].data) });

export const newProject = (dialect: Dialect) =>
  reading(
    projectDocument(dialect, word),
    ({ data: { attributes, relationships } }): Tagged<ProjectSettings> => ({
      name: attributes.name,
      description: attributes.description ?? '',
      ...named({
        execution: executionIn({ attributes, relationships }),
        autoDestroyActivityDuration: attributes['auto-destroy-activity-duration'],
      }),
      ...bindingsIn(relationships),
    }),
  );

/** Only what the request names. */
export const projectChange = (dialect: Dialect) =>
  reading(
    projectDocument(dialect, absentable(word)),
    ({ data: { attributes, relationships } }): Tagged<Partial<ProjectSettings>> => {
      const { name, description } = attributes;
      const execution = executionIn({ attributes, relationships });
      return {
        ...named({
          name,
          description: description === null ? '' : description,
          execution,
          autoDestroyActivityDuration: attributes['auto-destroy-activity-duration'],
        }),
        ...bindingsIn(relationships),
      };
    },
  );

export const projectParameters = {
  include: include<ProjectInclude>({ effective_tag_bindings: ['effective-tag-bindings'] }),
};

export const projectsParameters = {
  ...projectParameters,
  q: textual('Only projects with this text in their name.'),
  'filter[names]': texts('Only projects with these names in any case, separated by commas.'),
  ...taggedParameters('projects', 'a tag binding'),
  sort: sortBy(projectSorts, 'name'),
};

export const projectsQuery = ({ query }: Call) => {
  const { q: search, 'filter[names]': names, sort, include } = valuesOf(projectsParameters, query);
  const filter: ProjectFilter = { search, names, bindings: taggedBindings(query), sort };
  return { filter, include };
};
