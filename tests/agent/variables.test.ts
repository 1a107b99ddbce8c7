import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { bareEnvironment, terraformEnvironment } from '../../src/agent/programs/environment.js';
import { writeVariables } from '../../src/agent/run/variables.js';
import { loadSettings } from '../../src/agent/settings.js';
import { inTemporaryDirectory } from '../support/process.js';

const variable = (key: string, value: string, more: object = {}) => ({
  key,
  value,
  category: 'terraform' as const,
  hcl: false,
  sensitive: false,
  ...more,
});

/** The variables passed to Terraform in addition to the configuration. */
async function handed(
  sources: Readonly<Record<string, string>>,
  ofWorkspace: readonly ReturnType<typeof variable>[],
  ofRun: readonly { key: string; value: string }[] = [],
  phase: 'plan' | 'apply' = 'plan',
) {
  let result: { texts: unknown; literals: string; environment: unknown } | undefined;
  await inTemporaryDirectory(async (directory) => {
    await mkdir(join(directory, 'tree'));
    for (const [name, text] of Object.entries(sources)) await writeFile(join(directory, 'tree', name), text);
    const job = { phase, workspace: { variables: ofWorkspace }, run: { variables: ofRun } } as unknown as Parameters<
      typeof writeVariables
    >[0];
    const { files, environment } = await writeVariables(job, join(directory, 'tree'), (name) => join(directory, name));
    const [texts = '{}', literals = ''] = await Promise.all(files.map((file) => readFile(file, 'utf8')));
    result = { texts: JSON.parse(texts), literals, environment };
  });
  return result;
}

describe('variables', () => {
  it('go into files as text or as literals, whatever is in them', async () => {
    const awkward = `\${x} %{if} "q" \\ \n☃`;
    expect(
      await handed({ 'main.tf': 'variable "a" {}\nvariable list {\n}' }, [
        variable('a', awkward),
        variable('list', '["x"]', { hcl: true }),
      ]),
    ).toEqual({ texts: { a: awkward }, literals: 'list = (\n["x"]\n)\n', environment: {} });
  });

  it('of the run win over those of the workspace, and are literals', async () => {
    expect(
      await handed({ 'main.tf': 'variable "a" {}' }, [variable('a', 'workspace')], [{ key: 'a', value: '"run"' }]),
    ).toMatchObject({ texts: {}, literals: 'a = (\n"run"\n)\n' });
  });

  it('that are not declared go where terraform warns of none', async () => {
    expect(await handed({ 'main.tf': 'output "a" {}' }, [variable('region', 'eu')])).toMatchObject({
      texts: {},
      literals: '',
      environment: { TF_VAR_region: 'eu' },
    });
  });

  it.each([
    ['one object', '{"variable": {"a": {}}}'],
    ['a list of objects', '{"variable": [{"b": {}}, {"a": {"ephemeral": true}}]}'],
  ])('are found in JSON: %s', async (_, text) => {
    expect(await handed({ 'main.tf.json': text }, [variable('a', 'x')])).toMatchObject({ texts: { a: 'x' } });
  });

  it('cannot write more into a file than themselves by their name', async () => {
    const name = 'a = 1\nb';
    expect(await handed({ 'main.tf': `variable "${name}" {}` }, [variable(name, '2', { hcl: true })])).toMatchObject({
      literals: '',
    });
  });

  it('that are ephemeral are the only ones passed to an apply again', async () => {
    const sources = {
      'main.tf': 'variable "a" {\n  ephemeral = true\n}\nvariable "b" {}\nvariable c { ephemeral=true }\nvariable d {}',
      'more.tf.json': '{"variable": {"e": [{"ephemeral": true}], "f": {}}}',
    };
    const all = ['a', 'b', 'c', 'd', 'e', 'f', 'undeclared'].map((key) => variable(key, key));
    expect(await handed(sources, all, [{ key: 'b', value: '1' }], 'apply')).toEqual({
      texts: { a: 'a', c: 'c', e: 'e' },
      literals: '',
      environment: {},
    });
    expect(await handed({ 'main.tf': 'variable "b" {}' }, all, [], 'apply')).toEqual({
      texts: {},
      literals: '',
      environment: {},
    });
  });

  it('that are not declared are left out where there are too many of them for a program', async () => {
    const given = [variable('large', 'x'.repeat(140_000)), variable('small', 'x')];
    expect(await handed({}, given)).toEqual({ texts: {}, literals: '', environment: { TF_VAR_small: 'x' } });
  });
});

describe("the environment of an agent's programs", () => {
  const own = { PATH: '/bin', AGENT_TOKEN: 'a-token-of-an-agent', AWS_SECRET: 'x', TOLD: 'y', https_proxy: 'http://p' };
  const settings = loadSettings({ GATEHOUSE_URL: 'http://a', AGENT_TOKEN: own.AGENT_TOKEN, AGENT_PASS_ENV: 'TOLD' });
  const bare = bareEnvironment(own, '/home', '/tmp');

  it('has what reaches the network and a home, and nothing else', () => {
    expect(bare).toEqual({ PATH: '/bin', https_proxy: 'http://p', HOME: '/home', TMPDIR: '/tmp' });
  });

  it("has the workspace's variables for terraform, which change nothing of the agent's", () => {
    const given = terraformEnvironment(
      own,
      bare,
      settings,
      [
        variable('REGION', 'eu', { category: 'env' }),
        variable('HOME', '/root', { category: 'env' }),
        variable('TF_WORKSPACE', 'other', { category: 'env' }),
        variable('A=B', 'x', { category: 'env' }),
        variable('text', 'x'),
      ],
      undefined,
    );
    expect(given).toEqual({
      ...bare,
      TOLD: 'y',
      REGION: 'eu',
      TF_IN_AUTOMATION: '1',
      TF_INPUT: '0',
      CHECKPOINT_DISABLE: '1',
    });
  });
});
