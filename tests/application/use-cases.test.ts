import { describe, expect, it } from '@jest/globals';
import { assemble } from '../../src/application/assembly.js';
import { useCases } from '../../src/application/use-cases.js';
import { World } from '../support/application.js';

describe('the table of use cases', () => {
  it.each(Object.entries(useCases))('has the class that %s names', (name, { Class }) => {
    expect(Class.name.replace(/^./, (first) => first.toLowerCase())).toBe(name);
  });

  it('makes what each row says, and once what several rows are made from', async () => {
    const { useCases: built } = await World.create();
    for (const [name, { Class }] of Object.entries(useCases)) {
      expect(built[name as keyof typeof built]).toBeInstanceOf(Class);
    }
    // Uses that one of them notes are flushed by another.
    expect(Reflect.get(built.authenticate, 'uses')).toBe(built.tokenUses);
    expect(Reflect.get(built.authenticateAgent, 'uses')).toBe(built.tokenUses);
  });

  it('gives each constructor its parameters in order, and makes other objects each time', () => {
    class Pair {
      constructor(
        readonly first: unknown,
        readonly second: unknown,
      ) {}
    }
    const inner = { Class: Pair, from: ['clock', 'ids'] } as const;
    const rows = { inner, outer: { Class: Pair, from: [inner, 'clock'] } } as const;
    const portNamed = (name: string) => `the ${name}` as never;
    const made = assemble(rows, portNamed);
    expect(made.outer).toEqual({ first: { first: 'the clock', second: 'the ids' }, second: 'the clock' });
    expect(made.outer.first).toBe(made.inner);
    expect(assemble(rows, portNamed).inner).not.toBe(made.inner);
  });
});
