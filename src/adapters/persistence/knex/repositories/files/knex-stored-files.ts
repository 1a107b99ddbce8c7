import type { Knex } from 'knex';
import type { StoredFile, StoredFiles } from '../../../../../application/ports/repositories/stored-files.js';
import type { BundleKey } from '../../../../../domain/index.js';
import { prepared } from '../../engine/prepared.js';
import type { Statements } from '../../engine/statements.js';
import { activeWorkspaces } from '../supporting/workspaces/knex-workspaces.js';

interface Kind {
  readonly table: string;
  /** Has an index of its own. */
  readonly key: string;
  /** The owner of the bytes. */
  readonly of: string;
  /** Undefined where nothing more is known of them. */
  readonly known?: { readonly bytes: string; readonly sha256: string };
  /** The rows of the table `f` in living workspaces or organizations. */
  readonly living: (files: Knex.QueryBuilder) => Knex.QueryBuilder;
}

const inWorkspaces: Kind['living'] = (files) =>
  activeWorkspaces(files.join('workspaces as w', 'w.id', 'f.workspace_id'));

/** Every column that refers to bytes in the store. */
const kinds: readonly Kind[] = [
  {
    table: 'configuration_versions',
    key: 'bundle_key',
    of: 'id',
    known: { bytes: 'bundle_bytes', sha256: 'bundle_sha256' },
    living: inWorkspaces,
  },
  { table: 'runs', key: 'own_files', of: 'id', living: inWorkspaces },
  {
    table: 'state_versions',
    key: 'bundle_key',
    of: 'id',
    known: { bytes: 'size', sha256: 'bundle_sha256' },
    living: inWorkspaces,
  },
  {
    table: 'state_versions',
    key: 'json_bundle_key',
    of: 'id',
    known: { bytes: 'json_bundle_bytes', sha256: 'json_bundle_sha256' },
    living: inWorkspaces,
  },
  {
    table: 'run_artifacts',
    key: 'bundle_key',
    of: 'run_id',
    known: { bytes: 'bundle_bytes', sha256: 'bundle_sha256' },
    living: (files) =>
      activeWorkspaces(files.join('runs as r', 'r.id', 'f.run_id').join('workspaces as w', 'w.id', 'r.workspace_id')),
  },
  {
    table: 'policy_set_versions',
    key: 'bundle_key',
    of: 'id',
    known: { bytes: 'bundle_bytes', sha256: 'bundle_sha256' },
    living: (files) => files.join('organizations as o', 'o.id', 'f.organization_id').whereNull('o.deleted_at'),
  },
];

interface FileRow {
  readonly key: BundleKey;
  readonly of: string;
  /** Postgres answers a bigint as text. */
  readonly bytes?: number | string;
  readonly sha256?: string;
}

const fromRow = ({ key, of, bytes, sha256 }: FileRow): StoredFile => ({
  key,
  of,
  known: bytes === undefined || sha256 === undefined ? null : { bytes: Number(bytes), sha256 },
});

const byKey = (a: StoredFile, b: StoredFile): number => Number(a.key > b.key) - Number(a.key < b.key);

const references = prepared((sql, { key }: { readonly key: BundleKey }) => {
  const [first, ...others] = kinds.map((kind) => sql(kind.table).where(kind.key, key).select({ key: kind.key }));
  return (first as Knex.QueryBuilder).unionAll(others);
});

export class KnexStoredFiles implements StoredFiles {
  constructor(private readonly db: Statements) {}

  async refersTo(key: BundleKey): Promise<boolean> {
    return (await this.db.first(references(this.db, { key }))) !== undefined;
  }

  async page(limit: number, after: BundleKey = ''): Promise<readonly StoredFile[]> {
    const found: StoredFile[] = [];
    for (const { table, key, of, known, living } of kinds) {
      const files = living(this.db.sql(`${table} as f`))
        .where(`f.${key}`, '>', after)
        .select({ key: `f.${key}`, of: `f.${of}` })
        .orderBy(`f.${key}`)
        .limit(limit);
      if (known !== undefined) files.select({ bytes: `f.${known.bytes}`, sha256: `f.${known.sha256}` });
      found.push(...(await this.db.all<FileRow>(files)).map(fromRow));
    }
    return found.sort(byKey).slice(0, limit);
  }
}
