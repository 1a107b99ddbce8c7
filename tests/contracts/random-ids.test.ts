import { describe, expect, it } from '@jest/globals';
import { RandomIds } from '../../src/adapters/system/random-ids.js';

const ids = new RandomIds('secret');
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

describe('a new id', () => {
  it('is its prefix and 16 characters of base58, which clients do not take for a name', () => {
    const made = Array.from({ length: 400 }, () => ids.next('workspace'));
    for (const id of made) expect(id).toMatch(new RegExp(`^ws-[${base58}]{16}$`));
    expect(new Set(made).size).toBe(made.length);
    expect([...new Set(made.flatMap((id) => [...id.slice('ws-'.length)]))].sort().join('')).toBe(base58);
  });

  it('of an address has letters and digits', () => {
    const letters = new Set<string>();
    for (let nth = 0; nth < 400; nth += 1) {
      const [id] = ids.ofAddress(`${nth}@example.com`);
      expect(id).toMatch(/^user-[0-9A-Za-z]{16}$/);
      for (const letter of id?.slice('user-'.length) ?? '') letters.add(letter);
    }
    expect(letters.size).toBe(62);
  });
});
