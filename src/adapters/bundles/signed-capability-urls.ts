import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { CapabilityPurpose, CapabilityUrls } from '../../application/index.js';
import type { Instant } from '../../domain/index.js';

export interface CapabilityUrlOptions {
  /** Base of every URL, without a slash at its end. */
  readonly publicUrl: string;
  readonly signingSecret: string;
  /** How long a URL of each purpose lives. */
  readonly seconds: Readonly<Record<CapabilityPurpose, number>>;
}

const kindOf: Readonly<Record<CapabilityPurpose, 'object' | 'log'>> = {
  upload: 'object',
  download: 'object',
  'plan-log': 'log',
  'apply-log': 'log',
};

const secondsOf = (instant: Instant): number => Math.floor(Date.parse(instant) / 1000);

/**
 * Object ids are `<id>.<expiry>.<signature>`. The signature covers purpose, id and expiry, and stands at
 * the end of the path: clients overwrite query strings.
 */
export class SignedCapabilityUrls implements CapabilityUrls {
  private readonly key: Uint8Array;

  constructor(private readonly options: CapabilityUrlOptions) {
    this.key = new Uint8Array(hkdfSync('sha256', options.signingSecret, '', 'capability urls', 32));
  }

  issue(purpose: CapabilityPurpose, id: string, now: Instant): string {
    const expiry = (secondsOf(now) + this.options.seconds[purpose]).toString(36);
    const signature = this.sign(purpose, id, expiry).toString('base64url');
    return `${this.options.publicUrl}/v1/${kindOf[purpose]}/${id}.${expiry}.${signature}`;
  }

  open(purpose: CapabilityPurpose, objectId: string, now: Instant): string | undefined {
    const [id, expiry, signature, ...rest] = objectId.split('.');
    if (id === undefined || expiry === undefined || signature === undefined || rest.length > 0) return undefined;
    const expected = Buffer.from(this.sign(purpose, id, expiry).toString('base64url'));
    const given = Buffer.from(signature);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    return Number.parseInt(expiry, 36) > secondsOf(now) ? id : undefined;
  }

  private sign(purpose: CapabilityPurpose, id: string, expiry: string): Buffer {
    return createHmac('sha256', this.key).update(`${purpose}.${id}.${expiry}`).digest();
  }
}
