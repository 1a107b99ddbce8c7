import type { Delivery, Notification, Notifier } from '../../src/application/index.js';

/** The answer of a receiver with this status. */
export const answered = (status: number, given: Partial<Delivery> = {}): Delivery => ({
  delivered: status < 300,
  final: status < 500,
  reason: `the receiver answered with status ${status}`,
  answer: { status, body: 'ok' },
  ...given,
});

/** The receivers of notifications, in this process's memory. They take every notification by default. */
export class MemoryNotifier implements Notifier {
  /** In order, also those that were not taken. */
  readonly sent: Notification[] = [];
  /** The answer of the receivers; runs before the call returns. */
  answer: (notification: Notification) => Promise<Delivery> | Delivery = () => answered(200);

  async deliver(notification: Notification): Promise<Delivery> {
    this.sent.push(notification);
    return this.answer(notification);
  }
}
