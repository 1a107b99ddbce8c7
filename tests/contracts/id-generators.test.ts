import { describe, expect, it } from '@jest/globals';
import { NumberedIds, RandomIds } from '../../src/adapters/system/index.js';

describe.each([
  { name: 'random', ids: new RandomIds('secret') },
  { name: 'numbered', ids: new NumberedIds() },
])('$name ids', ({ ids }) => {
  it('begin with the prefix of their kind, and are new each time', () => {
    const made = Array.from({ length: 400 }, () => ids.next('workspace'));
    for (const id of made) expect(id).toMatch(/^ws-/);
    expect(new Set(made).size).toBe(made.length);
  });

  it('of an address are the same each time, whatever its case, and differ from those of others', () => {
    const firstThree = (email: string): readonly string[] => {
      const sequence = ids.ofAddress(email)[Symbol.iterator]();
      return [1, 2, 3].map(() => sequence.next().value);
    };
    const ada = firstThree('ada@example.com');
    for (const id of ada) expect(id).toMatch(/^user-[0-9A-Za-z]{16}$/);
    expect(firstThree('Ada@Example.com')).toEqual(ada);
    expect(new Set([...ada, ...firstThree('ben@example.com')]).size).toBe(6);
  });
});

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

const random = new RandomIds('secret');

describe('a random id', () => {
  it('is its prefix and 16 characters of base58, which clients do not take for a name', () => {
    const made = Array.from({ length: 400 }, () => random.next('workspace'));
    for (const id of made) expect(id).toMatch(new RegExp(`^ws-[${base58}]{16}$`));
    expect(new Set(made).size).toBe(made.length);
    expect([...new Set(made.flatMap((id) => [...id.slice('ws-'.length)]))].sort().join('')).toBe(base58);
  });

  it('of an address has letters and digits', () => {
    const letters = new Set<string>();
    for (let nth = 0; nth < 400; nth += 1) {
      const [id] = random.ofAddress(`${nth}@example.com`);
      expect(id).toMatch(/^user-[0-9A-Za-z]{16}$/);
      for (const letter of id?.slice('user-'.length) ?? '') letters.add(letter);
    }
    expect(letters.size).toBe(62);
  });
});
