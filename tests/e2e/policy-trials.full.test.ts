import { mkdir, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { findOpa } from '../../src/agent/programs/find-programs.js';
import { Opa } from '../../src/agent/programs/opa.js';
import { executeTrial } from '../../src/agent/run/execute-trial.js';
import { redacted } from '../../src/agent/run/plan-json.js';
import { Secrets } from '../../src/agent/service/secrets.js';
import { ServiceClient } from '../../src/agent/service/service-client.js';
import { loadSettings } from '../../src/agent/settings.js';
import { policyCommands } from '../../src/infrastructure/cli/commands/policy.js';
import { Call } from '../../src/infrastructure/cli/toolkit/command.js';
import { Progress } from '../../src/infrastructure/cli/toolkit/output.js';
import { doc, startApi, type TestApi } from '../support/api.js';
import { archiveOf } from '../support/archives.js';
import { Bench } from '../support/bench.js';
import { inTemporaryDirectory } from '../support/process.js';
import { noteSecret } from '../support/secrets-in-logs.js';

const policies = `policy "owners" {
  query = "data.owners.deny"
  enforcement_level = "mandatory"
}
policy "passwords" {
  query = "data.passwords.deny"
}
policy "variables" {
  query = "data.variables.deny"
}
`;

const code = {
  'policies.hcl': policies,
  'owners.rego': `package owners
deny contains msg if {
  some change in input.plan.output_changes
  change.after == "bad"
  msg := "an output is bad"
}`,
  'passwords.rego': `package passwords
import input.plan as tfplan
resources := [r | some r in tfplan.resource_changes; r.mode == "managed"]
weak(r) if r.change.after.password == "hunter2"
deny contains msg if {
  some r in resources
  weak(r)
  msg := sprintf("%s has a weak password", [r.address])
}`,
  'variables.rego': `package variables
deny contains "a region is missing" if not input.plan.variables.region
`,
};

/** The same in Rego v0. */
const codeInV0 = {
  'policies.hcl': policies,
  'owners.rego': `package owners
deny[msg] {
  change := input.plan.output_changes[_]
  change.after == "bad"
  msg := "an output is bad"
}`,
  'passwords.rego': `package passwords
import input.plan as tfplan
resources := [r | r := tfplan.resource_changes[_]; r.mode == "managed"]
weak(r) { r.change.after.password == "hunter2" }
deny[msg] {
  r := resources[_]
  weak(r)
  msg := sprintf("%s has a weak password", [r.address])
}`,
  'variables.rego': `package variables
deny["a region is missing"] { not input.plan.variables.region }
`,
};

/** Every fifth plan has a sensitive password, of which every second one is weak; every third has a bad output. */
const planOf = (n: number) => ({
  format_version: '1.2',
  terraform_version: '1.11.0',
  variables: { region: { value: 'eu' } },
  planned_values: {},
  resource_changes: [
    {
      address: `db.main[${n}]`,
      mode: 'managed',
      type: 'db',
      provider_name: 'registry.example.com/x/db',
      change: {
        actions: ['create'],
        before: null,
        after: { name: `db-${n}`, ...(n % 5 === 0 && { password: n % 2 === 0 ? 'hunter2' : 'long-and-random' }) },
        after_unknown: { id: true },
        before_sensitive: false,
        after_sensitive: n % 5 === 0 ? { password: true } : {},
      },
    },
  ],
  output_changes: {
    url: { actions: ['create'], before: null, after: n % 3 === 0 ? 'bad' : 'good', after_sensitive: false },
  },
});

const plans = 50;

interface Said {
  readonly name: string;
  readonly now: { readonly status: string };
}

type Verdicts = Readonly<Record<string, string>>;

/** The OPA of this machine; the suite is skipped without one. */
const program = await findOpa(
  loadSettings({ GATEHOUSE_URL: 'http://localhost', AGENT_TOKEN: 'x'.repeat(20), OPA_PATH: process.env.OPA }),
  { PATH: process.env.PATH ?? '' },
);

(program === undefined ? describe.skip : describe)('a policy trial with a real OPA', () => {
  let api: TestApi;
  let bench: Bench;
  let setId: string;
  let archive: Buffer;

  async function opaIn(directory: string): Promise<Opa> {
    const bounds = {
      deadline: performance.now() + 60_000,
      memoryBytes: 0,
      outputBytes: 1024 * 1024,
      graceSeconds: 1,
      interrupt: new AbortController().signal,
      kill: new AbortController().signal,
    };
    if (program === undefined) throw new Error('opa is missing');
    const options = { directory, environment: { PATH: process.env.PATH ?? '' }, bounds };
    return Opa.prepare(program, options, join(directory, 'capabilities.json'));
  }

  /** The verdicts on the whole plan, as the agent of a run computes them. */
  async function recordedOf(directory: string, plan: object, run: string) {
    const opa = await opaIn(directory);
    await writeFile(join(directory, 'input.json'), JSON.stringify({ plan, run: { id: run } }));
    const files = Object.keys(code)
      .filter((name) => name.endsWith('.rego'))
      .map((name) => join(directory, name));
    const said = [];
    for (const name of ['owners', 'passwords', 'variables']) {
      const { verdict } = await opa.evaluate({ files }, `data.${name}.deny`, join(directory, 'input.json'), 'v1');
      const output = verdict.status === 'failed' ? [...verdict.reasons] : [];
      said.push({ name, status: verdict.status, output });
    }
    return said;
  }

  beforeAll(async () => {
    api = await startApi();
    archive = await archiveOf(code);
    bench = await Bench.make(api);
    const set = doc('policy-sets', { name: 'rules', kind: 'opa', global: true });
    setId = (await api.admin.post(`/organizations/${bench.organization}/policy-sets`, set).expect(201)).body.data.id;
    const version = await api.admin.post(`/policy-sets/${setId}/versions`).expect(201);
    await api.upload(version.body.data.links.upload, archive).expect(200);
    await bench.version();
    const secrets = await Secrets.of([]);
    await inTemporaryDirectory(async (directory) => {
      for (const [name, text] of Object.entries(code)) await writeFile(join(directory, name), text);
      for (let n = 0; n < plans; n += 1) {
        // A later second for each run, so that the newest plans are the ones with the greatest numbers.
        api.clock.advance(1);
        const job = await bench.claimed(await bench.run({ 'plan-only': true }));
        const plan = planOf(n);
        await job.artifact('plan-json-redacted', Buffer.from(JSON.stringify(redacted(plan, {}, secrets))));
        await job.planned(false);
        const [evaluation] = job.json['policy-evaluations'];
        const body = {
          'policy-tool-version': program?.version,
          'policy-sets': [{ 'policy-set-id': setId, policies: await recordedOf(directory, plan, job.runId) }],
        };
        const path = `/agent/v1/runs/${job.runId}/policy-evaluations/${evaluation.id}`;
        const { status } = await bench.agent.json('post', path, { Lease: job.json.lease.token }, JSON.stringify(body));
        expect(status).toBe(200);
      }
    });
  }, 300_000);

  afterAll(() => rm(join('/tmp', `trials-${process.pid}`), { recursive: true, force: true }));

  const claimed = async (client: ServiceClient) => {
    const job = await client.claim('ours', 0, new AbortController().signal, ['policy-trials']);
    if (job === undefined || !('policy-trial' in job)) throw new Error('there was no trial to claim');
    noteSecret(job.lease.token);
    return job;
  };

  async function evaluate(lines: string[] = [], during: () => Promise<unknown> = async () => undefined) {
    const token: string = Reflect.get(bench.agent, 'token');
    noteSecret(token);
    const url = `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`;
    const print = (line: string) => lines.push(line);
    const client = new ServiceClient(url, token, print);
    const place = join('/tmp', `trials-${process.pid}`);
    await mkdir(place, { recursive: true });
    const settings = loadSettings({
      GATEHOUSE_URL: url,
      AGENT_TOKEN: token,
      AGENT_WORK_DIR: place,
      ...(process.env.OPA && { OPA_PATH: process.env.OPA }),
    });
    const signals = { stopping: new AbortController().signal, killing: new AbortController().signal };
    const job = await claimed(client);
    const dependencies = { client, settings, token, environment: process.env, ...signals, print };
    await Promise.all([executeTrial(job, dependencies), during()]);
    return client;
  }

  const ask = async (given: Buffer, attributes: object = {}) => {
    const set = { 'policy-set': { data: { type: 'policy-sets', id: setId } } };
    const body = doc('policy-trials', { archive: given.toString('base64'), ...attributes }, set);
    return (await api.admin.post(`/organizations/${bench.organization}/policy-trials`, body).expect(201)).body.data.id;
  };

  const resultsOf = async (id: string) =>
    (await api.admin.get(`/policy-trials/${id}/results?page[size]=100`).expect(200)).body.data;

  it('says of unchanged code what was recorded, or that it is not comparable', async () => {
    const id = await ask(archive);
    const lines: string[] = [];
    const began = performance.now();
    await evaluate(lines);
    const took = performance.now() - began;
    const shown = (await api.admin.get(`/policy-trials/${id}`).expect(200)).body.data.attributes;
    expect({ status: shown.status, lines }).toMatchObject({ status: 'finished' });
    const results = await resultsOf(id);
    expect(results).toHaveLength(plans);
    let notComparable = 0;
    for (const { attributes } of results) {
      for (const { name, before, now } of attributes.policies) {
        if (now.status === 'not-comparable') {
          notComparable += 1;
          expect(now.output).toBeNull();
        } else {
          expect({ name, status: now.status, output: now.output ?? [] }).toEqual({
            name,
            status: before.status,
            output: before.output ?? [],
          });
        }
      }
    }
    const of = (name: string) =>
      results.map(
        ({ attributes }: { attributes: { policies: { name: string; now: { status: string } }[] } }) =>
          attributes.policies.find((one) => one.name === name)?.now.status,
      );
    const counted = (name: string) => of(name).filter((status: string) => status === 'not-comparable').length;
    // Reads no removed value; reads the passwords, which ten plans have; reads what no redacted plan has.
    expect([counted('owners'), counted('passwords'), counted('variables')]).toEqual([0, 10, plans]);
    expect(of('owners').filter((status: string) => status === 'failed')).toHaveLength(17);
    process.stderr.write(
      `policy trial: ${plans} plans and 3 policies in ${Math.round(took)} ms, ${notComparable} of ${plans * 3} verdicts not comparable\n`,
    );
  }, 300_000);

  it.each([
    ['of an unstated version', {}],
    ['of a stated version', { 'policy-tool-version': '0.70.0' }],
  ])(
    'says of Rego v0 %s what it says of the same code in v1',
    async (_, attributes) => {
      const id = await ask(await archiveOf(codeInV0), { ...attributes, plans: 6 });
      await evaluate();
      const results = await resultsOf(id);
      const statuses = results.map(({ attributes: { policies: said } }: { attributes: { policies: Said[] } }) =>
        Object.fromEntries(said.map(({ name, now }) => [name, now.status])),
      );
      // The newest six: the second and the fifth have a bad output, the fifth also a sensitive password.
      const unknown = 'not-comparable';
      expect(statuses.map(({ owners }: Verdicts) => owners)).toEqual([
        'passed',
        'failed',
        'passed',
        'passed',
        'failed',
        'passed',
      ]);
      expect(statuses.map(({ passwords }: Verdicts) => passwords === unknown)).toEqual([
        false,
        false,
        false,
        false,
        true,
        false,
      ]);
      expect(statuses.every(({ variables }: Verdicts) => variables === unknown)).toBe(true);
    },
    60_000,
  );

  it('is asked for by a command, which exits with 1 if a plan fails that did not', async () => {
    const directory = join('/tmp', `trials-${process.pid}`, 'rules');
    await mkdir(directory, { recursive: true });
    for (const [name, text] of Object.entries(code)) await writeFile(join(directory, name), text);
    const strict = code['owners.rego'].replace('== "bad"', '== "good"');
    await writeFile(join(directory, 'owners.rego'), strict);
    await rm(join(directory, 'variables.rego'));
    await rm(join(directory, 'passwords.rego'));
    await writeFile(join(directory, 'policies.hcl'), policies.slice(0, policies.indexOf('policy "passwords"')));
    const environment = {
      GATEHOUSE_URL: `http://127.0.0.1:${(api.server.address() as AddressInfo).port}`,
      GATEHOUSE_TOKEN: Reflect.get(api.admin, 'secret') as string,
    };
    const [command] = policyCommands;
    const out = { write: () => undefined };
    const options = { set: 'rules', against: '2' };
    const args = [bench.organization, directory];
    const answer = command?.run(new Call('policy try', args, options, environment, new Progress(out), out));
    // The clock stands still, so the newest need not be the first.
    const isQueued = async () =>
      (await api.admin.get(`/organizations/${bench.organization}/policy-trials`)).body.data.some(
        ({ attributes }: { attributes: { status: string } }) => attributes.status === 'queued',
      );
    while (!(await isQueued())) await setImmediate();
    await evaluate();
    // The newest plans are the 50th, whose output is good, and the 49th, whose output is bad.
    expect((await answer)?.failed).toBe(true);
    expect((await answer)?.text).toMatch(/^BEFORE +NOW +PLANS\n/);
    expect((await answer)?.text).toMatch(/passed -> failed\n {2}owners: an output is bad$/);
  }, 60_000);

  it('answers bad code with its line', async () => {
    const bad = await archiveOf({
      ...code,
      'owners.rego': 'package owners\n\ndeny contains x if {\n  x := oops\n}\n',
    });
    const id = await ask(bad, { plans: 1 });
    await evaluate();
    const [only] = await resultsOf(id);
    const owners = only.attributes.policies.find(({ name }: { name: string }) => name === 'owners');
    expect(owners.now).toMatchObject({ status: 'errored', output: [expect.stringMatching(/owners\.rego, line 4: /)] });
  }, 60_000);

  it.each([
    ['an index', 'input.plan.resource_changes[0].change.after.password == "x"'],
    ['a computed name', 'some k; input.plan.resource_changes[_].change.after[k] == "x"'],
    ['a computed section', 'some k; input.plan[k][0].change.after.password == "x"'],
    ['walk', 'walk(input, [p, v]); v == "x"'],
    ['a built-in function', 'json.marshal(input.plan) == "x"'],
    ['a default of object.get', 'object.get(input, ["plan", "resource_changes"], []) == "x"'],
    ['an alias', 'a := input; b := a.plan; c := b.resource_changes; c[0].change.after.password == "x"'],
    ['a function', 'f(input.plan)'],
    ['a rule with a computed name', 'some n; data.helpers[n].bad'],
    ['a negation', 'not input.plan.resource_changes[0].change.after.password'],
    ['a comprehension', 'count([1 | input.plan.resource_changes[_].change.after.password == "x"]) > 0'],
    ['every', 'every r in input.plan.resource_changes { r.change.after.password == "x" }'],
    ['another input', 'data.helpers.a.bad with input.run as input.plan.resource_changes'],
  ])('finds that a policy reads a removed value through %s', async (_, body) => {
    await inTemporaryDirectory(async (directory) => {
      const files = [join(directory, 'p.rego'), join(directory, 'a.rego')] as const;
      const f = 'f(p) if p.resource_changes[0].change.after.password == "x"';
      await writeFile(files[0], `package p\n${f}\ndeny contains "x" if { ${body} }\n`);
      const helper = 'bad if input.plan.resource_changes[0].change.after.password == "x"';
      await writeFile(files[1], `package helpers.a\n${helper}\n`);
      const reads = await (await opaIn(directory)).reads({ files }, 'data.p.deny');
      const among = (path: readonly string[]) =>
        ['plan', 'resource_changes'].every((part, at) => (path[at] ?? part) === part);
      expect(reads?.some(among)).toBe(true);
    });
  });

  it('is interrupted by a waiting run within five seconds', async () => {
    const slow = await archiveOf({
      'policies.hcl': 'policy "slow" {\n  query = "data.slow.deny"\n}\n',
      'slow.rego':
        'package slow\nn := numbers.range(1, 3000)\ndeny contains "never" if { some a in n; some b in n; some c in n; a * b * c < 0 }\n',
    });
    await ask(slow);
    let waited = Number.POSITIVE_INFINITY;
    let began = 0;
    const client = await evaluate([], async () => {
      await bench.run({ 'plan-only': true });
      began = performance.now();
    });
    waited = performance.now() - began;
    expect(waited).toBeLessThan(5000);
    expect(await client.claim('ours', 0, new AbortController().signal, ['policy-trials'])).toMatchObject({
      phase: 'plan',
    });
  }, 60_000);
});
