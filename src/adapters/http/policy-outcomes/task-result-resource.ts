import { z } from 'zod';
import type { ListedTaskOutcome } from '../../../application/index.js';
import { enforcementLevels, type LocatedResult, taskResultStatuses, taskStageNames } from '../../../domain/index.js';
import type { Dialect } from '../routing/dialect.js';
import type { Resource } from '../routing/document.js';
import { anyView, described, presenting, type Words } from '../routing/resource.js';
import { dateTime, flag, stampsOf, text, timestamps } from '../routing/resource-schema.js';

const status = z.enum(taskResultStatuses);
const level = z.enum(enforcementLevels);
const stageName = z.enum(taskStageNames);
const stamps = timestamps(stampsOf(taskResultStatuses));

const taskResult = (words: Words) => (dialect: Dialect) => {
  const { is, toOne, link } = words;
  return (result: LocatedResult): Resource => {
    const self = `${dialect.prefix}/task-results/${result.id}`;
    return {
      id: result.id,
      type: 'task-results',
      attributes: {
        status: is(
          status,
          result.status,
          '`unreachable`: the call was not accepted. `errored`: no result came in time, or the task was removed.',
        ),
        message: is(text, result.message, 'Written by the task, or by the service if the task could not be called.'),
        url: is(text, result.url, 'A page of the task that shows more. Empty if it named none.'),
        'status-timestamps': is(stamps, result.statusTimestamps),
        'created-at': is(dateTime, result.createdAt),
        'updated-at': is(dateTime, result.updatedAt),
        stage: is(stageName, result.stage),
        'is-speculative': is(flag, result.speculative),
        'task-id': is(text, result.taskId),
        'task-name': is(text, result.taskName),
        'task-url': is(text, result.taskUrl),
        'workspace-task-id': is(text, result.workspaceTaskId),
        'workspace-task-enforcement-level': is(level, result.enforcementLevel),
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
  ({ is }: Words) =>
  ({ id, ...outcome }: ListedTaskOutcome): Resource => ({
    id,
    type: 'task-result-outcomes',
    attributes: {
      'outcome-id': is(text, outcome.outcomeId, 'The id that the task gave it.'),
      description: is(text, outcome.description),
      body: is(text, outcome.body, 'Markdown.'),
      url: is(text, outcome.url),
      tags: is(tags, outcome.tags),
    },
  });

export const presentTaskOutcome = outcome(presenting);

export const taskOutcomeSchema = described(
  { name: 'TaskResultOutcome', about: 'A detail of the result of a run task, such as one finding.' },
  (words) => outcome(words)(anyView()),
);
