import { z } from 'zod';
import type { TrialJob } from './job.js';
import type { PolicyReport, PolicySetReport } from './leased-run.js';
import { LeaseLost, type ServiceClient } from './service-client.js';

/** In seconds: what is not answered in time is left to the next agent. */
const soon = 10;
const later = 60;
/** A run that waits ends the lease within this time and that of one response. */
const between = 3_000;

const heartbeat = z.object({ interrupted: z.boolean() });

export interface TrialPolicyReport extends PolicyReport {
  /** Why the verdict may depend on what the plan no longer shows. */
  readonly 'not-comparable'?: string;
}

export interface TrialSetReport extends PolicySetReport {
  readonly policies?: readonly TrialPolicyReport[];
}

/** Sends every report on a policy trial under its lease, and renews the lease. */
export class LeasedTrial {
  /** Aborted once the lease has ended, with the reason. */
  readonly ended: AbortSignal;
  private readonly ending = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private stopped = false;

  constructor(
    private readonly client: ServiceClient,
    private readonly job: TrialJob,
  ) {
    this.ended = this.ending.signal;
    this.schedule();
  }

  /** Ends the reports and the heartbeats. The lease expires. */
  stop(reason: Error): void {
    this.stopped = true;
    clearTimeout(this.timer);
    this.ending.abort(reason);
  }

  download(path: string, file: string): Promise<void> {
    return this.noting(
      this.client.download({ ...this.given, method: 'GET', path, seconds: later, retryFor: later }, file),
    );
  }

  async report(url: string, version: string, set: TrialSetReport): Promise<void> {
    const body = { 'policy-tool-version': version, 'policy-sets': [set] };
    const question = { ...this.given, method: 'POST', path: url, body, seconds: later, retryFor: later } as const;
    await this.noting(this.client.json(question, z.unknown()));
  }

  private schedule(): void {
    this.timer = setTimeout(() => void this.beat(), between);
  }

  /** A failed one is repeated until the service says that the lease has ended. */
  private async beat(): Promise<void> {
    const path = `/agent/v1/policy-trials/${this.job['policy-trial'].id}/heartbeat`;
    const question = { ...this.given, method: 'POST', path, seconds: soon, retryFor: 0 } as const;
    await this.noting(this.client.json(question, heartbeat)).then(
      ({ interrupted }) => interrupted && this.ending.abort(new Error('a run waits for the agent')),
      () => undefined,
    );
    if (!this.stopped && !this.ended.aborted) this.schedule();
  }

  private async noting<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof LeaseLost) this.ending.abort(error);
      throw error;
    }
  }

  private get given() {
    return { headers: { Lease: this.job.lease.token }, signal: this.ended } as const;
  }
}
