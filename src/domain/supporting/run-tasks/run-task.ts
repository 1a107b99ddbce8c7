import { maxAttached } from '../../shared/attached.js';
import { checkCalledUrl, maxCalledUrl } from '../../shared/called-url.js';
import { DomainError, invalidAttribute } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, RunTaskId, WorkspaceId, WorkspaceTaskId } from '../../shared/id.js';
import { checkName } from '../../shared/name.js';
import type { EnforcementLevel } from '../policies/policy.js';
import { type TaskStageName, taskStageNames } from './task-stage-name.js';

export interface RunTaskSettings {
  readonly name: string;
  readonly url: string;
  readonly description: string;
  /** Runs do not call a disabled task. */
  readonly enabled: boolean;
}

/** A server outside that is called at stages of runs, and says whether they may continue. */
export interface RunTask extends RunTaskSettings {
  readonly id: RunTaskId;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The encrypted key that signs calls; null without one. */
  readonly sealedHmacKey: string | null;
  /** The ids of its attachments to workspaces, in order. */
  readonly workspaceTaskIds: readonly WorkspaceTaskId[];
  readonly createdAt: Instant;
  readonly revision: number;
}

/** A run task at stages of the runs of one workspace. */
export interface WorkspaceTask {
  readonly id: WorkspaceTaskId;
  readonly workspaceId: WorkspaceId;
  readonly taskId: RunTaskId;
  readonly enforcementLevel: EnforcementLevel;
  /** In the order of a run, each once, at least one. */
  readonly stages: readonly TaskStageName[];
  readonly createdAt: Instant;
  readonly revision: number;
}

/** A workspace task that applies to a new run, with its task. */
export interface ApplyingTask extends Pick<WorkspaceTask, 'id' | 'enforcementLevel' | 'stages'> {
  readonly task: Pick<RunTask, 'id' | 'name' | 'url'>;
}

export const runTaskLimits = {
  url: maxCalledUrl,
  description: 1024,
  hmacKey: 1024,
  /** Each is called at every run. */
  perWorkspace: 20,
} as const;

/** Throws `attribute/invalid`. The address itself is checked whenever the task is called. */
export function checkRunTask<Settings extends RunTaskSettings>(settings: Settings): Settings {
  checkName(settings.name);
  checkCalledUrl(settings.url);
  return settings;
}

/** The stages in the order of a run, each once. Throws `attribute/invalid` for none. */
export function checkStages(stages: readonly TaskStageName[]): readonly TaskStageName[] {
  const ordered = taskStageNames.filter((name) => stages.includes(name));
  if (ordered.length === 0) throw invalidAttribute('stages', 'Stages must name at least one stage');
  return ordered;
}

/** Every answer with the task names its workspaces. Throws `attribute/invalid` if it would have more than it may. */
export function checkAttachmentCount(count: number): void {
  if (count <= maxAttached) return;
  const most = maxAttached.toLocaleString('en');
  const sentence = `Task can be attached to at most ${most} workspaces: create another task with the same URL`;
  throw new DomainError('attribute/invalid', sentence, { relationship: 'task' });
}

/** Throws `attribute/invalid` if the workspace would have more tasks than it may. */
export function checkTaskCount(count: number): void {
  if (count <= runTaskLimits.perWorkspace) return;
  throw new DomainError('attribute/invalid', `A workspace can have at most ${runTaskLimits.perWorkspace} run tasks`);
}
