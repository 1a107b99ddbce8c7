import { describe, expect, it } from '@jest/globals';
import { RetryingUnitOfWork } from '../../src/application/index.js';
import { TagChanges } from '../../src/application/supporting/tags/tag-changes.js';
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

  it('gives each constructor its parameters in order, and makes other objects for another process', async () => {
    const world = await World.create();
    const { createProject, tokenUses } = world.useCases;
    const [unitOfWork, ...others] = Object.values(createProject);
    expect(unitOfWork).toBeInstanceOf(RetryingUnitOfWork);
    expect(others).toEqual([world.clock, world.ids, new TagChanges(world.clock, world.ids)]);
    expect(world.processBeside().tokenUses).not.toBe(tokenUses);
  });
});
