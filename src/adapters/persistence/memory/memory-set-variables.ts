import { sealPrefix, sealPrefixOf } from '../../../application/ports/outside/secret-box.js';
import type { SetVariableRepository } from '../../../application/ports/repositories/variable-set-repository.js';
import {
  type OrganizationId,
  type SetVariable,
  type VariableId,
  type VariableSetId,
  type VariableTotals,
  variableTaken,
} from '../../../domain/index.js';
import { byText, type CurrentTables, checkRevision, compare } from './memory-tables.js';

export class MemorySetVariables implements SetVariableRepository {
  constructor(private readonly tables: CurrentTables) {}

  async find(setId: VariableSetId, id: VariableId): Promise<SetVariable | undefined> {
    return this.living().find((row) => row.id === id && row.variableSetId === setId);
  }

  async ofSets(ids: readonly VariableSetId[]): Promise<readonly SetVariable[]> {
    return this.living()
      .filter(({ variableSetId }) => ids.includes(variableSetId))
      .sort((a, b) => compare(a.key, b.key) || compare(a.category, b.category) || compare(a.id, b.id));
  }

  async totalsOf(id: OrganizationId): Promise<VariableTotals> {
    const { variableSets } = this.tables();
    const rows = this.living().filter(({ variableSetId }) => variableSets.get(variableSetId)?.organizationId === id);
    return { count: rows.length, bytes: rows.reduce((sum, { size }) => sum + size, 0) };
  }

  async sealedOtherwise(fingerprint: string, after: VariableId, limit: number): Promise<readonly SetVariable[]> {
    return this.living()
      .filter(({ id, sealedValue }) => id > after && sealPrefixOf(sealedValue) !== sealPrefix(fingerprint))
      .sort(byText(({ id }) => id))
      .slice(0, limit);
  }

  async add(variable: SetVariable): Promise<void> {
    this.checkKey(variable);
    this.tables().setVariables.set(variable.id, variable);
  }

  async save(variable: SetVariable): Promise<void> {
    checkRevision(this.tables().setVariables.get(variable.id), variable);
    this.checkKey(variable);
    this.tables().setVariables.set(variable.id, variable);
  }

  async remove(id: VariableId): Promise<boolean> {
    return this.tables().setVariables.delete(id);
  }

  private living(): readonly SetVariable[] {
    const tables = this.tables();
    return [...tables.setVariables.values()].filter(({ variableSetId }) => {
      const set = tables.variableSets.get(variableSetId);
      return set !== undefined && tables.organization(set.organizationId) !== undefined;
    });
  }

  private checkKey({ id, variableSetId, key, category }: SetVariable): void {
    const same = (other: SetVariable) =>
      other.id !== id && other.variableSetId === variableSetId && other.key === key && other.category === category;
    if ([...this.tables().setVariables.values()].some(same)) throw variableTaken();
  }
}
