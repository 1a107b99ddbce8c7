import { archiveOf } from '../../tests/support/archives.js';
import type { Job, ReferenceAgent } from '../../tests/support/reference-agent.js';
import type { ServiceSteps } from '../../tests/support/service-steps.js';
import { minute, type PastClock } from './past-clock.js';
import { countsOf, logOf, type Plan, planJson, stateOf } from './plans.js';
import { messages } from './tables.js';

export interface GivenRun {
  readonly by: ServiceSteps;
  readonly message: string;
  readonly plan: Plan;
  /** The policies that fail. */
  readonly fails?: readonly string[];
  /** The comment of its confirmation; without one, the run waits for a decision. */
  readonly confirmed?: string;
}

/** Starts runs, and reports on them as an agent does that takes some seconds for each step. */
export class PicturedRuns {
  private readonly serials = new Map<string, number>();

  constructor(
    readonly agent: ReferenceAgent,
    private readonly clock: PastClock,
  ) {}

  /** Returns the id of the run. */
  async run(workspaceId: string, given: GivenRun): Promise<string> {
    const id = await this.started(workspaceId, given);
    const job = await this.claimed(id);
    await job.log(0, logOf(given.plan));
    const json = Buffer.from(JSON.stringify(planJson(given.plan)));
    for (const name of ['plan-json', 'plan-json-redacted']) await job.artifact(name, json);
    this.clock.passes(14_000);
    await job.report('plan', { status: 'finished', 'has-changes': true, ...countsOf(given.plan) });
    this.clock.passes(4_000);
    await this.judge(job, given.fails ?? []);
    if (given.confirmed === undefined) return id;
    this.clock.passes(4 * minute);
    await given.by.ask('POST', `/runs/${id}/actions/apply`, { comment: given.confirmed });
    await this.apply(workspaceId, id, given.plan);
    return id;
  }

  /** A run whose plan fails. */
  async fails(workspaceId: string, given: GivenRun, message: string): Promise<void> {
    const job = await this.claimed(await this.started(workspaceId, given));
    await job.log(0, `${logOf(given.plan)}\n\u001b[31mError: ${message}\u001b[0m\n`);
    this.clock.passes(9_000);
    await job.report('plan', { status: 'errored', message });
  }

  /** Returns the id of a run that waits for an agent. */
  async started(workspaceId: string, { by, message }: GivenRun): Promise<string> {
    const files = await archiveOf({ 'main.tf': 'module "vpc" {\n  source = "./vpc"\n}\n' });
    await by.uploaded(workspaceId, files, { 'auto-queue-runs': false });
    this.clock.passes(20_000);
    return by.run(workspaceId, undefined, { message });
  }

  private async claimed(run: string): Promise<Job> {
    this.clock.passes(3_000);
    const job = await this.agent.claimed();
    if (job.runId !== run) throw new Error(`the agent got ${job.runId} instead of ${run}`);
    return job;
  }

  private async judge(job: Job, fails: readonly string[]): Promise<void> {
    for (const evaluation of job.json['policy-evaluations']) {
      const sets = evaluation['policy-sets'].map((set: { id: string; policies: readonly { name: string }[] }) => ({
        'policy-set-id': set.id,
        policies: set.policies.map(({ name }) =>
          fails.includes(name) ? { name, status: 'failed', output: messages[name] } : { name, status: 'passed' },
        ),
      }));
      const { status, json } = await job.policies(evaluation.id, sets);
      if (status !== 200) throw new Error(`reporting policies answered ${status}: ${JSON.stringify(json)}`);
    }
  }

  private async apply(workspaceId: string, id: string, plan: Plan): Promise<void> {
    const job = await this.claimed(id);
    await job.log(0, `${logOf(plan)}\n\u001b[32mApply complete!\u001b[0m\n`);
    this.clock.passes(31_000);
    const serial = (this.serials.get(workspaceId) ?? 0) + 1;
    this.serials.set(workspaceId, serial);
    const outputs = Object.entries(plan.outputs ?? {}).map(([name, [, value]]) => ({
      name,
      type: 'string',
      value,
      sensitive: false,
    }));
    await job.writeState(stateOf(plan, serial, workspaceId), { serial, lineage: workspaceId, outputs });
    await job.report('apply', { status: 'finished', ...countsOf(plan) });
  }
}
