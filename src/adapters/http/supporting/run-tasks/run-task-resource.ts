import { z } from 'zod';
import { enforcementLevels, type RunTask, taskStageNames, type WorkspaceTask } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, flag, nothing, text } from '../../routing/resource-schema.js';

const category = z.literal('task');

const runTask =
  ({ attribute, toOne, toMany, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (task: RunTask): Resource => ({
    id: task.id,
    type: 'tasks',
    attributes: {
      category: attribute(category, 'task'),
      name: attribute(text, task.name),
      url: attribute(text, task.url, 'The URL that is called.'),
      description: attribute(text, task.description),
      enabled: attribute(flag, task.enabled, 'Whether new runs call it.'),
      'hmac-key': attribute(nothing, null, 'Always null: the key that signs calls is write-only.'),
      'created-at': attribute(dateTime, task.createdAt),
    },
    relationships: {
      organization: toOne('organizations', task.organizationName),
      'workspace-tasks': toMany('workspace-tasks', task.workspaceTaskIds, 'Its attachments to workspaces.'),
    },
    links: { self: link(`${dialect.prefix}/tasks/${task.id}`) },
  });

export const presentRunTask = runTask(presenting);

export const runTaskSchema = described(
  {
    name: 'RunTask',
    about: 'A server outside, which is called at stages of runs and decides whether they may continue.',
  },
  (words, dialect) => runTask(words)(dialect)(anyView()),
);

const level = z.enum(enforcementLevels);
const stage = z.enum(taskStageNames);
const stages = z.array(stage);

const workspaceTask =
  ({ attribute, toOne, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (task: WorkspaceTask): Resource => ({
    id: task.id,
    type: 'workspace-tasks',
    attributes: {
      'enforcement-level': attribute(level, task.enforcementLevel, 'Whether a run stops unless the task passes.'),
      stage: attribute(stage, task.stages[0] ?? 'post_plan', 'The first of `stages`, for older clients.'),
      stages: attribute(stages, task.stages),
      'created-at': attribute(dateTime, task.createdAt),
    },
    relationships: {
      task: toOne('tasks', task.taskId),
      workspace: toOne('workspaces', task.workspaceId),
    },
    links: { self: link(`${dialect.prefix}/workspaces/${task.workspaceId}/tasks/${task.id}`) },
  });

export const presentWorkspaceTask = workspaceTask(presenting);

export const workspaceTaskSchema = described(
  { name: 'WorkspaceTask', about: 'A run task that is attached to a workspace.' },
  (words, dialect) => workspaceTask(words)(dialect)(anyView()),
);
