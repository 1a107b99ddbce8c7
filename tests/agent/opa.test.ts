import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Opa, type Rego } from '../../src/agent/programs/opa.js';
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

async function prepared(
  directory: string,
  version = '1.0.0',
  text = program,
): Promise<{ readonly opa: Opa; readonly capabilities: string }> {
  const path = join(directory, 'opa');
  const capabilities = join(directory, 'capabilities.json');
  await writeFile(path, text);
  await chmod(path, 0o755);
  const never = new AbortController().signal;
  const opa = await Opa.prepare(
    { path, version },
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
      expect(await opa.evaluate({ files: ['code.rego'] }, 'data.x.deny', 'input.json', 'v1')).toEqual({
        verdict: { status: 'failed', reasons: [words] },
        asV0: false,
      });
    });
  });
});

/** A program in the place of opa that parses only these versions of Rego, as far as it has a flag for them. */
const parsing = (v1: boolean, v0: boolean) => `#!/bin/sh
if [ "$*" = 'capabilities --current' ]; then
  printf '%s' '${JSON.stringify(current)}'
  exit
fi
version=1
for word; do [ "$word" = --v0-compatible ] && version=0; done
if { [ $version = 1 ] && ${v1}; } || { [ $version = 0 ] && ${v0}; }; then
  printf '{"result":[{"expressions":[{"value":["read as v%s"]}]}]}' "$version"
else
  printf '{"errors":[{"message":"not v%s","code":"rego_parse_error"}]}' "$version"
fi
`;

describe('the version of Rego', () => {
  const evaluated = async (rego: Rego, v1: boolean, v0: boolean, version = '1.0.0') => {
    let found: object = {};
    await inTemporaryDirectory(async (directory) => {
      const { opa } = await prepared(directory, version, parsing(v1, v0));
      found = await opa.evaluate({ files: ['code.rego'] }, 'data.x.deny', 'input.json', rego);
    });
    return found;
  };
  const failed = (reason: string, asV0 = false) => ({ verdict: { status: 'failed', reasons: [reason] }, asV0 });
  const errored = (reason: string) => ({ verdict: { status: 'errored', reason }, asV0: false });

  it('is the stated one', async () => {
    expect(await evaluated('v0', true, true)).toEqual(failed('read as v0'));
    expect(await evaluated('v1', true, true)).toEqual(failed('read as v1'));
    expect(await evaluated('v1', false, true)).toEqual(errored('not v1'));
    expect(await evaluated('v0', true, false)).toEqual(errored('not v0'));
  });

  it('is v0 if it is not stated and the code parses only as that', async () => {
    expect(await evaluated('unknown', true, true)).toEqual(failed('read as v1'));
    expect(await evaluated('unknown', false, true)).toEqual(failed('read as v0', true));
    expect(await evaluated('unknown', false, false)).toEqual(errored('not v1'));
  });

  it('is the only one of an opa before 1.0, which has no flag for it', async () => {
    for (const rego of ['v0', 'v1', 'unknown'] as const) {
      expect(await evaluated(rego, true, false, '0.70.0')).toEqual(failed('read as v1'));
    }
  });
});
