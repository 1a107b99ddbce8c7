import type {
  Actor,
  SourcedVariable,
  StoredVariable,
  Variable,
  VariableId,
  VariableTotals,
  WithStanding,
  WorkspaceId,
} from '../../../domain/index.js';

/** The variables of workspaces. Those of a deleted workspace or organization are missing. */
export interface VariableRepository {
  /** The standing is the caller's on the workspace, which must be the variable's own. */
  findFor(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<WithStanding<Variable> | undefined>;
  /** Ordered by key, then by category. One indexed statement; the limit per workspace bounds the result. */
  ofWorkspace(id: WorkspaceId): Promise<readonly Variable[]>;
  /**
   * Its own and those of the variable sets that apply to it, in no particular order, and once for each reason for which a
   * set applies. One statement.
   */
  applyingTo(id: WorkspaceId): Promise<readonly SourcedVariable<StoredVariable>[]>;
  totalsOf(id: WorkspaceId): Promise<VariableTotals>;
  /** Variables after the id `after` whose value is not sealed with this key. */
  sealedWithOtherKeys(fingerprint: string, after: VariableId, limit: number): Promise<readonly Variable[]>;
  /** Throws `attribute/taken` if the workspace has a variable with the key in the category. */
  add(variable: Variable): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed, `attribute/taken` as `add` does. */
  save(variable: Variable): Promise<void>;
  /** Returns whether it existed. */
  remove(id: VariableId): Promise<boolean>;
}
