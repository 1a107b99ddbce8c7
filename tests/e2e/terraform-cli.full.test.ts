import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { AgentProcess } from '../support/agent-process.js';
import { needing } from '../support/examples.js';
import { adminToken, ServiceProcess, temporaryDirectory } from '../support/process.js';
import { endRecording, recordingIn } from '../support/recorded-requests.js';
import { ServiceSteps, until } from '../support/service-steps.js';
import {
  type Ended,
  hostname,
  killCommands,
  type RunningCommand,
  terraform,
  Workplace,
} from '../support/terraform-cli.js';

const opa = process.env.OPA ?? 'opa';
const { run, reason } = needing(terraform, opa);

/** Tests mostly wait for the client's polling pauses, so all together take little longer than the longest. */
const together = run === it ? it.concurrent : it.skip;

const agents: AgentProcess[] = [];
let directory = '';
let service: ServiceProcess | undefined;

const agentSettings = { ...(opa.includes('/') && { OPA_PATH: opa }) };
const terraformPath = terraform.includes('/') ? { TERRAFORM_PATH: terraform } : {};

/** A service with agents, shared by all tests: concurrent tests start before any hook has run. */
class Stage {
  private constructor(
    readonly steps: ServiceSteps,
    readonly directory: string,
    private readonly url: string,
  ) {}

  private static made: Promise<Stage> | undefined;

  static shared(): Promise<Stage> {
    Stage.made ??= Stage.make();
    return Stage.made;
  }

  private static async make(): Promise<Stage> {
    directory = await temporaryDirectory();
    service = await ServiceProcess.start({ DATA_DIR: join(directory, 'data'), ...recordingIn(directory) });
    const stage = new Stage(new ServiceSteps(service), directory, service.url);
    await stage.organization('acme');
    const token = await stage.steps.agentToken('acme');
    for (const name of ['one', 'two', 'three', 'four']) await stage.agent(name, token);
    return stage;
  }

  async organization(name: string): Promise<void> {
    const attributes = { name, email: 'ops@example.com' };
    await this.steps.ask('POST', '/organizations', { data: { type: 'organizations', attributes } });
  }

  async agent(
    name: string,
    token: string,
    environment: Readonly<Record<string, string>> = terraformPath,
  ): Promise<AgentProcess> {
    const work = join(this.directory, `agent-${name}`);
    await mkdir(work);
    const agent = AgentProcess.start({
      GATEHOUSE_URL: this.url,
      AGENT_TOKEN: token,
      AGENT_NAME: name,
      AGENT_WORK_DIR: work,
      ...agentSettings,
      ...environment,
    });
    agents.push(agent);
    await agent.prints('claims runs from');
    return agent;
  }

  /** An organization with one agent. */
  async dawdling(organization: string): Promise<{ readonly dawdler: AgentProcess; readonly token: string }> {
    await this.organization(organization);
    const token = await this.steps.agentToken(organization);
    const program = join(this.directory, `${organization}-terraform`);
    await writeFile(program, `#!/bin/sh\n[ "$1" = plan ] && sleep 600\nexec "${terraform}" "$@"\n`, { mode: 0o755 });
    return { dawdler: await this.agent(`of-${organization}`, token, { TERRAFORM_PATH: program }), token };
  }

  /** Initialized, in a workspace of its own. */
  async workplace(
    name: string,
    body: string,
    { organization = 'acme', user = '', token = adminToken } = {},
  ): Promise<Workplace> {
    const place = await Workplace.make(
      join(this.directory, `place-${name}${user}`),
      { url: this.url, token },
      { organization, name },
      body,
    );
    const { code, printed } = await place.run('init', '-input=false', '-no-color');
    if (code !== 0) throw new Error(printed);
    return place;
  }

  // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  async workspace(name: string): Promise<any> {
    return this.steps.ask('GET', `/organizations/acme/workspaces/${name}`);
  }

  async lastRun(name: string) {
    const [last] = await this.steps.runs((await this.workspace(name)).id);
    return last;
  }

  /** A policy set with code, attached to the workspace. */
  async policies(
    workspace: string,
    given: readonly { readonly name: string; readonly level: string; readonly code: string; description?: string }[],
    overridable = false,
  ): Promise<void> {
    const ids: string[] = [];
    for (const { name, level, code, description = '' } of given) {
      const attributes = {
        name: `${workspace}-${name}`,
        description,
        query: `data.${name}.deny`,
        'enforcement-level': level,
      };
      const document = { data: { type: 'policies', attributes } };
      const { id } = await this.steps.ask('POST', '/organizations/acme/policies', document);
      const uploaded = await fetch(`${this.url}/policies/${id}/upload`, {
        method: 'PUT',
        headers: { Authorization: `Bearer ${adminToken}` },
        body: code,
      });
      if (!uploaded.ok) throw new Error(await uploaded.text());
      ids.push(id);
    }
    const many = (type: string, all: readonly string[]) => ({ data: all.map((id) => ({ type, id })) });
    const relationships = {
      policies: many('policies', ids),
      workspaces: many('workspaces', [(await this.workspace(workspace)).id]),
    };
    const attributes = { name: `${workspace}-set`, overridable };
    const document = { data: { type: 'policy-sets', attributes, relationships } };
    await this.steps.ask('POST', '/organizations/acme/policy-sets', document);
  }

  async variable(workspace: string, attributes: object): Promise<void> {
    const { id } = await this.workspace(workspace);
    await this.steps.ask('POST', `/api/v2/workspaces/${id}/vars`, { data: { type: 'vars', attributes } });
  }

  /** A variable set that is attached to the workspace. */
  async variableSet(workspace: string, attributes: object, variables: readonly object[]): Promise<void> {
    const { id } = await this.workspace(workspace);
    const relationships = {
      workspaces: { data: [{ type: 'workspaces', id }] },
      vars: { data: variables.map((attributes) => ({ type: 'vars', attributes })) },
    };
    await this.steps.ask('POST', '/api/v2/organizations/acme/varsets', {
      data: { type: 'varsets', attributes, relationships },
    });
  }
}

afterAll(async () => {
  killCommands();
  for (const agent of agents) await agent.end('SIGKILL');
  await service?.end();
  if (directory === '') return;
  await endRecording(directory);
});

/** The output without the parts that differ between runs. */
const plain = (printed: string): string =>
  printed
    .replaceAll(/run-\w{16}/g, 'run-X')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/ after \d+s/g, ' after Ns')
    .replaceAll(/ \(\d+s elapsed\)/g, ' (Ns elapsed)');

/** Asserts the exit code and that the texts were printed in this order. A failure shows the whole output. */
const expectEnd = (ended: Ended, code: number | 'any', ...texts: readonly string[]): void => {
  const printed = plain(ended.printed);
  let from = 0;
  for (const text of texts) {
    const at = printed.indexOf(text, from);
    if (at < 0) throw new Error(`${JSON.stringify(text)} was not printed, or not in its place, in:\n${printed}`);
    from = at + text.length;
  }
  if (code !== 'any' && ended.code !== code)
    throw new Error(`it ended with ${ended.code} and not ${code}:\n${printed}`);
};

const simple =
  'resource "terraform_data" "x" { input = "hello" }\noutput "greeting" { value = terraform_data.x.output }\n';

/** A resource whose creation takes `seconds`. */
const slow = (seconds: number, name = 'slow'): string =>
  `resource "terraform_data" "${name}" {\n  provisioner "local-exec" { command = "sleep ${seconds}" }\n}\n`;

const allowed = (name: string): string => `package ${name}\n\ndeny := []\n`;
const forbidden = (name: string): string =>
  `package ${name}\n\ndeny contains message if {\n\tsome change in input.plan.resource_changes\n\tmessage := sprintf("%s is not wanted", [change.address])\n}\n`;

const planHeader = `Running plan in HCP Terraform. Output will stream here. Pressing Ctrl-C
will stop streaming the logs, but will not stop the plan running remotely.

Preparing the remote plan...

To view this run in a browser, visit:
https://${hostname}/app/acme/`;

const logHeader = (version: string): string => `
Waiting for the plan to start...

Terraform v${version}
on `;

const created = `
Terraform used the selected providers to generate the following execution
plan. Resource actions are indicated with the following symbols:
  + create

Terraform will perform the following actions:

  # terraform_data.x will be created
  + resource "terraform_data" "x" {
      + id     = (known after apply)
      + input  = "hello"
      + output = (known after apply)
    }

Plan: 1 to add, 0 to change, 0 to destroy.

Changes to Outputs:
  + greeting = (known after apply)
`;

const approve = (workspace: string): string => `
Do you want to perform these actions in workspace "${workspace}"?
  Terraform will perform the actions described above.
  Only 'yes' will be accepted to approve.

  Enter a value: `;

