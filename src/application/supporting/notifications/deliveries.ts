import {
  type DeliveryResponse,
  type DestinationType,
  DomainError,
  type NotificationConfiguration,
  type OrganizationId,
} from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { Delivery, Notification, Notifier } from '../../ports/outside/notifier.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';

/** Requests of this process that wait for a receiver at the same time. */
const maxVerifications = { inAll: 8, ofOrganization: 2 } as const;

/** The parts of a configuration by which its receiver is reached. */
export type Receiver = Pick<
  NotificationConfiguration,
  'id' | 'name' | 'destinationType' | 'url' | 'sealedToken' | 'organizationId'
>;

/** A delivery as a configuration keeps it. */
export interface KeptDelivery extends Pick<Delivery, 'delivered' | 'final' | 'reason'> {
  readonly response: DeliveryResponse;
}

const failed = (reason: string): Delivery => ({ delivered: false, final: true, reason, answer: null });

const unreadable = 'the token of the configuration cannot be decrypted with any signing secret: set it again';

const sendsTo = (type: DestinationType): type is Notification['destinationType'] => type !== 'email';

/** Calls the receivers of notification configurations. */
export class Deliveries {
  private readonly verifying = new Map<OrganizationId, number>();
  private verifyingInAll = 0;

  constructor(
    private readonly clock: Clock,
    private readonly box: SecretBox,
    private readonly notifier: Notifier,
  ) {}

  async deliver(receiver: Receiver, news: Notification['news']): Promise<KeptDelivery> {
    const sentAt = this.clock.now();
    const { delivered, final, reason, answer } = await this.call(receiver, news);
    const response: DeliveryResponse = {
      url: receiver.url ?? '',
      code: answer === null ? '' : String(answer.status),
      body: answer === null ? reason : answer.body,
      successful: delivered,
      sentAt,
    };
    return { delivered, final, reason, response };
  }

  /** Returns the answer to a test. Throws `notification/busy` while too many of them wait. */
  async verify(receiver: Receiver): Promise<KeptDelivery> {
    const { organizationId } = receiver;
    const own = this.verifying.get(organizationId) ?? 0;
    if (own >= maxVerifications.ofOrganization || this.verifyingInAll >= maxVerifications.inAll) {
      throw new DomainError('notification/busy', 'too many receivers of notifications are being verified; try again');
    }
    this.verifying.set(organizationId, own + 1);
    this.verifyingInAll += 1;
    try {
      return await this.deliver(receiver, null);
    } finally {
      this.verifyingInAll -= 1;
      const left = (this.verifying.get(organizationId) ?? 1) - 1;
      if (left === 0) this.verifying.delete(organizationId);
      else this.verifying.set(organizationId, left);
    }
  }

  private async call(
    { id, name, destinationType, url, sealedToken }: Receiver,
    news: Notification['news'],
  ): Promise<Delivery> {
    if (!sendsTo(destinationType) || url === null) return failed('this service sends no e-mail');
    const token = sealedToken === null ? null : openedWith(this.box, sealedToken);
    if (token === undefined) return failed(unreadable);
    return this.notifier.deliver({ url, destinationType, token, configuration: { id, name }, news });
  }
}

/** Throws `notification/unverified` unless the receiver took the test. */
export function checkVerified({ delivered, reason }: Pick<KeptDelivery, 'delivered' | 'reason'>): void {
  if (delivered) return;
  const sentence = `Unable to complete verification request to destination URL: ${reason}`;
  throw new DomainError('notification/unverified', sentence);
}
