import { type Actor, authorized, type NotificationConfiguration, type WorkspaceId } from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

/** GET /workspaces/:id/notification-configurations, in the order in which they were created. */
export class ListNotificationConfigurations {
  constructor(private readonly unitOfWork: UnitOfWork<'workspaces' | 'notificationConfigurations'>) {}

  execute(actor: Actor, workspaceId: WorkspaceId, page: PageRequest): Promise<Page<NotificationConfiguration>> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.workspaces.findIdFor(actor, workspaceId);
      return tx.notificationConfigurations.page(authorized(seen, 'notification-configurations/manage'), page);
    });
  }
}
