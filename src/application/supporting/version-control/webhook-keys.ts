import type { Instant, LinkedRepository } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';

/** Checks the signatures of deliveries. */
export class WebhookKeys {
  constructor(
    private readonly clock: Clock,
    private readonly box: SecretBox,
  ) {}

  /**
   * The result of `read`, which checks the signature with the key of the repository's webhook. Undefined without a
   * repository.
   */
  read<Delivery>(
    repository: LinkedRepository | null,
    read: (key: string, now: Instant) => Delivery | undefined,
  ): Delivery | undefined {
    return repository === null ? undefined : read(this.box.open(repository.sealedWebhookKey), this.clock.now());
  }
}
