import type { PolicySetParameter } from '../../../domain/index.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';

/** A parameter as callers of the API see it. */
export interface PolicySetParameterView {
  readonly parameter: PolicySetParameter;
  /** Null if it is sensitive, or if no signing secret opens it. */
  readonly value: string | null;
}

/** A parameter as a request describes it. */
export interface PolicySetParameterDraft {
  readonly key: string;
  readonly value: string;
  readonly sensitive: boolean;
}

export const parameterView = (box: SecretBox, parameter: PolicySetParameter): PolicySetParameterView => ({
  parameter,
  value: parameter.sensitive ? null : (openedWith(box, parameter.sealedValue) ?? null),
});
