import type { ConfigurationVersionId, Instant } from '../../domain/index.js';

export type CapabilityPurpose = 'upload' | 'download';

/** Absolute URLs that carry their own right: unguessable, expiring, bound to one version and one purpose. */
export interface CapabilityUrls {
  issue(purpose: CapabilityPurpose, id: ConfigurationVersionId, now: Instant): string;
  /** The version an object id was issued for, or undefined when it is altered, expired or for another purpose. */
  open(purpose: CapabilityPurpose, objectId: string, now: Instant): ConfigurationVersionId | undefined;
}
