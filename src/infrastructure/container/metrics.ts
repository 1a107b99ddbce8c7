import { ContainerModule } from 'inversify';
import { Exposition } from '../../adapters/metrics/exposition.js';
import { Meters } from '../../adapters/metrics/meters.js';
import { packageVersion } from '../package-version.js';
import { provide } from './provide.js';
import type { Surroundings } from './surroundings.js';

export const metrics = ({ config, connections, watchProcess = false }: Surroundings) =>
  new ContainerModule(({ bind }) => {
    provide(bind, 'meters', [], () => new Meters());
    provide(
      bind,
      'exposition',
      ['meters', 'useCases'],
      (meters, { takeStock }) =>
        new Exposition({
          meters,
          takeStock: () => takeStock.execute(),
          version: packageVersion(),
          mostBytes: config.MAX_ORGANIZATION_BYTES,
          database: config.DATABASE_URL === undefined ? 'sqlite' : 'postgres',
          connections,
          ofProcess: watchProcess,
        }),
    );
  });
