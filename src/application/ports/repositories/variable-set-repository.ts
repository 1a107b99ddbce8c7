import type {
  Actor,
  OrganizationId,
  ProjectId,
  SetVariable,
  VariableId,
  VariableSet,
  VariableSetId,
  VariableTotals,
  WithStanding,
  WorkspaceId,
} from '../../../domain/index.js';
import type { VariableSetFilter, VariableSetVisibility } from './filters.js';
import type { Page, PageRequest } from './page.js';

/**
 * Variable sets of existing organizations. Their lists of workspaces hold existing ones only, and for a set that a
 * project owns, those of the project only.
 */
export interface VariableSetRepository {
  /** The standing is the caller's in the set's organization, and on the project that owns it. */
  findFor(actor: Actor, id: VariableSetId): Promise<WithStanding<VariableSet> | undefined>;
  /** Throws `attribute/taken` if its owner has a set with the name. */
  add(set: VariableSet): Promise<void>;
  /**
   * Throws `shared/stale-revision` if the stored revision has changed, `attribute/taken` as `add` does. Saves the lists of
   * what the set is attached to, and not its variables.
   */
  save(set: VariableSet): Promise<void>;
  /** With its variables. */
  remove(id: VariableSetId): Promise<void>;
  /** By name. */
  page(
    organizationId: OrganizationId,
    visibility: VariableSetVisibility,
    page: PageRequest,
    filter?: VariableSetFilter,
  ): Promise<Page<VariableSet>>;
  /** The sets that apply to a workspace, by name. */
  pageOfWorkspace(id: WorkspaceId, page: PageRequest, filter?: VariableSetFilter): Promise<Page<VariableSet>>;
  /** The sets that apply to every workspace of a project, by name. */
  pageOfProject(id: ProjectId, page: PageRequest, filter?: VariableSetFilter): Promise<Page<VariableSet>>;
}

/** The variables of variable sets. Those of a deleted organization are missing. */
export interface SetVariableRepository {
  find(setId: VariableSetId, id: VariableId): Promise<SetVariable | undefined>;
  /** Ordered by key, then by category. The limit per organization bounds the result. */
  ofSets(ids: readonly VariableSetId[]): Promise<readonly SetVariable[]>;
  /** Over all sets of the organization. */
  totalsOf(id: OrganizationId): Promise<VariableTotals>;
  /** Variables after the id `after` whose value is not sealed with this key. */
  sealedWithOtherKeys(fingerprint: string, after: VariableId, limit: number): Promise<readonly SetVariable[]>;
  /** Throws `attribute/taken` if the set has a variable with the key in the category. */
  add(variable: SetVariable): Promise<void>;
  /** Throws `shared/stale-revision` if the stored revision has changed, `attribute/taken` as `add` does. */
  save(variable: SetVariable): Promise<void>;
  /** Returns whether it existed. */
  remove(id: VariableId): Promise<boolean>;
}
