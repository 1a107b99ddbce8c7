import { ContainerModule } from 'inversify';
import { RandomIds } from '../../adapters/system/random-ids.js';
import { RandomSecrets } from '../../adapters/system/random-secrets.js';
import { SystemClock } from '../../adapters/system/system-clock.js';
import type { Dependencies } from './dependencies.js';
import { provide } from './provide.js';

export const system = ({ signingSecrets: [signingSecret] }: Dependencies) =>
  new ContainerModule(({ bind }) => {
    provide(bind, 'clock', [], () => new SystemClock());
    provide(bind, 'ids', [], () => new RandomIds(signingSecret));
    provide(bind, 'secrets', [], () => new RandomSecrets());
  });
