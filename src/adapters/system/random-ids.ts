import { randomBytes } from 'node:crypto';
import type { IdGenerator, IdKind } from '../../application/index.js';
import type { Id } from '../../domain/index.js';

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
export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length + 8)) {
      // 248 is the largest multiple of 62 a byte can reach: a higher one would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}

export class RandomIds implements IdGenerator {
  next<Kind extends IdKind>(kind: Kind): Id<Kind> {
    return `${prefixes[kind]}-${randomText(16)}`;
  }
}
