import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeDirectory } from '../../../adapters/files/file-bundle-store.js';
import { takeLock } from '../../../adapters/persistence/knex/engine/sqlite-lock.js';
import { isPostgres } from '../../../adapters/persistence/knex/migrate.js';
import { move as moveRows, placeWithoutSecrets } from '../../../adapters/persistence/knex/moving/move.js';
import { SealedSecretBox } from '../../../adapters/system/sealed-secret-box.js';
import { dataDirectory, OperatorError, refuseOtherUsers } from '../../backup.js';
import type { Config } from '../../config.js';
import { secretsIn } from '../../generated-secrets.js';
import type { Command } from '../toolkit/command.js';
import { counted } from '../toolkit/output.js';

/** The meaning of `--to`: a Postgres by its URL, or SQLite by the directory that is then DATA_DIR. */
type End = { readonly url: string } | { readonly directory: string };

const placeOf = (end: End): string => ('url' in end ? end.url : dataDirectory(end.directory).database);

/** Keeps a service from starting on SQLite until the returned function is called. */
function reserve(end: End): () => void {
  if ('url' in end) return () => {};
  const release = takeLock(join(end.directory, 'service.lock'));
  if (release === undefined) throw new OperatorError(`a running service uses ${end.directory}. Stop it first`);
  return release;
}

async function boxOf({ SIGNING_SECRET, DATA_DIR }: Config): Promise<SealedSecretBox | undefined> {
  const kept = () => readFile(dataDirectory(DATA_DIR).signingSecret, 'utf8').then(secretsIn, () => []);
  const [first, ...others] = SIGNING_SECRET ?? (await kept());
  return first === undefined ? undefined : new SealedSecretBox([first, ...others]);
}

/** The steps that remain, in order. */
function nextSteps({ ARCHIVE_STORE, S3_BUCKET, SIGNING_SECRET, DATA_DIR }: Config, to: End): readonly string[] {
  const from = dataDirectory(DATA_DIR);
  const target = 'directory' in to ? dataDirectory(to.directory) : undefined;
  const isSame = 'directory' in to && to.directory === DATA_DIR;
  const archives = () => {
    if (ARCHIVE_STORE === 's3')
      return `Archives remain in the bucket ${S3_BUCKET}: keep ARCHIVE_STORE and the S3_ settings.`;
    if (isSame) return `Archives remain in ${from.bundles}.`;
    return target === undefined
      ? `Archives remain in ${from.bundles}: keep this DATA_DIR for a single instance. Several instances need a bucket: copy each ${from.bundles}/kept/*/KEY to bundles/KEY there.`
      : `Archives were not copied: copy ${from.bundles} to ${target.bundles}.`;
  };
  const secret = () => {
    if (SIGNING_SECRET !== undefined) return 'Keep SIGNING_SECRET.';
    if (isSame) return `The signing secret remains in ${from.signingSecret}.`;
    return target === undefined
      ? `Set SIGNING_SECRET to the content of ${from.signingSecret} for every instance.`
      : `Copy ${from.signingSecret} to ${target.signingSecret}.`;
  };
  const start =
    'url' in to
      ? 'Set DATABASE_URL to the target and start the service.'
      : `Unset DATABASE_URL, set DATA_DIR=${to.directory} and start the service.`;
  return [archives(), secret(), start];
}

export const move: Command = {
  name: 'move',
  does: 'copies the database to an empty one: from SQLite to Postgres, back, or from one Postgres to another',
  about:
    'Stop the service first. The source does not change. A new target is migrated; it refuses to serve until every row is copied and compared. If interrupted, run it again. Archives are not copied. docs/operations.md describes the steps.',
  options: {
    to: {
      value: 'PLACE',
      about: 'required; a postgres:// URL, or a directory, which is then the DATA_DIR of SQLite',
    },
  },
  run: async (call) => {
    const { config, progress } = call;
    const given = call.required('to');
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given) && !(isPostgres(given) && URL.canParse(given))) {
      throw new OperatorError('--to must be a postgres:// URL, or a directory for SQLite');
    }
    const to: End = isPostgres(given) ? { url: given } : { directory: resolve(given) };
    const { DATABASE_URL, DATABASE_DIRECT_URL: url = DATABASE_URL } = config;
    const from: End = url === undefined ? { directory: config.DATA_DIR } : { url };
    if ('directory' in from) {
      await refuseOtherUsers(config, 'database');
      const file = placeOf(from);
      if (!existsSync(file)) throw new OperatorError(`${file} does not exist. Check DATA_DIR`);
    }
    if ('directory' in to) {
      if ('directory' in from) throw new OperatorError('gatehouse backup copies SQLite to a directory');
      await makeDirectory(to.directory);
      await refuseOtherUsers({ ...config, DATABASE_URL: undefined, DATA_DIR: to.directory }, 'database');
    }
    const releases: (() => void)[] = [];
    try {
      for (const end of [from, to]) releases.push(reserve(end));
      const { tables, left } = await moveRows(placeOf(from), placeOf(to), {
        box: await boxOf(config),
        onRows: (table, rows, step) => progress.print(`${table}: ${counted(rows, 'row')} ${step}`),
      });
      const rows = tables.reduce((sum, table) => sum + table.rows, 0);
      const next = nextSteps(config, to);
      return {
        json: {
          from: placeWithoutSecrets(placeOf(from)),
          to: placeWithoutSecrets(placeOf(to)),
          rows,
          tables,
          'not-moved': left,
          next,
        },
        text: [
          `${counted(rows, 'row')} of ${counted(tables.length, 'table')} copied to ${placeWithoutSecrets(placeOf(to))}, and compared`,
          ...(left.length === 0 ? [] : [`Not moved, because this release does not know them: ${left.join(', ')}`]),
          '',
          ...next,
        ].join('\n'),
      };
    } finally {
      for (const release of releases) release();
    }
  },
};
