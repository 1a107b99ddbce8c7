import type { Actor, Seen, Variable, VariableId, VariableTotals, WorkspaceId } from '../../../domain/index.js';

/** The variables of workspaces. What hangs on a deleted workspace or organization is missing. */
export interface VariableRepository {
  /** The standing is the caller's on the workspace, which must be the variable's own. */
  findFor(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<Seen<Variable> | undefined>;
  /** By key, then by category. One indexed statement, and never more than a workspace may have. */
  ofWorkspace(id: WorkspaceId): Promise<readonly Variable[]>;
  totalsOf(id: WorkspaceId): Promise<VariableTotals>;
  /** Those after `after` by id whose value is not sealed with this key. */
  sealedOtherwise(fingerprint: string, after: VariableId, limit: number): Promise<readonly Variable[]>;
  /** Throws `attribute/taken` when the workspace has one of the key in the category. */
  add(variable: Variable): Promise<void>;
  /** Throws `shared/stale-revision` when the stored revision moved on, `attribute/taken` as `add` does. */
  save(variable: Variable): Promise<void>;
  /** Whether there was one. */
  remove(id: VariableId): Promise<boolean>;
}
