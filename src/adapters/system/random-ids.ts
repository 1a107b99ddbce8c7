import { hkdfSync, randomBytes } from 'node:crypto';
import type { IdGenerator, IdKind } from '../../application/index.js';
import type { Id, UserId } from '../../domain/index.js';

/** The field's prefixes: a reader of a log knows what an id names. */
const prefixes: Readonly<Record<IdKind, string>> = {
  organization: 'org',
  membership: 'ou',
  user: 'user',
  team: 'team',
  workspace: 'ws',
  variable: 'var',
  'team-workspace': 'tws',
  'configuration-version': 'cv',
  'ingress-attributes': 'ia',
  token: 'at',
  bundle: 'bundle',
  run: 'run',
  'task-stage': 'ts',
  'policy-evaluation': 'poleval',
  'policy-set-outcome': 'psout',
  'policy-set': 'polset',
  policy: 'pol',
  'agent-pool': 'apool',
  'state-version': 'sv',
  'state-version-output': 'wsout',
  webhook: 'hook',
  instance: 'instance',
};

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Letters and digits, each as likely as any other. */
export const randomText = (length: number): string => textOf(length, () => randomBytes(length + 8));

/** `more` gives further bytes of chance. */
function textOf(length: number, more: () => Uint8Array): string {
  let text = '';
  while (text.length < length) {
    for (const byte of more()) {
      // 248 is the largest multiple of 62 a byte can reach: a higher one would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

export class RandomIds implements IdGenerator {
  constructor(private readonly signingSecret: string) {}

  next<Kind extends IdKind>(kind: Kind): Id<Kind> {
    return `${prefixes[kind]}-${randomText(16)}`;
  }

  *ofAddress(email: string): Generator<UserId> {
    for (let nth = 1; ; nth += 1) {
      let taken = 0;
      const more = (): Uint8Array => {
        taken += 1;
        const info = `user ${nth} ${taken}`;
        return new Uint8Array(hkdfSync('sha256', this.signingSecret, email.toLowerCase(), info, 24));
      };
      yield `${prefixes.user}-${textOf(16, more)}`;
    }
  }
}
