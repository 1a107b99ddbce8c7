import { ContainerModule } from 'inversify';
import { Exposition } from '../../adapters/metrics/exposition.js';
import { Meters } from '../../adapters/metrics/meters.js';
import { packageVersion } from '../package-version.js';
import type { Dependencies } from './dependencies.js';
import { provide } from './provide.js';

export const metrics = ({ config, connections, readOnly, watchProcess = false }: Dependencies) =>
  new ContainerModule(({ bind }) => {
    provide(bind, 'meters', [], () => new Meters());
    provide(
      bind,
      'exposition',
      ['meters', 'useCases', 'memory'],
      (meters, { takeSnapshot, changeFeed }, memory) =>
        new Exposition({
          meters,
          takeSnapshot: () => takeSnapshot.execute(),
          version: packageVersion(),
          maxBytes: config.MAX_ORGANIZATION_BYTES,
          database: config.DATABASE_URL === undefined ? 'sqlite' : 'postgres',
          connections,
          readOnly,
          streams: () => changeFeed.followers,
          memory: () => memory.reserved,
          ofProcess: watchProcess,
        }),
    );
  });
