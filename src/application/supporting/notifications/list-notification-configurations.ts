import {
  type Actor,
  authorized,
  type NotificationConfiguration,
  type NotificationSubject,
  notificationActionOf,
} from '../../../domain/index.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { findSubject, type SubjectRepositories } from './find-configuration.js';

/** GET /workspaces/:id/notification-configurations, and those of a project or team, in the order in which they were created. */
export class ListNotificationConfigurations {
  constructor(private readonly unitOfWork: UnitOfWork<SubjectRepositories | 'notificationConfigurations'>) {}

  execute(actor: Actor, subject: NotificationSubject, page: PageRequest): Promise<Page<NotificationConfiguration>> {
    return this.unitOfWork.read(async (tx) => {
      authorized(await findSubject(tx, actor, subject), notificationActionOf[subject.kind]);
      return tx.notificationConfigurations.page(subject, page);
    });
  }
}
