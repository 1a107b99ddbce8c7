import type { WorkspaceRunTrigger } from '../../../../domain/index.js';
import type { Dialect } from '../../routing/dialect.js';
import type { Resource } from '../../routing/document.js';
import { anyView, described, presenting, type ResourceBuilder } from '../../routing/resource.js';
import { dateTime, text } from '../../routing/resource-schema.js';

const runTrigger =
  ({ attribute, toOne, link }: ResourceBuilder) =>
  (dialect: Dialect) =>
  (trigger: WorkspaceRunTrigger): Resource => ({
    id: trigger.id,
    type: 'run-triggers',
    attributes: {
      'created-at': attribute(dateTime, trigger.createdAt),
      'sourceable-name': attribute(text, trigger.sourceName, 'The name of the source workspace.'),
      'workspace-name': attribute(text, trigger.workspaceName),
    },
    relationships: {
      sourceable: toOne('workspaces', trigger.sourceId, 'The source: its applied runs queue runs.'),
      workspace: toOne('workspaces', trigger.workspaceId, 'The workspace whose runs are queued.'),
    },
    links: { self: link(`${dialect.prefix}/run-triggers/${trigger.id}`) },
  });

export const presentRunTrigger = runTrigger(presenting);

export const runTriggerSchema = described(
  { name: 'RunTrigger', about: 'Connects two workspaces: each applied run of one queues a run of the other.' },
  (words, dialect) => runTrigger(words)(dialect)(anyView()),
);