const applied = `
terraform_data.x: Creating...
terraform_data.x: Creation complete after Ns [id=ID]

Apply complete! Resources: 1 added, 0 changed, 0 destroyed.

Outputs:

greeting = "hello"
`;

const runs = { plan: ['plan', '-no-color', '-input=false'], apply: ['apply', '-no-color'] } as const;
const autoApprove = [...runs.apply, '-auto-approve'] as const;

const answered = async (
  command: RunningCommand,
  ...answers: readonly (readonly [string, string])[]
): Promise<Ended> => {
  for (const [question, word] of answers) await command.answer(question, word);
  return command.ended();
};

describe(`the terraform CLI, unmodified${reason}`, () => {
  together('plans, applies, finds nothing to change, shows what there is and destroys it', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('story', simple);
    const { printed: version } = await place.run('version', '-json');
    const { terraform_version } = JSON.parse(version);

    expectEnd(
      await place.run(...runs.plan, '-detailed-exitcode'),
      2,
      planHeader,
      logHeader(terraform_version),
      created,
    );
    const apply = await place.run(...autoApprove);
    expectEnd(apply, 0, 'Running apply in HCP Terraform.', created, applied);
    expect(apply.printed.match(/Initializing plugins and modules/g)).toHaveLength(1);
    expectEnd(
      await place.run(...runs.plan, '-detailed-exitcode'),
      0,
      'terraform_data.x: Refreshing state... [id=ID]\n\nNo changes. Your infrastructure matches the configuration.',
    );
    // Without changes there is no prompt.
    expectEnd(
      await place.run(...runs.apply, '-input=false'),
      0,
      'No changes. Your infrastructure matches the configuration.',
    );

    expect(await place.run('output', '-no-color')).toEqual({ code: 0, printed: 'greeting = "hello"\n' });
    const output = await place.run('output', '-json');
    expect(JSON.parse(output.printed)).toEqual({ greeting: { sensitive: false, type: 'string', value: 'hello' } });
    expect(await place.run('output', '-raw', 'greeting')).toEqual({ code: 0, printed: 'hello' });
    const state = JSON.parse((await place.run('state', 'pull')).printed);
    expect(state).toMatchObject({
      version: 4,
      terraform_version,
      outputs: { greeting: { value: 'hello', type: 'string' } },
      resources: [{ type: 'terraform_data', name: 'x', instances: [{ attributes: { input: { value: 'hello' } } }] }],
    });
    expect(await place.run('state', 'list')).toEqual({ code: 0, printed: 'terraform_data.x\n' });
    expect(plain((await place.run('show', '-no-color')).printed)).toBe(
      '# terraform_data.x:\nresource "terraform_data" "x" {\n    id     = "ID"\n    input  = "hello"\n    output = "hello"\n}\n\n\nOutputs:\n\ngreeting = "hello"\n',
    );

    expectEnd(
      await answered(place.start('destroy', '-no-color'), ['Enter a value:', 'yes']),
      0,
      'Plan: 0 to add, 0 to change, 1 to destroy.',
      'Do you really want to destroy all resources in workspace "story"?',
      'terraform_data.x: Destroying... [id=ID]\nterraform_data.x: Destruction complete after Ns\n\nApply complete! Resources: 0 added, 0 changed, 1 destroyed.',
    );
    expectEnd(await place.run('output', '-no-color'), 0, 'Warning: No outputs found');
    expect((await place.run('state', 'list')).printed).toBe('');
  });

  together('applies after yes at the prompt, and discards after anything else', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('asked', simple);
    expectEnd(
      await answered(place.start(...runs.apply), ['Enter a value:', 'no']),
      1,
      created,
      approve('asked'),
      'Error: Apply discarded.',
    );
    expect((await stage.lastRun('asked')).attributes.status).toBe('discarded');
    expectEnd(
      await answered(place.start(...runs.apply), ['Enter a value:', 'yes']),
      0,
      created,
      approve('asked'),
      applied,
    );
    expectEnd(
      await place.run(...runs.apply, '-input=false', '-replace=terraform_data.x'),
      1,
      'Cannot confirm apply due to -input=false',
    );
  });

  together('notices that another user confirmed or discarded the run at its prompt', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('elsewhere', simple);
    const decided = async (action: 'apply' | 'discard'): Promise<Ended> => {
      const command = place.start(...runs.apply);
      await command.prints('Enter a value:');
      await stage.steps.ask('POST', `/runs/${(await stage.lastRun('elsewhere')).id}/actions/${action}`);
      return command.ended();
    };
    expectEnd(
      await decided('discard'),
      1,
      approve('elsewhere'),
      'discarded using the UI or API',
      'Error: Apply discarded.',
    );
    expectEnd(await decided('apply'), 0, approve('elsewhere'), 'approved using the UI or API', applied);
  });

  together('prints what policies said that passed, and of advisory ones that failed', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('passed', simple);
    await stage.policies('passed', [
      { name: 'tags', level: 'mandatory', code: allowed('tags'), description: 'Everything has tags' },
      { name: 'sizes', level: 'advisory', code: forbidden('sizes') },
    ]);
    const outcome = `
Post-plan Tasks:

------------------------------------------------------------------------

Policy Evaluations

--------------------------------

OPA Policy Evaluation

→→ Overall Result: PASSED (with advisory)
 This result means that all OPA policies passed and the protected behavior is allowed
2 policies evaluated

→ Policy set 1: passed-set (2)
  ↳ Policy name: passed-sizes
     | Ⓘ Advisory
     | No description available
  ↳ Policy name: passed-tags
     | ✓ Passed
     | Everything has tags
`;
    const reasons = 'Policy passed-set/passed-sizes (advisory) failed:\n  - terraform_data.x is not wanted\n';
    expectEnd(await place.run(...runs.plan), 0, created, reasons, outcome);
    expectEnd(await place.run(...autoApprove), 0, created, outcome, applied);
  });

  together('ends where a mandatory policy failed that may not be overridden', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('failed', simple);
    await stage.policies('failed', [{ name: 'never', level: 'mandatory', code: forbidden('never') }]);
    expectEnd(
      await place.run(...autoApprove),
      1,
      created,
      'Policy failed-set/failed-never (mandatory) failed:\n  - terraform_data.x is not wanted\n',
      '→→ Overall Result: FAILED\n This result means that one or more OPA policies failed.',
      '→ Policy set 1: failed-set (1)\n  ↳ Policy name: failed-never\n     | × Failed\n     | No description available\n',
      'Error: Task Stage failed.',
    );
    expect((await stage.lastRun('failed')).attributes.status).toBe('errored');
    expectEnd(await place.run('output', '-no-color'), 0, 'Warning: No outputs found');
  });

  together('ends where a policy could not be evaluated, and says why in the plan’s log', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('errored', simple);
    await stage.policies('errored', [
      { name: 'broken', level: 'mandatory', code: 'package broken\n\ndeny contains if {\n' },
    ]);
    expectEnd(
      await place.run(...runs.plan),
      1,
      created,
      'Policy errored-set/errored-broken could not be evaluated:\n  - line 3: ',
      '→→ Overall Result: FAILED',
      '→ Policy set 1: errored-set (1)\n  ↳ Policy name: errored-broken\n',
      'Error: Task Stage errored.',
    );
    expect((await stage.lastRun('errored')).attributes.status).toBe('errored');
  });

  together('overrides what may be overridden, and then asks whether to apply', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('overridden', simple);
    await stage.policies('overridden', [{ name: 'rarely', level: 'mandatory', code: forbidden('rarely') }], true);
    const asked = `
→→ Override

Do you want to override the failed policies?
  Only 'override' will be accepted to override.

  Enter a value: `;
    expectEnd(
      await answered(place.start(...runs.apply), ['to override.', 'no']),
      1,
      asked,
      'Error: Failed to override: Apply discarded.',
    );
    expect((await stage.lastRun('overridden')).attributes.status).toBe('discarded');
    expectEnd(
      await answered(place.start(...runs.apply), ['to override.', 'override'], ['to approve.', 'yes']),
      0,
      created,
      '→→ Overall Result: FAILED',
      asked,
      approve('overridden'),
      applied,
    );
    const { relationships } = await stage.lastRun('overridden');
    const stageOfRun = await stage.steps.ask('GET', `/task-stages/${relationships['task-stages'].data[0].id}`);
    expect(stageOfRun.attributes.status).toBe('passed');
  });

  together('saves a plan, shows it, and applies it once', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('saved', simple);
    expectEnd(
      await place.run(...runs.plan, '-out=saved.tfplan'),
      0,
      created,
      'Saved the plan to: saved.tfplan\n\nTo perform exactly these actions, run the following command to apply:\n    terraform apply "saved.tfplan"',
    );
    expectEnd(
      await place.run('show', '-no-color', 'saved.tfplan'),
      0,
      '# terraform_data.x will be created',
      'Run status: planned and saved (confirmable)\nWorkspace is unlocked',
    );
    const shown = JSON.parse((await place.run('show', '-json', 'saved.tfplan')).printed);
    expect(shown.resource_changes).toMatchObject([{ address: 'terraform_data.x', change: { actions: ['create'] } }]);
    expectEnd(await place.run(...runs.apply, 'saved.tfplan'), 0, applied);
    expectEnd(await place.run(...runs.apply, 'saved.tfplan'), 1, 'Error: Saved plan is already applied');
    expectEnd(await place.run('show', '-no-color', 'saved.tfplan'), 0, 'Run status: applied');
  });

  together(
    'plans with the variables of the workspace and of the command, and prints none that is sensitive',
    async () => {
      const stage = await Stage.shared();
      const place = await stage.workplace(
        'variables',
        `variable "region" { default = "nowhere" }
variable "sizes" { type = list(number) }
variable "owner" { default = "unset" }
variable "password" { type = string }
variable "file" { type = string }
resource "terraform_data" "x" {
  input = "\${var.region} \${join("+", var.sizes)} \${var.owner} \${var.file}"
  provisioner "local-exec" { command = "echo in $PLACE with \${var.password}" }
}
output "summary" { value = terraform_data.x.output }
output "secret" {
  value     = var.password
  sensitive = true
}
`,
      );
      const hidden = 'a-word-that-nobody-may-read';
      await place.write('some.auto.tfvars', 'file = "from a file"\n');
      for (const [key, value, more] of [
        ['region', 'overridden by a priority set', {}],
        ['owner', 'the workspace', {}],
        ['password', hidden, { sensitive: true }],
        ['PLACE', 'the environment', { category: 'env' }],
      ] as const) {
        await stage.variable('variables', { key, value, category: 'terraform', ...more });
      }
      await stage.variableSet('variables', { name: 'shared' }, [
        { key: 'sizes', value: '[1, 2]', hcl: true, category: 'terraform' },
        { key: 'owner', value: 'overridden by the workspace', category: 'terraform' },
      ]);
      await stage.variableSet('variables', { name: 'first', priority: true }, [
        { key: 'region', value: 'eu', category: 'terraform' },
      ]);
      const apply = await place.run(...autoApprove, '-var', 'owner=the command', '-var', 'region=overridden');
      expectEnd(
        apply,
        0,
        '+ input  = "eu 1+2 the command from a file"',
        '(local-exec): in the environment with ',
        'Apply complete! Resources: 1 added',
        'secret = <sensitive>\nsummary = "eu 1+2 the command from a file"\n',
      );
      expect(apply.printed).not.toContain(hidden);
      expectEnd(await place.run('output', '-no-color', 'secret'), 0, `"${hidden}"`);
      expectEnd(
        await place.run(...runs.plan),
        0,
        '~ input  = "eu 1+2 the command from a file" -> "eu 1+2 the workspace from a file"',
      );
    },
  );

  together(
    'reports a configuration that cannot be read, one that must not be planned, and one that fails halfway',
    async () => {
      const stage = await Stage.shared();
      const place = await stage.workplace('failing', simple);
      await place.write('main.tf', 'resource "terraform_data" "x" {\n');
      expectEnd(await place.run(...runs.plan), 1, 'Error: Unclosed configuration block');

      await place.write('main.tf', 'resource "terraform_data" "x" { input = terraform_data.y.output }\n');
      const undeclared = await place.run(...runs.plan);
      expectEnd(undeclared, 1, 'Error: Reference to undeclared resource');

      await place.write(
        'main.tf',
        `variable "size" { default = 1 }
resource "terraform_data" "x" {
  input = "hello"
  lifecycle {
    precondition {
      condition     = var.size > 5
      error_message = "It is too small."
    }
  }
}
`,
      );
      expectEnd(await place.run(...autoApprove), 1, 'Error: Resource precondition failed', 'It is too small.');
      const refused = (await stage.lastRun('failing')).attributes;
      expect(refused).toMatchObject({
        status: 'errored',
        'error-message': expect.stringContaining('Resource precondition failed'),
      });

      await place.write(
        'main.tf',
        `resource "terraform_data" "kept" { input = "kept" }
resource "terraform_data" "fails" {
  depends_on = [terraform_data.kept]
  provisioner "local-exec" { command = "echo it does not work; exit 3" }
}
`,
      );
      // Not -auto-approve, with which the client does not read the log of an apply that failed before its next poll.
      expectEnd(
        await answered(place.start(...runs.apply), ['Enter a value:', 'yes']),
        1,
        'terraform_data.kept: Creation complete after Ns [id=ID]',
        'terraform_data.fails (local-exec): it does not work',
        'Error: local-exec provisioner error',
        'exit status 3',
      );
      expect((await place.run('state', 'list')).printed).toContain('terraform_data.kept\n');
      expectEnd(
        await place.run(...runs.plan),
        0,
        'terraform_data.fails is tainted, so must be replaced',
        'Plan: 1 to add, 0 to change, 1 to destroy.',
      );
    },
  );

  together(
    'cancels the remote run when it is interrupted and the prompt is confirmed, and keeps what was done',
    async () => {
      const stage = await Stage.shared();
      const place = await stage.workplace('canceled', `${simple}${slow(120)}`);
      const apply = place.start(...runs.apply);
      await apply.answer('Enter a value:', 'yes');
      await apply.prints('terraform_data.slow (local-exec): Executing');
      await apply.prints('terraform_data.x: Creation complete');
      apply.interrupt();
      await apply.answer('Do you want to cancel the remote operation?', 'yes');
      expectEnd(
        await apply.ended(),
        // An interrupted client exits with 0 or 1, depending on timing.
        'any',
        "Only 'yes' will be accepted to cancel.",
        'The remote operation was successfully cancelled.',
      );
      const run = await until('the run is canceled', async () => {
        const last = await stage.lastRun('canceled');
        return last.attributes.status === 'canceled' && last;
      });
      expect(run.relationships['created-by'].data.type).toBe('users');
      expectEnd(await place.run('state', 'list'), 0, 'terraform_data.x\n');
      expect((await stage.workspace('canceled')).relationships['current-run'].data.id).toBe(run.id);
    },
  );

  together(
    'leaves a plan that it only looks at alone when it is interrupted, and asks whether to cancel what it would apply',
    async () => {
      const stage = await Stage.shared();
      const { dawdler } = await stage.dawdling('leisure');
      const place = await stage.workplace('interrupted', simple, { organization: 'leisure' });
      const statuses = async () => {
        const { id } = await stage.steps.ask('GET', '/organizations/leisure/workspaces/interrupted');
        return (await stage.steps.runs(id)).map(({ attributes }) => attributes.status);
      };
      const plan = place.start('plan', '-no-color');
      await plan.prints('Initializing plugins and modules...');
      plan.interrupt();
      expectEnd(await plan.ended(), 'any', 'Interrupt received.');
      expect(await statuses()).toEqual(['planning']);

      // Queued behind the other, which still runs.
      const spared = place.start(...runs.apply);
      await spared.prints('Waiting for the plan to start...');
      spared.interrupt();
      await spared.answer('Do you want to cancel the remote operation?', 'no');
      expectEnd(await spared.ended(), 'any', 'The remote operation was not cancelled.');
      expect(await statuses()).toEqual(['plan_queued', 'planning']);
      const { relationships } = await stage.steps.ask('GET', '/organizations/leisure/workspaces/interrupted');
      await stage.steps.ask('POST', `/runs/${relationships['current-run'].data.id}/actions/cancel`);

      const apply = place.start(...runs.apply);
      await apply.prints('Waiting for the plan to start...');
      apply.interrupt();
      await apply.answer('Do you want to cancel the remote operation?', 'yes');
      expectEnd(await apply.ended(), 'any', 'The remote operation was successfully cancelled.');
      expect(await statuses()).toEqual(['canceled', 'canceled', 'planning']);
      const { id } = await stage.steps.ask('GET', '/organizations/leisure/workspaces/interrupted');
      const [, , planning] = await stage.steps.runs(id);
      await stage.steps.ask('POST', `/runs/${planning.id}/actions/cancel`);
      await dawdler.prints(`${planning.id}: plan stopped: the run no longer belongs to this agent`);
    },
  );

  together('waits while another user’s run holds the workspace, reports it, and continues afterwards', async () => {
    const stage = await Stage.shared();
    const first = await stage.workplace('shared', simple, { user: '-ann' });
    const second = await stage.workplace('shared', simple, { user: '-ben' });
    const anns = first.start(...runs.apply);
    await anns.prints('Enter a value:');
    const bens = second.start(...autoApprove);
    await bens.prints('Waiting for 1 run(s) to finish before being queued...');
    await anns.answer('Enter a value:', 'yes');
    expectEnd(await anns.ended(), 0, applied);
    expectEnd(
      await bens.ended(),
      0,
      'Waiting for 1 run(s) to finish before being queued...\n',
      'terraform_data.x: Refreshing state... [id=ID]',
      'No changes. Your infrastructure matches the configuration.',
    );
  });

  together('waits while a workspace is locked, and says that it is', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('locked', simple);
    const { id } = await stage.workspace('locked');
    await stage.steps.ask('POST', `/workspaces/${id}/actions/lock`, {});
    const impatient = place.start(...runs.apply);
    await impatient.prints('Waiting for the manually locked workspace to be unlocked...');
    impatient.interrupt();
    await impatient.answer('Do you want to cancel the remote operation?', 'yes');
    expectEnd(await impatient.ended(), 'any', 'The remote operation was successfully cancelled.');
    expect((await stage.lastRun('locked')).attributes.status).toBe('canceled');

    const apply = place.start(...autoApprove);
    await apply.prints('Waiting for the manually locked workspace to be unlocked...');
    await stage.steps.ask('POST', `/workspaces/${id}/actions/unlock`);
    expectEnd(
      await apply.ended(),
      0,
      'Waiting for the manually locked workspace to be unlocked...\n',
      created,
      applied,
    );
  });

  together('never notices that the agent died which was planning: another one begins again', async () => {
    const stage = await Stage.shared();
    const { dawdler, token } = await stage.dawdling('elsewhere');
    const place = await stage.workplace('taken-over', simple, { organization: 'elsewhere' });
    const apply = place.start(...autoApprove);
    await apply.prints('Initializing plugins and modules...');
    await dawdler.end('SIGKILL');
    await stage.agent('heir', token);
    const ended = await apply.ended();
    expectEnd(ended, 0, 'Initializing plugins and modules...', created, applied);
    expect(ended.printed.match(/Initializing plugins and modules/g)).toHaveLength(1);
  });

  together('plans and applies with -target, -replace and -destroy, and refreshes', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('narrowed', `${simple}resource "terraform_data" "y" { input = "you" }\n`);
    expectEnd(await place.run(...autoApprove, '-target=terraform_data.x'), 0, 'Plan: 1 to add,', '1 added, 0 changed');
    expectEnd(
      await place.run(...runs.plan, '-replace=terraform_data.x'),
      0,
      'terraform_data.x will be replaced, as requested',
      'Plan: 2 to add, 0 to change, 1 to destroy.',
    );
    expectEnd(await place.run(...runs.plan, '-destroy'), 0, 'Plan: 0 to add, 0 to change, 1 to destroy.');
    expectEnd(await place.run('refresh', '-no-color'), 0, 'Your infrastructure still matches the configuration.');
    expectEnd(await place.run(...runs.plan, '-detailed-exitcode'), 2, 'Plan: 1 to add, 0 to change, 0 to destroy.');
  });

  together('gets the configuration of what is imported, and writes it', async () => {
    const stage = await Stage.shared();
    const place = await stage.workplace('imported', 'import {\n  to = terraform_data.x\n  id = "known"\n}\n');
    expectEnd(await place.run(...runs.plan, '-generate-config-out=made.tf'), 0, 'Plan: 1 to import,');
    expect(await place.read('made.tf')).toContain('resource "terraform_data" "x" {\n');
    expectEnd(await place.run(...autoApprove), 0, 'Apply complete! Resources: 1 imported, 0 added,');
  });

  together('works with the token of a team, as far as the team may', async () => {
    const stage = await Stage.shared();
    const attributes = { name: 'pipeline', 'organization-access': { 'manage-workspaces': true } };
    const document = { data: { type: 'teams', attributes } };
    const team = await stage.steps.ask('POST', '/organizations/acme/teams', document);
    const issued = await stage.steps.ask('POST', `/teams/${team.id}/authentication-token`, {
      data: { type: 'authentication-token' },
    });
    const place = await stage.workplace('by-a-team', simple, { token: issued.attributes.token });
    expectEnd(await place.run(...autoApprove), 0, created, applied);
  });
});
