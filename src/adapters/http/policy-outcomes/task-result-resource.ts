import { z } from 'zod';
import type { ListedTaskOutcome } from '../../../application/index.js';
import { enforcementLevels, type LocatedResult, taskResultStatuses, taskStageNames } from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../routing/resource.js';
import { dateTime, flag, stampsOf, text, timestamps } from '../routing/resource-schema.js';

const status = z.enum(taskResultStatuses);
const level = z.enum(enforcementLevels);
const stageName = z.enum(taskStageNames);
const stamps = timestamps(stampsOf(taskResultStatuses));

const taskResult = (words: ResourceBuilder) => (dialect: Dialect) => {
  const { attribute, toOne, link } = words;
  return (result: LocatedResult): Resource => {
    const self = `${dialect.prefix}/task-results/${result.id}`;
    return {
      id: result.id,
      type: 'task-results',
      attributes: {
        status: attribute(
          status,
          result.status,
          '`unreachable`: the call was not accepted. `errored`: no result came in time, or the task was removed.',
        ),
        message: attribute(
          text,
          result.message,
          'Written by the task, or by the service if the task could not be called.',
        ),
        url: attribute(text, result.url, 'A page of the task that shows more. Empty if it named none.'),
        'status-timestamps': attribute(stamps, result.statusTimestamps),
        'created-at': attribute(dateTime, result.createdAt),
        'updated-at': attribute(dateTime, result.updatedAt),
        stage: attribute(stageName, result.stage),
        'is-speculative': attribute(flag, result.speculative),
        'task-id': attribute(text, result.taskId),
        'task-name': attribute(text, result.taskName),
        'task-url': attribute(text, result.taskUrl),
        'workspace-task-id': attribute(text, result.workspaceTaskId),
        'workspace-task-enforcement-level': attribute(level, result.enforcementLevel),
      },
      relationships: {
        outcomes: { links: { related: link(`${self}/outcomes`) } },
        'task-stage': toOne('task-stages', result.taskStageId),
      },
      links: { self: link(self) },
    };
  };
};

export const presentTaskResult = taskResult(presenting);

export const taskResultSchema = described(
  {
    name: 'TaskResult',
    about: 'The result of a run task for a stage of a run. It shows the task as it was when the run was created.',
  },
  (words, dialect) => taskResult(words)(dialect)(anyView()),
);

const tags = z.record(text, z.array(z.strictObject({ label: text, level: text.optional() })));

const outcome =
  ({ attribute }: ResourceBuilder) =>
  ({ id, ...outcome }: ListedTaskOutcome): Resource => ({
    id,
    type: 'task-result-outcomes',
    attributes: {
      'outcome-id': attribute(text, outcome.outcomeId, 'The id that the task gave it.'),
      description: attribute(text, outcome.description),
      body: attribute(text, outcome.body, 'Markdown.'),
      url: attribute(text, outcome.url),
      tags: attribute(tags, outcome.tags),
    },
  });

export const presentTaskOutcome = outcome(presenting);

export const taskOutcomeSchema = described(
  { name: 'TaskResultOutcome', about: 'A detail of the result of a run task, such as one finding.' },
  (words) => outcome(words)(anyView()),
);
