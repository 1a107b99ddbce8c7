import type {
  Actor,
  NotificationConfiguration,
  NotificationConfigurationId,
  NotificationTrigger,
  WithStanding,
  WorkspaceId,
} from '../../../domain/index.js';
import type { Page, PageRequest } from './page.js';

/** The notification configurations of workspaces. Those of a deleted workspace are missing. */
export interface NotificationConfigurationRepository {
  /** With the caller's standing on the workspace. */
  findFor(actor: Actor, id: NotificationConfigurationId): Promise<WithStanding<NotificationConfiguration> | undefined>;
  find(id: NotificationConfigurationId): Promise<NotificationConfiguration | undefined>;
  /** In the order in which they were created. */
  page(workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NotificationConfiguration>>;
  count(workspaceId: WorkspaceId): Promise<number>;
  /** The enabled ones with this trigger, in the order in which they were created. */
  notifiedOf(workspaceId: WorkspaceId, trigger: NotificationTrigger): Promise<readonly NotificationConfigurationId[]>;
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
