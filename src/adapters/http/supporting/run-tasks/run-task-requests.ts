import { z } from 'zod';
import type { RunTaskDraft, WorkspaceTaskSettings } from '../../../../application/index.js';
import { enforcementLevels, type RunTaskId, runTaskLimits, taskStageNames } from '../../../../domain/index.js';
import type { Dialect, TypeName } from '../../routing/dialect.js';
import { absentable, identifier, named, reading, resourceDocument, unserved, word } from '../../routing/schema.js';

const taskType: TypeName = { singular: 'task', plural: 'tasks' };
const attachmentType: TypeName = { singular: 'workspace-task', plural: 'workspace-tasks' };

/** Bounded before the domain looks at it. */
const url = z.string().max(runTaskLimits.url);

const settings = {
  description: absentable(z.string().max(runTaskLimits.description)),
  enabled: absentable(z.boolean()),
  'hmac-key': absentable(z.string().max(runTaskLimits.hmacKey)),
  category: absentable(z.literal('task')),
  'global-configuration': unserved('Global run tasks are not served. Attach the task to workspaces'),
};

export const newRunTask = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, taskType, { name: word, url, ...settings });
  return reading(
    schema,
    ({ data: { attributes } }): RunTaskDraft => ({
      name: attributes.name,
      url: attributes.url,
      description: attributes.description ?? '',
      enabled: attributes.enabled ?? true,
      hmacKey: attributes['hmac-key'] ?? null,
    }),
  );
};

/** Only what the request names. An empty key removes it. */
export const runTaskChange = (dialect: Dialect) => {
  const schema = resourceDocument(dialect, taskType, {
    name: absentable(word),
    url: absentable(url),
    ...settings,
  });
  return reading(schema, ({ data: { attributes } }): Partial<RunTaskDraft> => {
    const { name, url, description, enabled, 'hmac-key': hmacKey } = attributes;
    return named({ name, url, description, enabled, hmacKey });
  });
};

const stage = z.enum(taskStageNames);

/** A stage alone is the older spelling. */
const attachment = {
  'enforcement-level': absentable(z.enum(enforcementLevels)),
  stage: absentable(stage),
  stages: absentable(z.array(stage).max(taskStageNames.length)),
};

interface Attachment {
  readonly 'enforcement-level'?: WorkspaceTaskSettings['enforcementLevel'] | undefined;
  readonly stage?: z.infer<typeof stage> | undefined;
  readonly stages?: readonly z.infer<typeof stage>[] | undefined;
}

const stagesOf = ({ stage: one, stages }: Attachment) => stages ?? (one && [one]);

export const newWorkspaceTask = (dialect: Dialect) => {
  const task = z.object({ data: identifier(dialect, taskType) });
  const schema = resourceDocument(dialect, attachmentType, attachment, { task });
  return reading(
    schema,
    ({ data: { attributes, relationships } }): WorkspaceTaskSettings & { readonly taskId: RunTaskId } => ({
      taskId: relationships.task.data.id,
      enforcementLevel: attributes['enforcement-level'] ?? 'advisory',
      stages: stagesOf(attributes) ?? ['post_plan'],
    }),
  );
};

export const workspaceTaskChange = (dialect: Dialect) =>
  reading(
    resourceDocument(dialect, attachmentType, attachment),
    ({ data: { attributes } }): Partial<WorkspaceTaskSettings> =>
      named({ enforcementLevel: attributes['enforcement-level'], stages: stagesOf(attributes) }),
  );
