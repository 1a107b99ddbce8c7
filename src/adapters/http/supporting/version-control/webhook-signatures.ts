import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/** A header's value by its lower-case name; undefined when it was not sent. */
export type HeaderLookup = (name: string) => string | undefined;

export interface SignedMessage {
  readonly headers: HeaderLookup;
  /** The raw body: signatures cover bytes. */
  readonly body: Uint8Array;
  readonly secret: string;
  readonly now: Date;
}

const secondsOfGrace = 300;

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();

/** Its timing reveals nothing, not even the expected length. */
const same = (given: string, expected: string): boolean => timingSafeEqual(digestOf(given), digestOf(expected));

const hexOf = ({ body, secret }: SignedMessage): string => createHmac('sha256', secret).update(body).digest('hex');

const isBareHex = (given: string, message: SignedMessage): boolean => same(given, hexOf(message));

/** The key inside a secret of the only form GitLab takes as a signing token: 32 bytes. */
const signingKeyOf = (secret: string): Buffer | undefined => {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]{43}=)$/.exec(secret) ?? [];
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64');
};

const isFresh = (timestamp: string, now: Date): boolean =>
  /^\d{1,12}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= secondsOfGrace;

/**
 * Standard Webhooks: the header lists one signature per key while keys are rotated, and one valid signature is enough.
 */
const isStandard = (given: string, { headers, body, secret, now }: SignedMessage): boolean => {
  const [id = '', timestamp = ''] = [headers('webhook-id'), headers('webhook-timestamp')];
  const key = signingKeyOf(secret);
  if (key === undefined || !isFresh(timestamp, now)) return false;
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64');
  return given.split(' ').some((one) => same(one, `v1,${signature}`));
};

/** SHA-1, in `X-Hub-Signature`, is not accepted as proof: forges that send it also send a better signature. */
const schemes: Readonly<Record<string, (given: string, message: SignedMessage) => boolean>> = {
  'x-hub-signature-256': (given, message) => same(given, `sha256=${hexOf(message)}`),
  'x-gitea-signature': isBareHex,
  'x-forgejo-signature': isBareHex,
  'x-gogs-signature': isBareHex,
  'x-gitlab-token': (given, { secret }) => same(given, secret),
  'webhook-signature': isStandard,
};

/** Whether the sender knows the secret: at least one known signature was sent, and all that were sent are valid. */
export const isSigned = (message: SignedMessage): boolean => {
  // Any sender can sign with an empty secret.
  if (message.secret === '') return false;
  const verdicts = Object.entries(schemes).flatMap(([header, fits]) => {
    const given = message.headers(header);
    return given === undefined ? [] : [fits(given, message)];
  });
  return verdicts.length > 0 && verdicts.every((fits) => fits);
};
