import type { OrganizationId, WorkspaceId } from '../../../../../domain/index.js';
import { noSums, PolicySums, type Sums } from './outcome-sums.js';

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
