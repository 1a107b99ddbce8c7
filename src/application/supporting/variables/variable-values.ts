import type { SetVariable, StoredVariable, Variable } from '../../../domain/index.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';

/** A variable as callers of the API see it. */
export interface VariableView {
  /** It belongs to a workspace or to a variable set. */
  readonly variable: StoredVariable & Partial<Pick<Variable, 'workspaceId'> & Pick<SetVariable, 'variableSetId'>>;
  /** Null if it is sensitive, or if no signing secret opens it. */
  readonly value: string | null;
}

/** A variable with its value, for the agent that executes the workspace's runs. */
export interface OpenedVariable extends StoredVariable {
  readonly value: string;
}

export const viewOf = (box: SecretBox, variable: VariableView['variable']): VariableView => ({
  variable,
  value: variable.sensitive ? null : (openedWith(box, variable.sealedValue) ?? null),
});
