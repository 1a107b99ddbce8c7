import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { ServiceClient, ServiceRefused } from './service/service-client.js';
import { SettingsError, settings, tokenSchema } from './settings.js';

/** How long one request may take, and how long a service that is away is asked again. */
const seconds = { request: 60, upload: 3600, retryFor: 60 } as const;

const stateFile = z.object({ serial: z.int().min(0), lineage: z.string().min(1) });
const identified = z.object({ id: z.string() });
const shown = z.object({ data: identified });
const shownRun = z.object({ data: z.object({ relationships: z.object({ workspace: shown }) }) });
const createdState = z.object({
  data: z.object({ id: z.string(), attributes: z.object({ 'hosted-state-upload-url': z.url().nullable() }) }),
});

interface Given {
  readonly file: string;
  readonly force: boolean;
}

export const putBackUsage = 'gatehouse-agent put-back FILE [--force]';

/** Throws `SettingsError`. */
function givenIn(words: readonly string[]): Given {
  const files = words.filter((word) => word !== '--force');
  const [file] = files;
  if (files.length !== 1 || file === undefined || file.startsWith('-')) {
    throw new SettingsError([`put-back takes one file: ${putBackUsage}`]);
  }
  return { file, force: words.includes('--force') };
}

function clientOf(environment: NodeJS.ProcessEnv, print: (line: string) => void): ServiceClient {
  const url = settings.GATEHOUSE_URL.schema.safeParse(environment.GATEHOUSE_URL);
  const token = tokenSchema.safeParse(environment.GATEHOUSE_TOKEN);
  const faults = [
    ...(url.success ? [] : ['GATEHOUSE_URL: must be the http:// or https:// URL of the service']),
    ...(token.success ? [] : ['GATEHOUSE_TOKEN: must be a token of a user or team that may write states']),
  ];
  if (!url.success || !token.success) throw new SettingsError(faults);
  return new ServiceClient(url.data, token.data, print);
}

/** Which run's state it is: an agent names the file after the run. */
function runIn(file: string): string {
  const [, runId] = /^(run-\w+)\.tfstate$/.exec(basename(file)) ?? [];
  if (runId === undefined) {
    throw new SettingsError([`${file} is not named after its run, as in lost-state: use terraform state push instead`]);
  }
  return runId;
}

async function described(file: string): Promise<{ serial: number; lineage: string; md5: string }> {
  const bytes = await readFile(file);
  const md5 = createHash('md5').update(bytes).digest('hex');
  try {
    return { ...stateFile.parse(JSON.parse(bytes.toString())), md5 };
  } catch {
    throw new SettingsError([`${file} is not a state: it has no serial and no lineage`]);
  }
}

/**
 * Makes a state that an agent left in `lost-state` the current one of its workspace, under the workspace's lock, on behalf
 * of the user or team whose token is given. The file stays. Throws `SettingsError`, and `ServiceRefused` where the
 * workspace is locked by others or has a newer state.
 */
export async function putBack(
  words: readonly string[],
  environment: NodeJS.ProcessEnv,
  print: (line: string) => void,
): Promise<void> {
  const { file, force } = givenIn(words);
  const runId = runIn(file);
  const state = await described(file);
  const client = clientOf(environment, print);
  const ask = <Schema extends z.ZodType>(method: 'GET' | 'POST', path: string, schema: Schema, body?: object) =>
    client.json({ method, path: `/api/v2${path}`, body, seconds: seconds.request, retryFor: seconds.retryFor }, schema);

  const { data: run } = await ask('GET', `/runs/${runId}`, shownRun);
  const workspace = `/workspaces/${run.relationships.workspace.data.id}`;
  const locked = await ask('POST', `${workspace}/actions/lock`, shown, { reason: `Putting back the state of ${runId}` })
    .then(() => true)
    .catch((error: unknown) => {
      // The caller may hold the lock already: whether it does, the service says when the state is sent.
      if (error instanceof ServiceRefused && error.status === 409) return error.repeated;
      throw error;
    });
  try {
    const relationships = { run: { data: { type: 'runs', id: runId } } };
    const data = { type: 'state-versions', attributes: { ...state, force }, relationships };
    const created = await ask('POST', `${workspace}/state-versions`, createdState, { data });
    const url = created.data.attributes['hosted-state-upload-url'];
    if (url === null) throw new Error('the service gave no URL to upload the state to');
    // The service is where the settings say, whatever it calls itself.
    const path = new URL(url).pathname;
    const body = await openAsBlob(file);
    await client.json(
      { method: 'PUT', path, body, seconds: seconds.upload, retryFor: seconds.retryFor },
      z.undefined(),
    );
    print(`${file} is the current state of the workspace now, as ${created.data.id}. The file can be removed.`);
  } finally {
    if (locked) await ask('POST', `${workspace}/actions/unlock`, shown);
  }
}
