import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { noteEnvironment } from './secrets-in-logs.js';
import { until } from './service-steps.js';

/** The terraform on PATH, unless the environment names another. */
export const terraform = process.env.TERRAFORM ?? 'terraform';

/** Only a label: the CLI's configuration says where its API is. */
export const hostname = 'gatehouse.test';

const children = new Set<ChildProcess>();

/** Processes that a failed test left running. */
export function killCommands(): void {
  for (const child of children) child.kill('SIGKILL');
}

/** The exit code of a command and everything it printed on both streams, interleaved. */
export interface Ended {
  readonly code: number | null;
  readonly printed: string;
}

/** A running command. Its input is a pipe read line by line, so prompts can be answered without a terminal. */
export class RunningCommand {
  private text = '';

  constructor(
    private readonly child: ChildProcess,
    private readonly words: string,
  ) {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.text += chunk.toString();
      });
    }
  }

  /** Resolves once it has printed this. */
  async prints(text: string): Promise<void> {
    await until(`terraform ${this.words} prints ${text}`, async () => {
      if (this.text.includes(text)) return true;
      if (this.child.exitCode !== null) throw new Error(`it ended without printing ${text}, but:\n${this.text}`);
      return false;
    }).catch((error: Error) => {
      throw new Error(`${error.message}; it printed:\n${this.text}`);
    });
  }

  /** The first text it prints that matches. */
  async finds(pattern: RegExp): Promise<string> {
    const find = async () => pattern.exec(this.text)?.[0];
    return until(`terraform ${this.words} prints ${pattern}`, find);
  }

  /** Waits for a prompt and answers it. */
  async answer(question: string, word: string): Promise<void> {
    await this.prints(question);
    this.child.stdin?.write(`${word}\n`);
  }

  /** Sends all that it reads. */
  read(text: string): void {
    this.child.stdin?.end(text);
  }

  /** Sends the signal of Ctrl-C. */
  interrupt(): void {
    this.child.kill('SIGINT');
  }

  async ended(): Promise<Ended> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return { code: this.child.exitCode, printed: this.text };
  }
}

/** A directory with a configuration, and a user's `terraform` that runs in it. */
export class Workplace {
  private constructor(
    readonly directory: string,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly program: string,
  ) {}

  /** `body` is the configuration without its `cloud` or `backend` block. */
  static async make(
    directory: string,
    service: { readonly url: string; readonly token: string },
    workspace: { readonly organization: string; readonly name: string },
    body: string,
    program = terraform,
  ): Promise<Workplace> {
    await mkdir(directory, { recursive: true });
    const configuration = join(directory, 'cli.tfrc');
    await writeSettings(configuration, service.url);
    const environment = {
      PATH: process.env.PATH ?? '',
      HOME: directory,
      CHECKPOINT_DISABLE: '1',
      TF_CLI_CONFIG_FILE: configuration,
      [`TF_TOKEN_${hostname.replaceAll('.', '_')}`]: service.token,
    };
    noteEnvironment(environment);
    const place = new Workplace(join(directory, 'configuration'), environment, program);
    await mkdir(place.directory);
    await place.write('cloud.tf', cloudBlock(workspace));
    await place.write('main.tf', body);
    return place;
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(join(this.directory, file), text);
  }

  read(file: string): Promise<string> {
    return readFile(join(this.directory, file), 'utf8');
  }

  start(...words: readonly string[]): RunningCommand {
    const child = spawn(this.program, words, { cwd: this.directory, env: this.environment, stdio: 'pipe' });
    children.add(child.once('close', () => children.delete(child)));
    return new RunningCommand(child, words.join(' '));
  }

  /** Runs a command that exits without prompting. */
  run(...words: readonly string[]): Promise<Ended> {
    return this.start(...words).ended();
  }
}

/** The CLI's own settings, which say where the host is. */
export function writeSettings(file: string, url: string): Promise<void> {
  const services = ['state.v2', 'tfe.v2', 'tfe.v2.1', 'tfe.v2.2'].map((name) => `    "${name}" = "${url}/api/v2/"`);
  const host = `host "${hostname}" {\n  services = {\n${services.join('\n')}\n  }\n}\n`;
  return writeFile(file, `disable_checkpoint = true\n${host}`);
}

const cloudBlock = ({
  organization,
  name,
}: {
  readonly organization: string;
  readonly name: string;
}): string => `terraform {
  cloud {
    hostname     = "${hostname}"
    organization = "${organization}"
    workspaces {
      name = "${name}"
    }
  }
}
`;
