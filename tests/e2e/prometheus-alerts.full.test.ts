import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect } from '@jest/globals';
import { needing } from '../support/examples.js';

const rules = fileURLToPath(new URL('../../deploy/prometheus/alerts.yaml', import.meta.url));
const cases = fileURLToPath(new URL('prometheus-alerts.yaml', import.meta.url));
const { test } = needing('promtool');

describe('the alert rules', () => {
  test('are ones that Prometheus reads', () => {
    expect(spawnSync('promtool', ['check', 'rules', '--lint-fatal', rules])).toMatchObject({ status: 0 });
  });

  test('report nothing of a healthy service, and each trouble of one that has it', async () => {
    const { stdout } = await promisify(execFile)('promtool', ['test', 'rules', cases]);
    expect(stdout).toContain('SUCCESS');
  });
});
