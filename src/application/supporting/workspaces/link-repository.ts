import type {
  AutoDestroyChange,
  ExecutionChange,
  ExecutionSettings,
  ProjectId,
  RepositorySettings,
  TokenOwner,
  WorkspaceSettings,
} from '../../../domain/index.js';
import type { WantedTags } from '../tags/tag-changes.js';
import type { ShownWorkspace } from './show-workspace.js';

/** The requested change of a workspace: unnamed settings keep their value; a null repository unlinks it. */
export interface WorkspaceChange extends Partial<Omit<WorkspaceSettings, keyof ExecutionSettings>> {
  readonly execution?: ExecutionChange;
  readonly repository?: RepositorySettings | null;
  readonly projectId?: ProjectId;
  readonly autoDestroy?: AutoDestroyChange;
  readonly tags?: WantedTags;
}

/** A changed workspace, with values that are shown only once. */
export interface ChangedWorkspace extends ShownWorkspace {
  /** The key of a newly created webhook. */
  readonly webhookKey?: string;
  /** The owners of tokens of the newly named pool, except for the caller. */
  readonly poolTokenCreators?: readonly TokenOwner[];
}
