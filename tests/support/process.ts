import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { keepLog, noteEnvironment, noteFiles, noteSecretsOf, watchLog } from './secrets-in-logs.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The command of `npm start`, including its flags. */
const [, ...words] = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts.start as string).split(' ');

export const adminToken = 'an-administrator-token-for-tests';

/** A port that is free at the moment, for programs that cannot report the one they chose. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });

export const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'gatehouse-test-'));

/** The built service as a process of its own, on loopback and a free port. */
export class ServiceProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    private readonly output: { text: string },
  ) {}

  /** Resolves once it reports its address; rejects with its output if it exits before. */
  static async start(
    environment: Readonly<Record<string, string>>,
    /** A shell command that runs before the shell executes the service. */
    first = ':',
    /** The directory of a built release. */
    release = root,
  ): Promise<ServiceProcess> {
    const env = { PORT: '0', RATE_LIMIT_PER_SECOND: '0', ADMIN_TOKEN: adminToken, ...environment };
    const child = spawn('sh', ['-c', `${first}; exec "$@"`, 'sh', process.execPath, ...words], {
      cwd: release,
      env: { PATH: process.env.PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const output = { text: '' };
    noteEnvironment(env);
    watchLog(() => output.text);
    child.once('close', () => keepLog(output.text));
    const url = await new Promise<string>((resolve, reject) => {
      const read = (chunk: Buffer) => {
        output.text += chunk.toString();
        const address = /serves at (\S+)/.exec(output.text)?.[1];
        if (address !== undefined) resolve(address);
      };
      child.stdout?.on('data', read);
      child.stderr?.on('data', read);
      child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${output.text}`)));
    });
    noteFiles(environment.DATA_DIR);
    return new ServiceProcess(child, url, output);
  }

  /** Everything it printed so far, both streams. */
  get printed(): string {
    return this.output.text;
  }

  /** Resolves once it has printed this: log lines are written a moment after the event. */
  async prints(text: string): Promise<void> {
    const deadline = performance.now() + 100_000;
    while (!this.printed.includes(text)) {
      if (performance.now() > deadline) throw new Error(`it did not print ${text}, but:\n${this.printed}`);
      await pause(10);
    }
  }

  /** Ends it with `signal`. Resolves to its exit code, or null if the signal ended it. */
  async end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL' = 'SIGTERM'): Promise<number | null> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return this.child.exitCode;
    const exited = once(this.child, 'exit');
    this.child.kill(signal);
    const [code] = await exited;
    return code as number | null;
  }

  /** Sends a request, as the administrator if no token is given. Returns status and document. */
  async api(
    method: string,
    path: string,
    body?: object,
    token = adminToken,
    // biome-ignore lint/suspicious/noExplicitAny: documents are read member by member in tests.
  ): Promise<{ status: number; json: any; headers: Headers }> {
    const response = await fetch(this.url + path, {
      method,
      redirect: 'manual',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/vnd.api+json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    noteSecretsOf(`${text} ${response.headers.get('location')}`);
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text), headers: response.headers };
  }

  /** An organization with a workspace in it; returns the workspace's id. */
  async provision(organization = 'acme', workspace = 'api'): Promise<string> {
    await this.api('POST', '/organizations', {
      data: { type: 'organizations', attributes: { name: organization, email: 'ops@example.com' } },
    });
    const created = await this.api('POST', `/organizations/${organization}/workspaces`, {
      data: { type: 'workspaces', attributes: { name: workspace } },
    });
    return created.json.data.id;
  }

  async newVersion(workspaceId: string, attributes: object = {}): Promise<{ id: string; uploadUrl: string }> {
    const document = { data: { type: 'configuration-version', attributes } };
    const { json } = await this.api('POST', `/workspaces/${workspaceId}/configuration-versions`, document);
    return { id: json.data.id, uploadUrl: json.data.attributes['upload-url'] };
  }

  async statusOf(versionId: string): Promise<string> {
    return (await this.api('GET', `/configuration-versions/${versionId}`)).json.data.attributes.status;
  }

  async download(versionId: string): Promise<Buffer> {
    const { headers } = await this.api('GET', `/configuration-versions/${versionId}/download`);
    return Buffer.from(await (await fetch(headers.get('location') ?? '')).arrayBuffer());
  }
}

/** Runs `test` with a data directory that is removed afterwards. */
export async function inTemporaryDirectory<Result>(test: (directory: string) => Promise<Result>): Promise<Result> {
  const directory = await temporaryDirectory();
  try {
    return await test(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
