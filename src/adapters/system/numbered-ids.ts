import { hash } from 'node:crypto';
import type { IdGenerator, IdKind } from '../../application/index.js';
import { type Id, idPrefixes, type UserId } from '../../domain/index.js';

/** For tests: ids in the order in which they were asked for, over all kinds: `org-1`, `ws-2`, `ws-3`. */
export class NumberedIds implements IdGenerator {
  private last = 0;

  next<Kind extends IdKind>(kind: Kind): Id<Kind> {
    this.last += 1;
    return `${idPrefixes[kind]}-${this.last}`;
  }

  *ofAddress(email: string): Generator<UserId> {
    for (let nth = 1; ; nth += 1) {
      yield `${idPrefixes.user}-${hash('sha256', `${email.toLowerCase()} ${nth}`, 'hex').slice(0, 16)}`;
    }
  }
}
