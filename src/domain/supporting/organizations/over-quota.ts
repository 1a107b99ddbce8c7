import { DomainError } from '../../shared/domain-error.js';

/** `kept` excludes the refused bytes. */
export const overQuota = (kept: number, limit: number): DomainError =>
  new DomainError(
    'organization/over-quota',
    `the organization stores ${kept} of the ${limit} bytes that MAX_ORGANIZATION_BYTES allows, and this request exceeds the limit. Archive or permanently delete configuration versions, or ask the operator to raise MAX_ORGANIZATION_BYTES`,
  );
