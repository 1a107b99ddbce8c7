import { describe, expect, it } from '@jest/globals';
import { closeAll } from '../../src/infrastructure/service.js';

describe('closing what stands on each other', () => {
  const closed: string[] = [];
  const closes = (name: string) => async () => {
    closed.push(name);
  };
  const fails = (name: string) => async () => {
    closed.push(name);
    throw new Error(`${name} failed`);
  };

  it('goes on behind what fails, in its order, and says what failed', async () => {
    await expect(closeAll(closes('server'), fails('database'), closes('traces'))).rejects.toThrow('database failed');
    expect(closed.splice(0)).toEqual(['server', 'database', 'traces']);
    const both = closeAll(fails('database'), fails('traces'), closes('lock'));
    await expect(both).rejects.toMatchObject({
      errors: [{ message: 'database failed' }, { message: 'traces failed' }],
    });
    expect(closed.splice(0)).toEqual(['database', 'traces', 'lock']);
    await closeAll(closes('server'), () => closed.push('lock'));
    expect(closed).toEqual(['server', 'lock']);
  });
});
