import type { Instant, LinkedRepository } from '../../../domain/index.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { SecretBox } from '../../ports/outside/secret-box.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';

/** Checks the signatures of deliveries. */
export class WebhookKeys {
  constructor(
    private readonly clock: Clock,
    private readonly secrets: SecretGenerator,
    private readonly box: SecretBox,
  ) {}

  /**
   * The result of `read`, which checks the signature with the key of the repository's webhook. Undefined without a
   * repository: a signature is checked nevertheless, so that the response time does not reveal which webhooks exist.
   */
  read<Delivery>(
    repository: LinkedRepository | null,
    read: (key: string, now: Instant) => Delivery | undefined,
  ): Delivery | undefined {
    const key = repository === null ? this.secrets.generateWebhookKey() : this.box.open(repository.sealedWebhookKey);
    const delivery = read(key, this.clock.now());
    return repository === null ? undefined : delivery;
  }
}
