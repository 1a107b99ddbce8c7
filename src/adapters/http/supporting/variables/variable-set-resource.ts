import type { VariableSet } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { count, dateTime, flag, text, toOneSchema } from '../../routing/resource-schema.js';

const owner = toOneSchema(['organizations', 'projects']);

const variableSet =
  ({ attribute, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (set: VariableSet): Resource => ({
    id: set.id,
    type: 'varsets',
    attributes: {
      name: attribute(text, set.name),
      description: attribute(text, set.description),
      global: attribute(flag, set.global, 'Whether the set applies to every workspace of the organization.'),
      priority: attribute(flag, set.priority, 'Whether its variables override those of more specific sources.'),
      'created-at': attribute(dateTime, set.createdAt),
      'updated-at': attribute(
        dateTime,
        set.updatedAt,
        'The latest change of the set itself. Its variables have versions.',
      ),
      'var-count': attribute(count, set.variableIds.length),
      'workspace-count': attribute(count, set.workspaceIds.length),
      'project-count': attribute(count, set.projectIds.length),
    },
    relationships: {
      organization: toOne('organizations', set.organizationName),
      parent: attribute(
        owner,
        {
          data:
            set.projectId === null
              ? { id: set.organizationName, type: 'organizations' }
              : { id: set.projectId, type: 'projects' },
        },
        'The owner. The set of a project applies to workspaces of this project only.',
      ),
      vars: toMany('vars', set.variableIds),
      workspaces: toMany('workspaces', set.workspaceIds, 'Attached workspaces that the caller can see.'),
      projects: toMany('projects', set.projectIds, 'Attached projects that the caller can see.'),
    },
    links: { self: link(`${dialect.prefix}/varsets/${set.id}`) },
  });

export const presentVariableSet = variableSet(presenting);

export const variableSetSchema = described(
  { name: 'VariableSet', about: 'Variables that several workspaces share.' },
  (words, dialect) => variableSet(words)(dialect)(anyView()),
);
