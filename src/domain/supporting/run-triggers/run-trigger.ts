import { DomainError } from '../../shared/domain-error.js';
import type { Instant, OrganizationId, RunTriggerId, WorkspaceId } from '../../shared/id.js';
import type { TokenOwner } from '../../shared/token-owner.js';
import { decisionOf, type RunState } from '../runs/run.js';

export const runTriggerTypes = ['inbound', 'outbound'] as const;

/** The side of a run trigger that a workspace is on: its runs are queued, or they queue others. */
export type RunTriggerType = (typeof runTriggerTypes)[number];

export const runTriggerLimits = { sources: 20, chain: 20 } as const;

/** Connects two workspaces of an organization: each applied run of the source queues a run of the workspace. */
export interface WorkspaceRunTrigger {
  readonly id: RunTriggerId;
  readonly workspaceId: WorkspaceId;
  readonly workspaceName: string;
  readonly sourceId: WorkspaceId;
  readonly sourceName: string;
  readonly organizationId: OrganizationId;
  readonly organizationName: string;
  /** The runs are queued on behalf of this user or team. */
  readonly createdBy: TokenOwner;
  readonly createdAt: Instant;
}

interface Side {
  readonly id: WorkspaceId;
  readonly organizationId: OrganizationId;
}

/** Throws `attribute/invalid` unless the source is another workspace of the same organization. */
export function checkSource(workspace: Side, source: Side): void {
  if (source.id === workspace.id) throw invalidSource('Sourceable must be another workspace');
  if (source.organizationId !== workspace.organizationId) {
    throw invalidSource('Sourceable must be a workspace of the same organization');
  }
}

export function checkSourceCount(count: number): void {
  const { sources } = runTriggerLimits;
  if (count > sources) throw invalidSource(`A workspace can have at most ${sources} source workspaces`);
}

const invalidSource = (sentence: string): DomainError =>
  new DomainError('attribute/invalid', sentence, { relationship: 'sourceable' });

/** The depth of the runs that an applied run triggers. A person's confirmation begins a new chain. */
export const depthAfter = (run: RunState): number =>
  decisionOf(run, 'confirm') === undefined ? run.triggerDepth + 1 : 1;
