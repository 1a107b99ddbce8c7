import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { runUserFrom } from '../../src/agent/run-user.js';
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

  it('report all their errors at once, and never the token', () => {
    const load = () =>
      loadSettings({
        GATEHOUSE_URL: 'ftp://here',
        AGENT_TOKEN: 'too short',
        AGENT_PHASE_SECONDS: 'an hour',
        AGENT_PASS_ENV: 'HTTP_PROXY,AGENT_TOKEN',
      });
    expect(load).toThrow(
      [
        "the agent's settings have 4 errors:",
        '  GATEHOUSE_URL: must be the http:// or https:// URL of the service',
        '  AGENT_TOKEN: must be at least 16 characters without spaces',
        '  AGENT_PASS_ENV: must not name AGENT_TOKEN',
        '  AGENT_PHASE_SECONDS: must be a whole number, 1 or more',
      ].join('\n'),
    );
    expect(() => loadSettings({ ...enough, AGENT_TOKEN: '' })).toThrow(
      'AGENT_TOKEN_FILE: required, unless AGENT_TOKEN is set',
    );
  });

  it('take the token or a file with it, and not both', () => {
    const { AGENT_TOKEN: _, ...others } = enough;
    expect(loadSettings({ ...others, AGENT_TOKEN_FILE: '/run/token' }).AGENT_TOKEN_FILE).toBe('/run/token');
    expect(() => loadSettings({ ...enough, AGENT_TOKEN_FILE: '/run/token' })).toThrow(
      'AGENT_TOKEN_FILE: cannot be combined with AGENT_TOKEN. Unset AGENT_TOKEN',
    );
  });

  describe('for another user', () => {
    const passwd = () => 'root:x:0:0::/root:/bin/sh\nwheel:x:7:0::/:/bin/sh\nrunner:x:1001:100::/:/bin/sh\n';

    it.each([
      ['runner', { uid: 1001, gid: 100 }],
      ['1001', { uid: 1001, gid: 100 }],
      ['54321:54322', { uid: 54321, gid: 54322 }],
    ])('take a name or numbers: %s', (text, user) => {
      expect(runUserFrom(text, 0, passwd)).toEqual(user);
    });

    it.each([
      ['missing', '/etc/passwd has no user missing. Create the user, or write uid:gid'],
      ['54321', '/etc/passwd has no user 54321. Create the user, or write uid:gid'],
      ['root', 'must not be root'],
      ['0:5', 'must not be root'],
      ['wheel', "must not have root's group id"],
      ['4294967295:1', 'must have ids of at most 4294967294'],
      ['a:b', '/etc/passwd has no user a:b. Create the user, or write uid:gid'],
    ])('refuse %s: %s', (text, why) => {
      expect(() => runUserFrom(text, 0, passwd)).toThrow(why);
    });

    it('need an agent that is root', () => {
      expect(() => runUserFrom('runner', 1000, passwd)).toThrow('requires an agent that runs as root');
      const load = () => loadSettings({ ...enough, AGENT_RUN_AS: '0:0' });
      expect(load).toThrow(/AGENT_RUN_AS: (must not be root|requires an agent that runs as root)/);
    });
  });

  it('stand in --help and in docs/agents.md, word by word', async () => {
    const page = await readFile(new URL('../../docs/agents.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| `([A-Z_]+)` \| (.*) \| (.*) \|$/gm)].map(([, ...cells]) => cells);
    expect(rows).toEqual(settingRows());
    for (const row of settingRows()) for (const cell of row) expect(helpPage()).toContain(cell);
  });
});
