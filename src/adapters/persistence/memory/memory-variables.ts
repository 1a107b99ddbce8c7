import { sealPrefix, sealPrefixOf } from '../../../application/ports/outside/secret-box.js';
import type { VariableRepository } from '../../../application/ports/repositories/variable-repository.js';
import {
  type Actor,
  type SourcedVariable,
  type StoredVariable,
  type Variable,
  type VariableId,
  type VariableTotals,
  variableTaken,
  type WithStanding,
  type WorkspaceId,
} from '../../../domain/index.js';
import { standingIn, standingOn } from './memory-standing.js';
import { byText, type CurrentTables, checkRevision, compare } from './memory-tables.js';
import { livingSets, scopesOf } from './memory-variable-sets.js';

export class MemoryVariables implements VariableRepository {
  constructor(private readonly tables: CurrentTables) {}

  async findFor(actor: Actor, workspaceId: WorkspaceId, id: VariableId): Promise<WithStanding<Variable> | undefined> {
    const tables = this.tables();
    const [subject, workspace] = [tables.variables.get(id), tables.workspace(workspaceId)];
    if (subject?.workspaceId !== workspaceId || workspace === undefined) return undefined;
    return { subject, standing: standingOn(tables, standingIn(tables, actor, workspace.organizationId), workspaceId) };
  }

  async ofWorkspace(id: WorkspaceId): Promise<readonly Variable[]> {
    return this.living()
      .filter(({ workspaceId }) => workspaceId === id)
      .sort((a, b) => compare(a.key, b.key) || compare(a.category, b.category));
  }

  async applyingTo(id: WorkspaceId): Promise<readonly SourcedVariable<StoredVariable>[]> {
    const tables = this.tables();
    const workspace = tables.workspace(id);
    if (workspace === undefined) return [];
    const own = (await this.ofWorkspace(id)).map(({ workspaceId: _, ...variable }) => ({ variable, set: null }));
    const ofSets = livingSets(tables).flatMap((set) =>
      scopesOf(set, workspace).flatMap((scope) =>
        [...tables.setVariables.values()].flatMap(
          ({ variableSetId, ...variable }): SourcedVariable<StoredVariable>[] => {
            const owner = set.projectId === null ? 'organization' : 'project';
            const { id, name, priority } = set;
            return variableSetId === id ? [{ variable, set: { id, name, priority, owner, scope } }] : [];
          },
        ),
      ),
    );
    return [...own, ...ofSets];
  }

  async totalsOf(id: WorkspaceId): Promise<VariableTotals> {
    const rows = await this.ofWorkspace(id);
    return { count: rows.length, bytes: rows.reduce((sum, { size }) => sum + size, 0) };
  }

  async sealedOtherwise(fingerprint: string, after: VariableId, limit: number): Promise<readonly Variable[]> {
    return this.living()
      .filter(({ id, sealedValue }) => id > after && sealPrefixOf(sealedValue) !== sealPrefix(fingerprint))
      .sort(byText(({ id }) => id))
      .slice(0, limit);
  }

  async add(variable: Variable): Promise<void> {
    this.checkKey(variable);
    this.tables().variables.set(variable.id, variable);
  }

  async save(variable: Variable): Promise<void> {
    checkRevision(this.tables().variables.get(variable.id), variable);
    this.checkKey(variable);
    this.tables().variables.set(variable.id, variable);
  }

  async remove(id: VariableId): Promise<boolean> {
    return this.tables().variables.delete(id);
  }

  private living(): readonly Variable[] {
    const tables = this.tables();
    return [...tables.variables.values()].filter(({ workspaceId }) => tables.workspace(workspaceId) !== undefined);
  }

  private checkKey({ id, workspaceId, key, category }: Variable): void {
    const same = (other: Variable) =>
      other.id !== id && other.workspaceId === workspaceId && other.key === key && other.category === category;
    if ([...this.tables().variables.values()].some(same)) throw variableTaken();
  }
}
