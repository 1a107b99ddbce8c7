import type { OrganizationId, OutcomeSums, WorkspaceId } from '../../../../../domain/index.js';
import type { Statements } from '../../engine/statements.js';
import { addTo, noSums, PolicySums, type Sums, sumNames } from './outcome-sums.js';

/** In place of the id of one. */
export const allWorkspaces = '';

/** The key of a row of sums. */
export interface SpanKey {
  readonly organization_id: OrganizationId;
  readonly workspace_id: WorkspaceId | typeof allWorkspaces;
  readonly span: number;
  readonly day: number;
  readonly speculative: boolean | number;
}

export const keyColumns = ['organization_id', 'workspace_id', 'span', 'day', 'speculative'] as const;

const keyOf = (key: SpanKey): string =>
  [...keyColumns.slice(0, 4).map((column) => key[column as 'day']), Boolean(key.speculative)].join();

export const keyFrom = ({ organization_id, workspace_id, span, day, speculative }: SpanKey): SpanKey => ({
  organization_id,
  workspace_id,
  span,
  day,
  speculative: Boolean(speculative),
});

/** The rows that runs change, and by how much. */
export class Changes {
  private readonly spans = new Map<
    string,
    { readonly key: SpanKey; readonly sums: Sums; readonly policies: PolicySums }
  >();

  get keys(): readonly SpanKey[] {
    return Array.from(this.spans.values(), ({ key }) => key);
  }

  of(key: SpanKey) {
    const text = keyOf(key);
    const found = this.spans.get(text) ?? { key, sums: noSums(), policies: new PolicySums() };
    this.spans.set(text, found);
    return found;
  }

  rows(): readonly object[] {
    return Array.from(this.spans.values(), ({ key, sums, policies }) => ({
      ...key,
      speculative: Boolean(key.speculative),
      ...sums,
      policies: policies.toText(),
    }));
  }
}

export interface SumsRow extends OutcomeSums {
  readonly policies: string;
}

const keysAtOnce = 100;

const keyCasts = '(cast(? as text), cast(? as text), cast(? as integer), cast(? as integer), cast(? as boolean))';

/** Writes what was there, with the changes. */
export async function saveChanges(db: Statements, changes: Changes): Promise<void> {
  const { sql } = db;
  const { keys } = changes;
  for (let start = 0; start < keys.length; start += keysAtOnce) {
    const some = keys.slice(start, start + keysAtOnce);
    const values = some.map((key) => keyColumns.map((column) => key[column]));
    const listed = sql.raw(values.map(() => keyCasts).join(), values.flat());
    const rows = sql
      .from(sql.raw('(values ?) as v', [listed]))
      .crossJoin(sql.raw('outcome_counts as k'))
      .whereRaw(keyColumns.map((column, index) => `k.${column} = v.column${index + 1}`).join(' and '))
      .select([...keyColumns, ...sumNames, 'policies'].map((column) => `k.${column}`));
    for (const { policies, ...row } of await db.all<SpanKey & SumsRow>(rows)) {
      const changed = changes.of(keyFrom(row));
      addTo(changed.sums, row);
      changed.policies.addTexts(policies);
    }
  }
  const rows = changes.rows();
  for (let start = 0; start < rows.length; start += keysAtOnce) {
    const insert = sql('outcome_counts').insert(rows.slice(start, start + keysAtOnce));
    await db.run(insert.onConflict([...keyColumns]).merge([...sumNames, 'policies']));
  }
}
