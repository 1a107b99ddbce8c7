import type { Instant } from '../../../domain/index.js';

export const capabilityPurposes = [
  'upload',
  'download',
  'state-upload',
  'json-state-upload',
  'state-download',
  'json-state-download',
  'policy-upload',
  'shared-states',
  'plan-log',
  'apply-log',
] as const;

export type CapabilityPurpose = (typeof capabilityPurposes)[number];

/**
 * Absolute URLs that act as credentials: unguessable, expiring, and bound to one version, state version, policy set
 * version or run and to
 * one purpose.
 */
export interface CapabilityUrls {
  issue(purpose: CapabilityPurpose, id: string, now: Instant): string;
  /** The id an object id was issued for, or undefined if it is altered, expired or for another purpose. */
  open(purpose: CapabilityPurpose, objectId: string, now: Instant): string | undefined;
}
