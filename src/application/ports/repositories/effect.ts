import type {
  BundleKey,
  ConfigurationVersionId,
  NotificationConfigurationId,
  NotifiedEvent,
  OrganizationId,
  PolicySetVersionId,
  RunId,
  RunTriggerId,
  StateVersionId,
  TaskResultId,
  TeamId,
  UserId,
  WorkspaceId,
} from '../../../domain/index.js';
import type { CommitRequest } from '../outside/commit-fetcher.js';

/** Something deleted, whose rows and bundles can no longer be reached and are removed afterwards. */
export type RemovalTarget =
  | { readonly kind: 'organization'; readonly id: OrganizationId }
  | { readonly kind: 'workspace'; readonly id: WorkspaceId }
  | { readonly kind: 'team'; readonly id: TeamId }
  | { readonly kind: 'user'; readonly id: UserId };

/** Work to perform after the change that ordered it is committed. */
export type Effect =
  | { readonly kind: 'discard-bundle'; readonly bundleKey: BundleKey }
  | { readonly kind: 'remove-rows'; readonly target: RemovalTarget }
  | { readonly kind: 'queue-run'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'purge-backing-data'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'archive-version'; readonly versionId: ConfigurationVersionId }
  | { readonly kind: 'fetch-commit'; readonly versionId: ConfigurationVersionId; readonly request: CommitRequest }
  | { readonly kind: 'fetch-run-files'; readonly runId: RunId }
  | { readonly kind: 'fetch-policies'; readonly versionId: PolicySetVersionId }
  | { readonly kind: 'follow-run-triggers'; readonly runId: RunId; readonly after: RunTriggerId | '' }
  | { readonly kind: 'queue-triggered-run'; readonly triggerId: RunTriggerId; readonly runId: RunId }
  | { readonly kind: 'call-run-task'; readonly resultId: TaskResultId }
  | {
      readonly kind: 'send-notification';
      readonly configurationId: NotificationConfigurationId;
      readonly event: NotifiedEvent;
    }
  | { readonly kind: 'read-state-outputs'; readonly stateVersionId: StateVersionId };
