import { expect, it } from '@jest/globals';
import { DomainError } from '../../src/domain/index.js';
import { attached, maxAttached } from '../../src/domain/shared/attached.js';
import { checkAttachmentCount } from '../../src/domain/supporting/run-tasks/run-task.js';

const ids = (count: number): readonly string[] => Array.from({ length: count }, (_, nth) => `ws-${count - nth}`);

it('a set names up to 5,000 workspaces, in order, and no more', () => {
  const where = { member: 'data' } as const;
  expect(maxAttached).toBe(5_000);
  expect(attached(ids(maxAttached), where)).toEqual(ids(maxAttached).toSorted());
  expect(() => attached(ids(maxAttached + 1), where)).toThrow(
    new DomainError('attribute/invalid', 'A set can name at most 5,000 of them: name projects or tags', where),
  );
});

it('a run task is attached to up to 5,000 workspaces', () => {
  checkAttachmentCount(maxAttached);
  expect(() => checkAttachmentCount(maxAttached + 1)).toThrow(
    new DomainError(
      'attribute/invalid',
      'Task can be attached to at most 5,000 workspaces: create another task with the same URL',
      { relationship: 'task' },
    ),
  );
});
