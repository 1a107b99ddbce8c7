import { may, type Project, type WithStanding } from '../../../../domain/index.js';
import { isDefault } from '../../../../domain/supporting/projects/project.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type Words } from '../../routing/resource.js';
import { dateTime, flag, no, nothing, text } from '../../routing/resource-schema.js';

const project =
  ({ is, group, toOne, link }: Words) =>
  (dialect: Dialect) =>
  ({ subject: project, standing }: WithStanding<Project>): Resource => ({
    id: project.id,
    type: 'projects',
    attributes: {
      name: is(text, project.name),
      description: is(text, project.description),
      'is-default': is(flag, isDefault(project), 'Whether workspaces that name no project belong to it.'),
      'is-unified': is(no, false),
      'auto-destroy-activity-duration': is(nothing, null),
      'created-at': is(dateTime, project.createdAt),
      'updated-at': is(dateTime, project.updatedAt),
      permissions: group(
        {
          'can-update': is(flag, may(standing, 'projects/update')),
          'can-destroy': is(flag, may(standing, 'projects/delete')),
          'can-create-workspace': is(flag, may(standing, 'workspaces/create')),
          'can-move-workspace': is(flag, may(standing, 'projects/move-workspaces')),
          'can-manage-teams': is(flag, may(standing, 'project-access/manage')),
        },
        "The caller's permissions.",
      ),
    },
    relationships: { organization: toOne('organizations', project.organizationName) },
    links: { self: link(`${dialect.prefix}/projects/${project.id}`) },
  });

export const presentProject = project(presenting);

export const projectSchema = described({ name: 'Project' }, (words, dialect) => project(words)(dialect)(anyView()));
