import { migrationsOf } from '../../src/adapters/persistence/knex/migration-source.js';
import * as listed from '../../src/adapters/persistence/knex/migrations.js';
import { plantedFiles } from './planted-files.js';

/** The migrations of this release and those of a release to come. */
export const planted = migrationsOf({ ...listed, ...plantedFiles });
