import { z } from 'zod';
import { type ProjectFilter, projectSorts } from '../../../../application/index.js';
import type { ProjectSettings } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import { sortBy, texts, textual, valuesOf } from '../../routing/parameters.js';
import type { Call } from '../../routing/route.js';
import { absentable, named, reading, resourceDocument, unserved, word } from '../../routing/schema.js';
import { projectType } from '../workspaces/workspace-requests.js';

const noExecution = 'Projects have no execution mode. Set that of the organization, or of workspaces';

const settings = {
  description: z.string().max(256).nullable().optional(),
  'auto-destroy-activity-duration': unserved('Scheduled destruction is not served'),
  'default-execution-mode': unserved(noExecution),
  'setting-overwrites': unserved(noExecution),
};

const relationships = {
  'default-agent-pool': unserved(noExecution),
  'tag-bindings': unserved('Tags are not served'),
};

export const newProject = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, projectType, { name: word, ...settings }, relationships),
    ({ data: { attributes } }): ProjectSettings => ({
      name: attributes.name,
      description: attributes.description ?? '',
    }),
  );

/** Only what the request names. */
export const projectChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, projectType, { name: absentable(word), ...settings }, relationships),
    ({ data: { attributes } }): Partial<ProjectSettings> => {
      const { name, description } = attributes;
      return named({ name, description: description === null ? '' : description });
    },
  );

export const projectsParameters = {
  q: textual('Only projects with this text in their name.'),
  'filter[names]': texts('Only projects with these names, separated by commas.'),
  sort: sortBy(projectSorts, 'name'),
};

export const projectsFilter = ({ query }: Call): ProjectFilter => {
  const { q: search, 'filter[names]': names, sort } = valuesOf(projectsParameters, query);
  return { search, names, sort };
};
