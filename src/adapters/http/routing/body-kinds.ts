import { limits } from './limits.js';

/** The limits on one kind of body, as rows of `limits`. */
export interface BodyKind {
  readonly bytes: { readonly max: number };
  readonly levels: { readonly max: number };
  readonly values: { readonly max: number };
}

const { depth: levels, values, longValues } = limits;

/** The kinds of bodies that are documents, or are read whole. */
export const bodyKinds = {
  /** Names, ids and choices. */
  plain: { bytes: limits.body, levels, values },
  /** With free text or values. */
  text: { bytes: limits.textBody, levels, values },
  form: { bytes: limits.form, levels, values },
  policyCode: { bytes: limits.policyCode, levels, values },
  logPart: { bytes: limits.logPart, levels, values },
  delivery: { bytes: limits.delivery, levels, values: longValues },
  policyTrial: { bytes: limits.policyTrial, levels, values },
  policyReport: { bytes: limits.policyReport, levels, values: longValues },
  state: { bytes: limits.stateBody, levels, values: longValues },
  stateReport: { bytes: limits.stateReport, levels: limits.stateReportDepth, values: longValues },
} as const satisfies Record<string, BodyKind>;
