import type { Delivery, Notification, Notifier } from '../../application/index.js';
import { notificationLimits } from '../../domain/index.js';
import { type GuardedCalls, isSuccess, type ReadAnswer, refusalOf, signed } from './guarded-calls.js';
import { bodyOf } from './notification-bodies.js';

const { body: maxCharacters } = notificationLimits;

/** A character has at most four. */
const readBytes = 4 * maxCharacters;

export class HttpNotifier implements Notifier {
  constructor(
    private readonly calls: GuardedCalls,
    private readonly publicUrl: string,
  ) {}

  async deliver(notification: Notification): Promise<Delivery> {
    const body = JSON.stringify(bodyOf(notification, this.publicUrl));
    const headers = signed('X-TFE-Notification-Signature', notification.token, body);
    const read = await this.calls.post(notification.url, body, headers, readBytes);
    if (!('status' in read)) return { delivered: false, ...read, answer: null };
    const { status } = read;
    return { delivered: isSuccess(status), ...refusalOf('the receiver', status), answer: answerOf(read) };
  }
}

const answerOf = ({ status, body }: ReadAnswer): Delivery['answer'] => ({
  status,
  // Databases keep no NUL in a text.
  body: body.toString('utf8').replaceAll('\0', '').slice(0, maxCharacters),
});
