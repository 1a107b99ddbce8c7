import { describe, expect, it } from '@jest/globals';
import {
  checkRunTask,
  moveAll,
  openTaskStage,
  reportedResult,
  type TaskResult,
  type TaskStage,
  type TaskStageName,
  taskResultMoves,
  taskResultStatuses,
  withResult,
} from '../../src/domain/index.js';
import { noon } from '../support/builders.js';

const later = '2026-03-01T12:05:00.000Z';

const opened = (stage: TaskStageName, levels: readonly TaskResult['enforcementLevel'][]): TaskStage =>
  openTaskStage(
    { id: 'ts-1', runId: 'run-1', stage, createdAt: noon },
    [],
    levels.map((enforcementLevel, index) => ({
      id: `taskrs-${index}`,
      taskId: 'task-1',
      taskName: 'scanner',
      taskUrl: 'https://scanner.example',
      workspaceTaskId: 'wstask-1',
      enforcementLevel,
      speculative: false,
    })),
  );

const withStatuses = (stage: TaskStage, statuses: readonly TaskResult['status'][]): TaskStage =>
  statuses.reduce(
    (current, status, index) => {
      const result = current.results[index] as TaskResult;
      return withResult(current, { ...result, status }, later);
    },
    moveAll(stage, 'start', noon),
  );

describe('the result of a run task', () => {
  it('reaches every status from the first', () => {
    expect(new Set(['pending', ...taskResultMoves.map(({ to }) => to)])).toEqual(new Set(taskResultStatuses));
  });

  it('is waited for once its stage begins, for a bounded time', () => {
    const stage = opened('pre_plan', ['mandatory']);
    expect(stage.results[0]).toMatchObject({ status: 'pending', deadline: null, tokenDigest: null });
    const [result] = moveAll(stage, 'start', noon).results as readonly [TaskResult];
    expect(result).toMatchObject({ calledAt: null, deadline: '2030-01-01T13:00:00.000Z' });
  });

  it.each(['passed', 'failed', 'errored', 'unreachable', 'canceled'] as const)('is final once it is %s', (status) => {
    const [result] = moveAll(opened('pre_plan', ['mandatory']), 'start', noon).results;
    const over = { ...(result as TaskResult), status };
    const report = { status: 'passed', message: undefined, url: undefined } as const;
    expect(() => reportedResult(over, report, later)).toThrow(`because its status is ${status}`);
  });
});

describe('a stage with run tasks', () => {
  it.each<[TaskStageName, TaskResult['enforcementLevel'], TaskResult['status'], TaskStage['status']]>([
    ['pre_plan', 'mandatory', 'passed', 'passed'],
    ['pre_plan', 'mandatory', 'failed', 'failed'],
    ['pre_plan', 'mandatory', 'unreachable', 'errored'],
    ['pre_plan', 'mandatory', 'errored', 'errored'],
    ['pre_plan', 'advisory', 'failed', 'passed'],
    ['pre_plan', 'advisory', 'unreachable', 'passed'],
    ['post_plan', 'mandatory', 'failed', 'awaiting_override'],
    ['post_plan', 'mandatory', 'errored', 'awaiting_override'],
    ['post_plan', 'advisory', 'errored', 'passed'],
    ['pre_apply', 'mandatory', 'failed', 'failed'],
    ['post_apply', 'mandatory', 'failed', 'failed'],
  ])('in %s, with a %s task that %s, is %s', (stage, level, status, expected) => {
    expect(withStatuses(opened(stage, [level]), [status]).status).toBe(expected);
  });

  it('waits for all of them, and ends their tokens with itself', () => {
    const stage = opened('pre_plan', ['advisory', 'mandatory']);
    const started = moveAll(stage, 'start', noon);
    const tokens = { ...started, results: started.results.map((one) => ({ ...one, tokenDigest: 'a digest' })) };
    const [first, second] = tokens.results as [TaskResult, TaskResult];
    const half = withResult(tokens, { ...first, status: 'failed' }, later);
    expect(half).toMatchObject({ status: 'running', results: [{ tokenDigest: 'a digest' }, {}], revision: 2 });
    const whole = withResult(half, { ...second, status: 'passed' }, later);
    expect(whole).toMatchObject({ status: 'passed', results: [{ tokenDigest: null }, { tokenDigest: null }] });
  });
});

describe('a run task', () => {
  const settings = { name: 'scanner', url: 'https://scanner.example/a?b=c', description: '', enabled: true };

  const longest = 'https://scanner.example/'.padEnd(2048, 'a');

  it.each(['https://scanner.example', 'http://localhost:8080/run-task', 'https://[::1]/x?token=y', longest])(
    'may have the URL %.60s',
    (url) => {
      expect(checkRunTask({ ...settings, url })).toEqual({ ...settings, url });
    },
  );

  it.each([
    'scanner.example',
    'ftp://scanner.example',
    'https:/scanner.example',
    'https://user:secret@scanner.example',
    'https://scanner.example/#part',
    'https://scanner.example/a b',
    `${longest}a`,
  ])('cannot have the URL %.60s', (url) => {
    expect(() => checkRunTask({ ...settings, url })).toThrow('Url');
  });
});
