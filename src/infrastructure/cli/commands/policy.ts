import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { trialLimits, trialStatuses } from '../../../domain/index.js';
import { isOpen } from '../../../domain/policy-outcomes/policy-trial.js';
import { OperatorError } from '../../backup.js';
import { type Call, type Command, UsageError } from '../toolkit/command.js';
import { table } from '../toolkit/output.js';

const environmentSchema = z.object({ GATEHOUSE_URL: z.url(), GATEHOUSE_TOKEN: z.string().min(1) });

const trialSchema = z.object({
  id: z.string(),
  attributes: z.object({
    status: z.enum(trialStatuses),
    'error-message': z.string().nullable(),
    verdicts: z
      .array(z.object({ before: z.string().nullable(), now: z.string().nullable(), plans: z.number() }))
      .optional(),
  }),
});

const verdictSchema = z.object({
  status: z.string(),
  output: z.array(z.unknown()).nullable(),
  reason: z.string().nullable().optional(),
});

const resultSchema = z.object({
  attributes: z.object({
    before: z.object({ status: z.string() }).nullable(),
    now: z.object({ status: z.string(), reason: z.string().nullable() }).nullable(),
    policies: z.array(z.object({ name: z.string(), before: verdictSchema.nullable(), now: verdictSchema.nullable() })),
  }),
  relationships: z.object({ run: z.object({ data: z.object({ id: z.string() }) }) }),
});

const named = z.object({ id: z.string(), attributes: z.object({ name: z.string() }) });
const refusal = z.object({ errors: z.array(z.object({ title: z.string(), detail: z.string().optional() })).min(1) });

const betweenLooks = 2_000;
const requestSeconds = 30;
/** A plan that has one of these verdicts now, and did not have it before, is worse off. */
const worse = ['failed', 'errored'];

/** Requests to a running service, by the caller whose token is in the environment. */
class Service {
  private readonly url: string;
  private readonly token: string;

  constructor(environment: Call['environment']) {
    const given = environmentSchema.safeParse(environment);
    if (!given.success) {
      throw new UsageError(
        'GATEHOUSE_URL must be the URL of the service, and GATEHOUSE_TOKEN a token of a user or team that manages policies',
      );
    }
    this.url = given.data.GATEHOUSE_URL.replace(/\/$/, '');
    this.token = given.data.GATEHOUSE_TOKEN;
  }

  async data<Schema extends z.ZodType>(path: string, schema: Schema, body?: object): Promise<z.output<Schema>> {
    const response = await fetch(`${this.url}/api/v2${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${this.token}`, 'Content-Type': 'application/vnd.api+json' },
      signal: AbortSignal.timeout(requestSeconds * 1000),
      ...(body && { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new OperatorError(`the service does not respond: ${error.message}`);
    });
    const document: unknown = await response.json().catch(() => undefined);
    if (response.ok) return schema.parse((document as { readonly data?: unknown } | undefined)?.data);
    const told = refusal.safeParse(document).data?.errors.map(({ title, detail }) => detail ?? title) ?? [];
    throw new OperatorError(told.join('\n') || `the service responded with ${response.status}`);
  }
}

/** The policies of a directory as the archive of a policy set version. Links are left out. */
async function archiveOf(directory: string): Promise<Buffer> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch((error: Error) => {
    throw new OperatorError(`${directory} cannot be read: ${error.message}`);
  });
  const files = entries
    .filter((entry) => entry.isFile() && /(\.rego|\.hcl)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const tar = pack();
  const whole = buffer(tar.pipe(createGzip()));
  for (const file of files) {
    tar.entry({ name: relative(directory, file).replaceAll('\\', '/') }, await readFile(file));
  }
  tar.finalize();
  const archive = await whole;
  if (archive.length <= trialLimits.archive) return archive;
  throw new OperatorError(`the policies take ${archive.length} bytes; a trial takes ${trialLimits.archive} at most`);
}

