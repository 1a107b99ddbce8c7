import { createReadStream, createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { findOpa, noOpa } from '../programs/find-programs.js';
import { type Code, type Evaluated as Judged, Opa, type Rego, type Verdict } from '../programs/opa.js';
import type { KeptRun, KeptWorkspace, Policy, PolicySet } from '../service/job.js';
import type { PolicyReport, PolicySetReport } from '../service/leased-run.js';
import { printable } from '../service/printable.js';
import type { Secrets } from '../service/secrets.js';
import { digestOf } from './configuration.js';
import { type Evaluating, type Execution, RunFailure } from './execution.js';
import { type PolicyTree, policyTree } from './policy-archive.js';
import { bareEnvironmentOf } from './prepare.js';

export interface Evaluated {
  readonly id: string;
  /** The engine's version. */
  readonly version: string;
  readonly sets: readonly PolicySetReport[];
}

/** The service's limit on elements of one policy's output. */
const maxReasons = 1000;
/** The service's limit on warnings of one set. */
const maxWarnings = 100;
const longestReason = 4096;
/** Below the service's limit of 16 MiB for a report on one kind, names and brackets included. */
const outputBytes = 12 * 1024 * 1024;

/** The properties that all policies of a set share. */
export interface Common {
  readonly rego: Rego;
  /** Undefined where each policy has its own code. */
  readonly tree: PolicyTree | undefined;
  /** The file with the set's parameters; undefined without any. */
  readonly parameters: string | undefined;
}

export type Judge = (policy: Policy, common: Common) => Promise<Judged>;

/** OPA as found on this machine; `opa` is undefined without it. */
export async function opaOf(x: Evaluating) {
  const bare = bareEnvironmentOf(x);
  const program = await findOpa(x.settings, bare);
  const user = x.settings.AGENT_RUN_AS;
  const dependencies = { directory: x.directory.at('policies'), environment: bare, bounds: x.bounds, user };
  const capabilities = x.directory.at('policies', 'capabilities.json');
  const opa = program && (await Opa.prepare(program, dependencies, capabilities));
  if (opa) await x.directory.give(capabilities);
  return { version: program?.version, opa };
}

/**
 * Evaluates every policy of the job against a plan, whose file is `planJson`. Failures are written to the log as well.
 */
export async function evaluatePolicies(x: Execution, planJson: string): Promise<readonly Evaluated[]> {
  const evaluations = x.job['policy-evaluations'];
  if (evaluations.length === 0) return [];
  const { version, opa } = await opaOf(x);
  const input = await writeInput(x, planJson);
  const judge: Judge = async (policy, common) =>
    opa === undefined ? errored(noOpa(x.settings)) : judged(x, opa, policy, common, input);

  const reports: Evaluated[] = [];
  for (const evaluation of evaluations) {
    const sets: PolicySetReport[] = [];
    for (const set of evaluation['policy-sets']) {
      const kind = evaluation['policy-kind'];
      const error = kind === 'opa' ? (opa === undefined ? noOpa(x.settings) : undefined) : noEngine(kind);
      const share = outputBytes / evaluation['policy-sets'].flatMap((one) => one.policies).length;
      sets.push(await reportOf(x, set, error ?? (await commonOf(x, set)), judge, share));
    }
    reports.push({ id: evaluation.id, version: version ?? 'none', sets });
  }
  return reports;
}

const noEngine = (kind: string): string =>
  `No ${kind} engine is available: agents evaluate OPA policies only. Write the policies in Rego, or detach the set.`;

/** `common` is a reason where the set cannot be evaluated; each policy may have `share` bytes of output. */
export async function reportOf(
  x: Evaluating,
  set: PolicySet,
  common: Common | string,
  judge: Judge,
  share: number,
): Promise<PolicySetReport> {
  if (typeof common === 'string') {
    tell(x, `Policy set ${set.name} could not be evaluated`, [common]);
    return { 'policy-set-id': set.id, error: common };
  }
  const policies: PolicyReport[] = [];
  const warnings: string[] = [];
  for (const policy of set.policies) {
    const { verdict: said, asV0 } = await judge(policy, common);
    const verdict = maskedVerdict(x.secrets, said);
    if (asV0) warnings.push(v0Warning(policy.name));
    if (verdict.status === 'failed') {
      tell(x, `Policy ${set.name}/${policy.name} (${policy['enforcement-level']}) failed`, verdict.reasons.map(worded));
    }
    if (verdict.status === 'errored')
      tell(x, `Policy ${set.name}/${policy.name} could not be evaluated`, [worded(verdict.reason)]);
    policies.push({ name: policy.name, status: verdict.status, output: outputOf(x.secrets, verdict, share) });
  }
  if (warnings.length > 0) tell(x, `Policy set ${set.name}`, warnings);
  const kept = warnings.slice(0, maxWarnings);
  return { 'policy-set-id': set.id, policies, ...(kept.length > 0 && { warnings: kept }) };
}

/** Returns the reason where the archive of the set cannot be used. */
export async function commonOf(x: Evaluating, set: PolicySet): Promise<Common | string> {
  const rego = regoOf(set['policy-tool-version']);
  try {
    const tree = set.archive === null ? undefined : await policyTree(x, set.archive);
    return { rego, tree, parameters: await writeParameters(x, set) };
  } catch (error) {
    if (error instanceof RunFailure) return error.message;
    throw error;
  }
}

/** Policies read them as `data.parameters`. */
async function writeParameters(x: Evaluating, { id, parameters }: PolicySet): Promise<string | undefined> {
  if (parameters.length === 0) return undefined;
  const file = x.directory.at('policies', `${id.replace(/[^\w-]/g, '')}-parameters.json`);
  const values = Object.fromEntries(parameters.map(({ key, value }) => [key, value]));
  await writeFile(file, JSON.stringify({ parameters: values }), { mode: 0o600 });
  await x.directory.give(file);
  return file;
}

const v0Warning = (name: string): string =>
  `The policy ${name} parses only as Rego v0 and was evaluated as such. Rewrite it, or set the policy-tool-version of its set below 1.`;

/** A word such as `latest` is a version from 1 on. */
const regoOf = (version: string | null): Rego => {
  if (version === null) return 'unknown';
  return /^0+(\.|$)/.test(version) ? 'v0' : 'v1';
};

const errored = (reason: string): Judged => ({ verdict: { status: 'errored', reason }, asV0: false });

/** Masks before cutting: the beginning of a secret would not be recognized. */
export function maskedVerdict(secrets: Secrets, verdict: Verdict): Verdict {
  if (verdict.status === 'passed') return verdict;
  if (verdict.status === 'errored') return { ...verdict, reason: secrets.masked(verdict.reason) };
  return { ...verdict, reasons: verdict.reasons.map((reason) => secrets.maskedIn(reason)) };
}

export async function judged(
  x: Evaluating,
  opa: Opa,
  policy: Policy,
  { rego, tree, parameters }: Common,
  input: string,
): Promise<Judged> {
  const { name, query } = policy;
  if (query === null || query.trim() === '') {
    return errored(`The policy ${name} has no query. Set one, such as data.example.deny.`);
  }
  const code = tree ?? (await ownCode(x, policy));
  if (typeof code === 'string') return errored(code);
  const data = parameters === undefined ? [] : [parameters];
  const verdict = await opa.evaluate({ ...code, data }, query, input, rego);
  // A cancellation or a lost lease is not a policy error.
  x.bounds.interrupt.throwIfAborted();
  x.bounds.kill.throwIfAborted();
  return verdict;
}

/** Returns the reason where the policy has no usable code. */
async function ownCode(x: Evaluating, { name, code }: Policy): Promise<Code | string> {
  if (code === null) return `The policy ${name} has no code. Upload it, and start a new run.`;
  const file = x.directory.at('policies', `${code.sha256.replace(/\W/g, '')}.rego`);
  await x.run.download(code.url, file);
  if ((await digestOf(file, 'sha256')) !== code.sha256) {
    return `The code of ${name} was damaged on its way to the agent.`;
  }
  await x.directory.give(file);
  return { files: [file] };
}

/** Copies the printed plan byte by byte: parsing it would lose digits of large numbers. */
async function writeInput(x: Execution, planJson: string): Promise<string> {
  const file = x.directory.at('policies', 'input.json');
  async function* parts() {
    yield '{"plan":';
    yield* createReadStream(planJson);
    yield `,"run":${JSON.stringify(runInput(x))}}`;
  }
  await writeFile(file, '', { mode: 0o600 });
  await pipeline(Readable.from(parts()), createWriteStream(file));
  await x.directory.give(file);
  return file;
}

/** The run in the field's terms, as far as the agent knows it. Variable values are omitted, as they are there. */
function runInput({ job: { run, workspace } }: Execution): object {
  const ofWorkspace = workspace.variables.map(
    ({ key, category, sensitive }) => [key, { category, sensitive }] as const,
  );
  const ofRun = run.variables.map(({ key }) => [key, { category: 'terraform', sensitive: false }] as const);
  return { ...keptRunInput(run, workspace), variables: Object.fromEntries([...ofWorkspace, ...ofRun]) };
}

/** The part that is still known after the run. */
export function keptRunInput(run: KeptRun, workspace: KeptWorkspace): object {
  return {
    id: run.id,
    message: run.message,
    is_destroy: run['is-destroy'],
    refresh: run.refresh,
    refresh_only: run['refresh-only'],
    replace_addrs: run['replace-addrs'] ?? [],
    speculative: run['plan-only'],
    target_addrs: run['target-addrs'] ?? [],
    organization: { name: workspace.organization },
    workspace: { id: workspace.id, name: workspace.name, working_directory: workspace['working-directory'] ?? '' },
  };
}

/** The text shown for an element: strings as they are, objects by their message. */
function worded(reason: unknown): string {
  const { message, msg } = (reason ?? {}) as { readonly message?: unknown; readonly msg?: unknown };
  const text = [reason, message, msg].find((candidate) => typeof candidate === 'string');
  return printable((text as string | undefined) ?? JSON.stringify(reason))
    .slice(0, longestReason)
    .toWellFormed();
}

/** The policy's output up to the service's limits, in at most `bytes` bytes of JSON. */
export function outputOf(secrets: Secrets, verdict: Verdict, bytes: number): readonly unknown[] {
  if (verdict.status === 'passed') return [];
  const all = verdict.status === 'failed' ? verdict.reasons : [verdict.reason];
  const kept: unknown[] = [];
  let left = bytes;
  for (const reason of all.slice(0, all.length > maxReasons ? maxReasons - 1 : maxReasons)) {
    const said = secrets.maskedIn(fitting(reason));
    left -= Buffer.byteLength(JSON.stringify(said)) + 1;
    if (left < 0) break;
    kept.push(said);
  }
  const rest = all.length - kept.length;
  return rest > 0 ? [...kept.slice(0, maxReasons - 1), `and ${rest} more`] : kept;
}

/** Small, flat objects are kept: they contain more than their message. */
const fitting = (reason: unknown): unknown => {
  const text = JSON.stringify(reason);
  const flat = text.length <= longestReason && !/[[{]{10}/.test(text.replace(/[^[{]/g, ''));
  // JSON escapes lone surrogates and control characters with `\u`.
  return typeof reason === 'object' && flat && !text.includes('\\u') ? reason : worded(reason);
};

function tell(x: Evaluating, heading: string, lines: readonly string[]): void {
  const indented = lines.map((line) => `  - ${printable(line).replaceAll('\n', '\n    ')}\n`);
  x.log.write(`\n${heading}:\n${indented.join('')}`);
}
