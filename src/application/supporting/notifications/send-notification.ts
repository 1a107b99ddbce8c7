import {
  later,
  type NotificationConfiguration,
  type NotificationConfigurationId,
  type NotifiedEvent,
  notificationWaits,
  type RunState,
  withDelivery,
} from '../../../domain/index.js';
import { revised } from '../../../domain/shared/revision.js';
import { doneBySystem } from '../../../domain/supporting/audit/audit-event.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { RunNews } from '../../ports/outside/notifier.js';
import type { Transaction, UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { Deliveries, KeptDelivery } from './deliveries.js';
import { placeOf } from './find-configuration.js';

type Needed = 'notificationConfigurations' | 'runs' | 'workspaces' | 'users' | 'audit';

/** Notifies a receiver of what happened to a run. */
export class SendNotification {
  constructor(
    private readonly unitOfWork: UnitOfWork<Needed>,
    private readonly clock: Clock,
    private readonly deliveries: Deliveries,
  ) {}

  /**
   * Returns what to record in the transaction that ends the effect. Throws while another attempt may still succeed. Does
   * nothing once the configuration is disabled or gone, or the notification has waited too long for others.
   */
  async execute(
    id: NotificationConfigurationId,
    event: NotifiedEvent,
  ): Promise<((tx: Transaction<Needed>) => Promise<void>) | undefined> {
    const due = await this.unitOfWork.read((tx) => this.due(tx, id, event));
    if (due === undefined) return undefined;
    if (this.clock.now() > later(event.at, notificationWaits.attempt)) return (tx) => this.giveUp(tx, id);
    const delivery = await this.deliveries.deliver(due.receiver, due.news);
    const { delivered, final, reason } = delivery;
    if (!delivered && !final && this.clock.now() < later(event.at, notificationWaits.retry)) {
      throw new Error(`notification not delivered: ${reason}`);
    }
    return async (tx) => {
      await (delivered ? this.keep(tx, id, delivery) : this.giveUp(tx, id, delivery));
    };
  }

  private async due(
    tx: Transaction<Needed>,
    id: NotificationConfigurationId,
    event: NotifiedEvent,
  ): Promise<{ readonly receiver: NotificationConfiguration; readonly news: RunNews } | undefined> {
    const receiver = await tx.notificationConfigurations.find(id);
    if (!receiver?.enabled || !receiver.triggers.includes(event.trigger)) return undefined;
    const run = (await tx.runs.find(event.runId))?.state;
    const workspace = run && (await tx.workspaces.find(run.workspaceId));
    if (run === undefined || workspace === undefined) return undefined;
    const nameOf = async (by: RunState['createdBy'] | undefined): Promise<string | null> =>
      by?.kind === 'user' ? ((await tx.users.find(by.id))?.username ?? null) : null;
    const decision = run.decisions.findLast(({ at }) => at === event.at);
    const [createdBy, updatedBy] = [await nameOf(run.createdBy), await nameOf(decision?.by)];
    return { receiver, news: { event, run, workspace, createdBy, updatedBy } };
  }

  private async keep(
    tx: Transaction<Needed>,
    id: NotificationConfigurationId,
    { response }: KeptDelivery,
  ): Promise<NotificationConfiguration | undefined> {
    const current = await tx.notificationConfigurations.find(id);
    if (current === undefined) return undefined;
    await tx.notificationConfigurations.save(revised(current, withDelivery(current, response)));
    return current;
  }

  private async giveUp(
    tx: Transaction<Needed>,
    id: NotificationConfigurationId,
    delivery?: KeptDelivery,
  ): Promise<void> {
    const current = await (delivery === undefined
      ? tx.notificationConfigurations.find(id)
      : this.keep(tx, id, delivery));
    if (current !== undefined) await tx.audit.add(doneBySystem('notifications/give-up', id), placeOf(current));
  }
}
