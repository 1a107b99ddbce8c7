import { ContainerModule } from 'inversify';
import { Exposition } from '../../adapters/metrics/exposition.js';
import { Meters } from '../../adapters/metrics/meters.js';
import { TakeStock } from '../../application/index.js';
import { packageVersion } from '../package-version.js';
import { provide } from './provide.js';
import type { Surroundings } from './surroundings.js';
import { Port } from './tokens.js';

export const metrics = ({ config, connections, watchProcess = false }: Surroundings) =>
  new ContainerModule(({ bind }) => {
    provide(bind, Port.meters, [], () => new Meters());
    provide(
      bind,
      Port.exposition,
      [Port.meters, TakeStock],
      (meters, takeStock) =>
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
