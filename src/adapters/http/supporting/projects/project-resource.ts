import { may, type Project, type WithStanding } from '../../../../domain/index.js';
import { isDefault } from '../../../../domain/supporting/projects/project.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, no, nothing, text } from '../../routing/resource-schema.js';
import { bindingRelationships, type WithBindings } from '../tags/included-bindings.js';

const project =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ subject: project, standing, effectiveTagBindings }: WithStanding<Project> & WithBindings): Resource => {
    const { attribute, group, toOne, link } = words;
    const self = `${dialect.prefix}/projects/${project.id}`;
    return {
      id: project.id,
      type: 'projects',
      attributes: {
        name: attribute(text, project.name),
        description: attribute(text, project.description),
        'is-default': attribute(flag, isDefault(project), 'Whether workspaces that name no project belong to it.'),
        'is-unified': attribute(no, false),
        'auto-destroy-activity-duration': attribute(nothing, null),
        'created-at': attribute(dateTime, project.createdAt),
        'updated-at': attribute(dateTime, project.updatedAt),
        permissions: group(
          {
            'can-update': attribute(flag, may(standing, 'projects/update')),
            'can-destroy': attribute(flag, may(standing, 'projects/delete')),
            'can-create-workspace': attribute(flag, may(standing, 'workspaces/create')),
            'can-move-workspace': attribute(flag, may(standing, 'projects/move-workspaces')),
            'can-manage-teams': attribute(flag, may(standing, 'project-access/manage')),
          },
          "The caller's permissions.",
        ),
      },
      relationships: {
        organization: toOne('organizations', project.organizationName),
        ...bindingRelationships(words, self, effectiveTagBindings),
      },
      links: { self: link(self) },
    };
  };

export const presentProject = project(presenting);

export const projectSchema = described({ name: 'Project' }, (words, dialect) =>
  project(words)(dialect)({ subject: anyView(), standing: anyView(), effectiveTagBindings: [] }),
);