async function relationsIn(call: Call, service: Service, organization: string) {
  const [set, workspace] = [call.option('set'), call.option('workspace')];
  if (set === undefined && workspace === undefined) throw new UsageError('--set or --workspace is required');
  const base = `/organizations/${encodeURIComponent(organization)}`;
  const relationships: Record<string, object> = {};
  if (set !== undefined) {
    const query = `search%5Bname%5D=${encodeURIComponent(set)}&page%5Bsize%5D=100`;
    const found = await service.data(`${base}/policy-sets?${query}`, z.array(named));
    const one = found.find(({ attributes }) => attributes.name === set);
    if (one === undefined) throw new OperatorError(`there is no policy set ${set}`);
    relationships['policy-set'] = { data: { type: 'policy-sets', id: one.id } };
  }
  if (workspace !== undefined) {
    const { id } = await service.data(`${base}/workspaces/${encodeURIComponent(workspace)}`, named);
    relationships.workspaces = { data: [{ type: 'workspaces', id }] };
  }
  return relationships;
}

const against = (call: Call): number => {
  const text = call.option('against') ?? String(trialLimits.plans);
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= 1 && number <= trialLimits.plans) return number;
  throw new UsageError(`--against must be a number from 1 to ${trialLimits.plans}`);
};

const policyTry: Command = {
  name: 'policy try',
  does: 'evaluates the policies of a directory against plans that exist',
  about:
    'Asks the service at GATEHOUSE_URL with GATEHOUSE_TOKEN. Exits with 1 if a plan fails that did not fail before, and if the trial does not finish.',
  args: ['ORGANIZATION', 'DIRECTORY'],
  options: {
    set: {
      value: 'NAME',
      about: 'compare with the recorded outcomes of this policy set, in the workspaces it applies to',
    },
    workspace: { value: 'NAME', about: 'only plans of this workspace' },
    against: { value: 'NUMBER', about: `number of plans, newest first (default ${trialLimits.plans})` },
  },
  run: async (call) => {
    const organization = call.arg(0);
    const plans = against(call);
    const service = new Service(call.environment);
    const archive = await archiveOf(call.arg(1));
    const relationships = await relationsIn(call, service, organization);
    const attributes = { archive: archive.toString('base64'), plans };
    const body = { data: { type: 'policy-trials', attributes, relationships } };
    const { id } = await service.data(
      `/organizations/${encodeURIComponent(organization)}/policy-trials`,
      trialSchema,
      body,
    );
    let trial = await service.data(`/policy-trials/${id}`, trialSchema);
    while (isOpen(trial.attributes)) {
      await pause(betweenLooks);
      trial = await service.data(`/policy-trials/${id}`, trialSchema);
    }
    const results = await service.data(`/policy-trials/${id}/results?page%5Bsize%5D=100`, z.array(resultSchema));
    const { status, 'error-message': failure, verdicts = [] } = trial.attributes;
    const counts = verdicts.map(({ before, now, plans: count }) => [before ?? 'none', now ?? 'waiting', count]);
    const isWorse = ({ attributes: one }: z.output<typeof resultSchema>) =>
      worse.includes(one.now?.status ?? '') && one.before?.status !== one.now?.status;
    const lines = results.filter(isWorse).map(({ attributes: one, relationships: { run } }) => {
      const told = one.policies
        .filter(({ now }) => worse.includes(now?.status ?? ''))
        .flatMap(({ name, now }) => (now?.output ?? []).map((text) => `  ${name}: ${worded(text)}`));
      return [`${run.data.id}: ${one.before?.status ?? 'none'} -> ${one.now?.status}`, ...told].join('\n');
    });
    const text = [
      ...(status === 'finished' ? [] : [`${id} is ${status}. ${failure ?? ''}`.trim()]),
      table(['before', 'now', 'plans'], counts),
      ...lines,
    ];
    return {
      json: { id, status, 'error-message': failure, verdicts, results },
      text: text.join('\n\n'),
      failed: status !== 'finished' || lines.length > 0,
    };
  },
};

/** A terminal acts on control characters. */
const worded = (output: unknown): string =>
  (typeof output === 'string' ? output : JSON.stringify(output)).replaceAll(/\p{Cc}/gu, ' ');

export const policyCommands: readonly Command[] = [policyTry];
