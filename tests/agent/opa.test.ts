import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Opa } from '../../src/agent/programs/opa.js';
import { inTemporaryDirectory } from '../support/process.js';

/** The relevant part of the output of `opa capabilities --current`. */
const names = ['count', 'http.send', 'net.cidr_contains', 'net.lookup_ip_addr', 'opa.runtime', 'time.now_ns'];
const current = { builtins: names.map((name) => ({ name, decl: {} })), future_keywords: ['in'], features: ['rego_v1'] };

/** A program in the place of opa that prints its capabilities, and as a policy's reasons the words it is called with. */
const program = `#!/bin/sh
if [ "$*" = 'capabilities --current' ]; then
  printf '%s' '${JSON.stringify(current)}'
else
  printf '{"result":[{"expressions":[{"value":["%s"]}]}]}' "$*"
fi
`;

async function prepared(directory: string): Promise<{ readonly opa: Opa; readonly capabilities: string }> {
  const path = join(directory, 'opa');
  const capabilities = join(directory, 'capabilities.json');
  await writeFile(path, program);
  await chmod(path, 0o755);
  const never = new AbortController().signal;
  const opa = await Opa.prepare(
    { path, version: '1.0.0' },
    {
      directory,
      environment: { PATH: process.env.PATH ?? '', HOME: directory },
      bounds: {
        deadline: performance.now() + 30_000,
        memoryBytes: 0,
        outputBytes: 1 << 20,
        graceSeconds: 1,
        interrupt: never,
        kill: never,
      },
    },
    capabilities,
  );
  return { opa, capabilities };
}

interface Capabilities {
  readonly builtins: readonly { readonly name: string }[];
}

async function allowed(): Promise<Capabilities> {
  let text = '';
  await inTemporaryDirectory(async (directory) => {
    text = await readFile((await prepared(directory)).capabilities, 'utf8');
  });
  return JSON.parse(text);
}

describe('the functions of a policy', () => {
  it.each(['http.send', 'net.lookup_ip_addr', 'opa.runtime'])('do not include %s', async (name) => {
    expect(names).toContain(name);
    expect((await allowed()).builtins.map((one) => one.name)).not.toContain(name);
  });

  it('are all others that opa has, with no host to fetch schemas from', async () => {
    const { builtins, ...others } = await allowed();
    expect(builtins.map(({ name }) => name)).toEqual(['count', 'net.cidr_contains', 'time.now_ns']);
    expect(others).toEqual({ future_keywords: ['in'], features: ['rego_v1'], allow_net: [] });
  });

  it('are what opa is given with each evaluation', async () => {
    await inTemporaryDirectory(async (directory) => {
      const { opa, capabilities } = await prepared(directory);
      const words = `eval --format json --capabilities ${capabilities} --timeout 60s -d code.rego -i input.json -- data.x.deny`;
      expect(await opa.evaluate('code.rego', 'data.x.deny', 'input.json')).toEqual({
        status: 'failed',
        reasons: [words],
      });
    });
  });
});
