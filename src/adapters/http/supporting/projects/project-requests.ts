import { z } from 'zod';
import {
  type ProjectFilter,
  type ProjectInclude,
  projectSorts,
  type WantedTags,
} from '../../../../application/index.js';
import type { ProjectSettings } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import { include, sortBy, texts, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import { absentable, named, reading, resourceDocument, unserved, word } from '../../routing/schema.js';
import { taggedBindings, taggedParameters } from '../tags/tag-filters.js';
import { bindingList, toBindings } from '../tags/tag-requests.js';
import { projectType } from '../workspaces/workspace-requests.js';

const noExecution = 'Projects have no execution mode. Set that of the organization, or of workspaces';

const settings = {
  description: z.string().max(256).nullable().optional(),
  'auto-destroy-activity-duration': unserved('Scheduled destruction is not served'),
  'default-execution-mode': unserved(noExecution),
  'setting-overwrites': unserved(noExecution),
};

const relationships = (dialect: Dialect) => ({
  'default-agent-pool': unserved(noExecution),
  'tag-bindings': absentable(z.object({ data: bindingList(dialect) })),
});

type Tagged<Settings> = Settings & Pick<WantedTags, 'tagBindings'>;

const bindingsIn = (
  given: {
    readonly [Name in 'tag-bindings']?: { readonly data: Parameters<typeof toBindings>[0] } | undefined;
  },
): Pick<WantedTags, 'tagBindings'> =>
  named({ tagBindings: given['tag-bindings'] && toBindings(given['tag-bindings'].data) });

export const newProject = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, projectType, { name: word, ...settings }, relationships(dialect)),
    ({ data: { attributes, relationships } }): Tagged<ProjectSettings> => ({
      name: attributes.name,
      description: attributes.description ?? '',
      ...bindingsIn(relationships),
    }),
  );

/** Only what the request names. */
export const projectChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, projectType, { name: absentable(word), ...settings }, relationships(dialect)),
    ({ data: { attributes, relationships } }): Tagged<Partial<ProjectSettings>> => {
      const { name, description } = attributes;
      return { ...named({ name, description: description === null ? '' : description }), ...bindingsIn(relationships) };
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
