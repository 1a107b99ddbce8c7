import { ContainerModule } from 'inversify';
import { RandomIds } from '../../adapters/system/random-ids.js';
import { RandomSecrets } from '../../adapters/system/random-secrets.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import { provide } from './provide.js';
import type { Surroundings } from './surroundings.js';

export const system = ({ signingSecrets: [signingSecret] }: Surroundings) =>
  new ContainerModule(({ bind }) => {
    provide(bind, 'clock', [], () => new SystemClock());
    provide(bind, 'ids', [], () => new RandomIds(signingSecret));
    provide(bind, 'secrets', [], () => new RandomSecrets());
  });
