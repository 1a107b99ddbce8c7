import { hkdfSync, randomBytes } from 'node:crypto';
import type { IdGenerator, IdKind } from '../../application/index.js';
import { type Id, idPrefixes, type UserId } from '../../domain/index.js';

const alphanumeric = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Without 0, O, I and l. Clients take an id with one of them for a name. */
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Letters and digits, each as likely as any other. */
export const randomText = (length: number, alphabet = alphanumeric): string =>
  textOf(length, alphabet, () => randomBytes(length + 8));

/** `more` gives further bytes of chance. */
function textOf(length: number, alphabet: string, more: () => Uint8Array): string {
  // The largest multiple a byte can reach: a higher one would favour the first letters.
  const end = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of more()) {
      if (byte < end && text.length < length) text += alphabet[byte % alphabet.length];
    }
  }
  return text;
}

/** Ids that cannot be guessed. `signingSecret` decides the ids of addresses, and should be the same at each start. */
export class RandomIds implements IdGenerator {
  constructor(private readonly signingSecret: string) {}

  next<Kind extends IdKind>(kind: Kind): Id<Kind> {
    return `${idPrefixes[kind]}-${randomText(16, base58)}`;
  }

  *ofAddress(email: string): Generator<UserId> {
    for (let nth = 1; ; nth += 1) {
      let taken = 0;
      const more = (): Uint8Array => {
        taken += 1;
        const info = `user ${nth} ${taken}`;
        return new Uint8Array(hkdfSync('sha256', this.signingSecret, email.toLowerCase(), info, 24));
      };
      // An invitation shows the id that the address has or would get.
      yield `${idPrefixes.user}-${textOf(16, alphanumeric, more)}`;
    }
  }
}
