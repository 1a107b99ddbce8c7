import { openAsBlob } from 'node:fs';
import { z } from 'zod';
import type { Job } from './job.js';
import { LeaseLost, type Question, type ServiceClient, ServiceRefused } from './service-client.js';

export interface ResourceCounts {
  readonly additions: number;
  readonly changes: number;
  readonly destructions: number;
  readonly imports: number;
}

export type PhaseReport =
  | {
      readonly status: 'finished';
      readonly hasChanges?: boolean;
      readonly generatedConfiguration?: boolean;
      readonly resources: ResourceCounts;
    }
  | { readonly status: 'errored'; readonly message: string }
  | { readonly status: 'canceled' };

export interface PolicySetReport {
  readonly 'policy-set-id': string;
  /** The reason none of the set's policies was evaluated. */
  readonly error?: string;
  readonly warnings?: readonly string[];
  readonly policies?: readonly PolicyReport[];
}

export interface PolicyReport {
  readonly name: string;
  readonly status: 'passed' | 'failed' | 'errored';
  readonly output: readonly unknown[];
}

export interface NewState {
  readonly serial: number;
  readonly lineage: string;
  readonly md5: string;
  readonly size: number;
  readonly outputs: readonly {
    readonly name: string;
    readonly type: unknown;
    readonly value: unknown;
    readonly sensitive: boolean;
  }[];
}

export type Artifact = 'plan-file' | 'plan-json' | 'plan-json-redacted';

/** The time limits for a response of a few bytes and for one that transfers files, in seconds. */
const soon = 30;
const later = 900;
/** How long a report is retried while the service is unavailable, in seconds. */
const retryFor = 900;

/** The service's limit on a report, in bytes. */
const longestReport = 16 * 1024 * 1024;
/** The statuses that refuse a report for its size, depth or content. */
const aboutBody: readonly number[] = [400, 413, 422];

const heartbeat = z.object({ cancel: z.boolean() });
const anything = z.unknown();
const stateVersion = z.object({
  upload: z.object({ url: z.string().startsWith('/agent/v1/') }),
  'outputs-left-out': z.number().optional(),
});

/**
 * Sends every report on a run under its lease. All methods throw `LeaseLost` once the run no longer belongs to this
 * agent.
 */
export class LeasedRun {
  /** Aborted, with `LeaseLost`, as soon as any response says so. */
  readonly lost: AbortSignal;
  private readonly losing = new AbortController();
  /** Aborted when reporting on the run ends. */
  private readonly over = new AbortController();

  constructor(
    private readonly client: ServiceClient,
    private readonly job: Job,
  ) {
    this.lost = this.losing.signal;
    this.lost.addEventListener('abort', () => this.abandon(this.lost.reason));
  }

  /** Ends reporting on the run; pending reports fail with `reason`. The lease expires. */
  abandon(reason: Error): void {
    this.over.abort(reason);
  }

  /** Returns whether the run's cancellation was requested. */
  async heartbeat(): Promise<boolean> {
    return (await this.json({ method: 'POST', path: this.path('heartbeat'), seconds: 10, retryFor: 0 }, heartbeat))
      .cancel;
  }

  download(path: string, file: string): Promise<void> {
    return this.noting(this.client.download({ ...this.given, method: 'GET', path, seconds: later, retryFor }, file));
  }

  async appendLog(offset: number, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const path = `${this.path('log')}?offset=${offset}`;
    await this.json({ method: 'PUT', path, body: new Blob([bytes]), seconds: soon, retryFor }, anything);
  }

  async upload(name: Artifact, file: string): Promise<void> {
    const body = await openAsBlob(file);
    await this.json({ method: 'PUT', path: this.path(`artifacts/${name}`), body, seconds: later, retryFor }, anything);
  }

  async reportPhase(report: PhaseReport): Promise<void> {
    await this.once({ method: 'POST', path: this.path(this.job.phase), body: wire(report), seconds: soon, retryFor });
  }

  async reportPolicies(evaluationId: string, version: string, sets: readonly PolicySetReport[]): Promise<void> {
    const path = this.path(`policy-evaluations/${evaluationId}`);
    const body = { 'policy-tool-version': version, 'policy-sets': sets };
    await this.once({ method: 'POST', path, body, seconds: later, retryFor });
  }

  /**
   * Once it resolves, the state is the workspace's current one. If the service refuses the state for its outputs, it is
   * sent without them. Returns a message about outputs that were not stored; undefined if all were.
   */
  async storeState(state: NewState, file: string): Promise<string | undefined> {
    let told: string | undefined;
    const announcedWithout = (why: string) => {
      told = `The outputs were not stored with the state: ${why}.`;
      return this.announce({ ...state, outputs: [] });
    };
    const announced = await (Buffer.byteLength(JSON.stringify(state)) > longestReport
      ? announcedWithout('together they exceed the size limit of the service')
      : this.announce(state).catch((error: unknown) => {
          const refused = error instanceof ServiceRefused && aboutBody.includes(error.status);
          if (!refused || state.outputs.length === 0) throw error;
          return announcedWithout(error.message);
        }));
    const leftOut = announced['outputs-left-out'] ?? 0;
    if (leftOut > 0)
      told = `${leftOut} of the outputs were not stored with the state: they are too long, too deeply nested, or too many.`;
    const body = await openAsBlob(file);
    await this.json({ method: 'PUT', path: announced.upload.url, body, seconds: later, retryFor }, anything);
    return told;
  }

  private announce(body: NewState): Promise<z.output<typeof stateVersion>> {
    return this.json(
      { method: 'POST', path: this.path('state-versions'), body, seconds: later, retryFor },
      stateVersion,
    );
  }

  /** A retry of a request that succeeded, but whose response was lost, is refused. */
  private async once(question: Question): Promise<void> {
    await this.json(question, anything).catch((error: unknown) => {
      const taken = error instanceof ServiceRefused && error.status === 409 && error.repeated;
      if (!taken || error instanceof LeaseLost) throw error;
    });
  }

  private json<Schema extends z.ZodType>(question: Question, schema: Schema): Promise<z.output<Schema>> {
    return this.noting(this.client.json({ ...this.given, ...question }, schema));
  }

  private async noting<Answer>(answer: Promise<Answer>): Promise<Answer> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof LeaseLost) this.losing.abort(error);
      throw error;
    }
  }

  private path(what: string): string {
    return `/agent/v1/runs/${this.job.run.id}/${what}`;
  }

  private get given() {
    return { headers: { Lease: this.job.lease.token }, signal: this.over.signal } as const;
  }
}

const wire = (report: PhaseReport): object =>
  report.status === 'finished'
    ? {
        status: report.status,
        ...(report.hasChanges === undefined ? {} : { 'has-changes': report.hasChanges }),
        ...(report.generatedConfiguration && { 'generated-configuration': true }),
        ...Object.fromEntries(Object.entries(report.resources).map(([name, count]) => [`resource-${name}`, count])),
      }
    : report;
