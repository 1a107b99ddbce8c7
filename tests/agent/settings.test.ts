import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { helpPage, loadSettings, settingRows } from '../../src/agent/settings.js';

const enough = { GATEHOUSE_URL: 'http://127.0.0.1:8080/', AGENT_TOKEN: 'a-token-of-an-agent' };

describe("an agent's settings", () => {
  it('need an address and a token, and have defaults for the rest', () => {
    const settings = loadSettings(enough);
    expect(settings).toMatchObject({
      GATEHOUSE_URL: 'http://127.0.0.1:8080',
      AGENT_PASS_ENV: [],
      AGENT_PHASE_SECONDS: 3600,
      TERRAFORM_PATH: undefined,
    });
  });

  it('tell all their faults at once, and never the token', () => {
    const load = () =>
      loadSettings({
        GATEHOUSE_URL: 'ftp://here',
        AGENT_TOKEN: 'too short',
        AGENT_PHASE_SECONDS: 'an hour',
        AGENT_PASS_ENV: 'HTTP_PROXY,AGENT_TOKEN',
      });
    expect(load).toThrow(
      [
        "the agent's settings have 4 faults:",
        '  GATEHOUSE_URL: must be the http:// or https:// URL of the service',
        '  AGENT_TOKEN: must be at least 16 characters without blanks',
        '  AGENT_PASS_ENV: must not name AGENT_TOKEN',
        '  AGENT_PHASE_SECONDS: must be a whole number, 1 or more',
      ].join('\n'),
    );
    expect(() => loadSettings({ ...enough, AGENT_TOKEN: '' })).toThrow('AGENT_TOKEN: must be set');
  });

  it('stand in --help and in docs/agents.md, word by word', async () => {
    const page = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    expect(rows).toEqual(settingRows());
    for (const row of settingRows()) for (const cell of row) expect(helpPage()).toContain(cell);
  });
});
