import type { Variable } from '../../../domain/index.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';

/** A variable as callers of the API see it. */
export interface VariableView {
  readonly variable: Variable;
  /** Null if it is sensitive, or if no signing secret opens it. */
  readonly value: string | null;
}

/** A variable with its value, for the agent that executes the workspace's runs. */
export interface OpenedVariable extends Variable {
  readonly value: string;
}

export const viewOf = (box: SecretBox, variable: Variable): VariableView => ({
  variable,
  value: variable.sensitive ? null : (openedWith(box, variable.sealedValue) ?? null),
});
