import { z } from 'zod';
import type { ChangedProject } from '../../../../application/index.js';
import { executionModes, executionOf, may, type WithStanding } from '../../../../domain/index.js';
import { overwritesOf } from '../../../../domain/shared/execution.js';
import { isDefault } from '../../../../domain/supporting/projects/project.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, maybeText, no, text } from '../../routing/resource-schema.js';
import { poolTokenCreators } from '../../tokens/token-owner-resource.js';
import { bindingRelationships, type WithBindings } from '../tags/included-bindings.js';

const executionMode = z.enum(executionModes);

const project =
  (words: ResourceBuilder) =>
  (dialect: Dialect) =>
  ({ subject: project, standing, effectiveTagBindings }: WithStanding<ChangedProject> & WithBindings): Resource => {
    const { attribute, group, toOne, toOneOrNone, link } = words;
    const [execution, overwrites] = [executionOf(project), overwritesOf(project)];
    const self = `${dialect.prefix}/projects/${project.id}`;
    return {
      id: project.id,
      type: 'projects',
      attributes: {
        name: attribute(text, project.name),
        description: attribute(text, project.description),
        'is-default': attribute(flag, isDefault(project), 'Whether workspaces that name no project belong to it.'),
        'is-unified': attribute(no, false),
        'auto-destroy-activity-duration': attribute(
          maybeText,
          project.autoDestroy?.activityDuration ?? null,
          'How long after their last new state workspaces without a schedule of their own are destroyed, such as `14d` or `12h`. Null for never.',
        ),
        'default-execution-mode': attribute(
          executionMode,
          execution.mode,
          'The execution mode of workspaces that do not set one.',
        ),
        'setting-overwrites': group(
          {
            'default-execution-mode': attribute(flag, overwrites.executionMode),
            'default-agent-pool': attribute(flag, overwrites.agentPool),
          },
          'Settings that the project overrides. The others come from the organization.',
        ),
        'created-at': attribute(dateTime, project.createdAt),
        'updated-at': attribute(dateTime, project.updatedAt),
        permissions: group(
          {
            'can-update': attribute(flag, may(standing, 'projects/update')),
            'can-schedule-destroy': attribute(flag, may(standing, 'projects/schedule-destroy')),
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
        'default-agent-pool': toOneOrNone(
          'agent-pools',
          execution.agentPoolId,
          'The agent pool for workspaces in execution mode `agent` that do not set one. Null unless the default execution mode is `agent`.',
        ),
        'agent-pool-token-creators': project.poolTokenCreators && poolTokenCreators(words, project.poolTokenCreators),
        ...bindingRelationships(words, self, effectiveTagBindings),
      },
      links: { self: link(self) },
    };
  };

export const presentProject = project(presenting);

export const projectSchema = described({ name: 'Project' }, (words, dialect) =>
  project(words)(dialect)({ subject: anyView(), standing: anyView(), effectiveTagBindings: [] }),
);
