import type {
  NotificationConfiguration,
  NotificationConfigurationId,
  NotificationSubject,
  RunNotificationTrigger,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** The notification configurations of workspaces, projects and teams. Those of a deleted one are missing. */
export interface NotificationConfigurationRepository {
  find(id: NotificationConfigurationId): Promise<NotificationConfiguration | undefined>;
  /** In the order in which they were created. */
  page(subject: NotificationSubject, page: PageRequest): Promise<Page<NotificationConfiguration>>;
  count(subject: NotificationSubject): Promise<number>;
  /** The enabled ones of the workspace and its project with this trigger, in the order in which they were created. */
  notifiedOf(
    workspaceId: WorkspaceId,
    trigger: RunNotificationTrigger,
  ): Promise<readonly NotificationConfigurationId[]>;
  add(configuration: NotificationConfiguration): Promise<void>;
  /** Throws `shared/stale-revision`. */
  save(configuration: NotificationConfiguration): Promise<void>;
  /** Throws `shared/stale-revision` if it is gone. */
  remove(id: NotificationConfigurationId): Promise<void>;
  /** Configurations after an id, by id, whose token is not sealed with this key. */
  sealedWithOtherKeys(
    fingerprint: string,
    after: NotificationConfigurationId,
    limit: number,
  ): Promise<readonly NotificationConfiguration[]>;
}
