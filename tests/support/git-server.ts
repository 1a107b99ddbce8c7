import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Nothing of the machine's own configuration, and the same author and time for every commit. */
const environment = (home: string): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  HOME: home,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '2026-01-02T03:04:05Z',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_COMMITTER_DATE: '2026-01-02T03:04:05Z',
});

/** A repository to be served, with a working tree to make commits in. */
export class GitRepository {
  private constructor(
    private readonly bare: string,
    readonly tree: string,
    private readonly home: string,
  ) {}

  static async create(root: string, name: string, objectFormat = 'sha1'): Promise<GitRepository> {
    const repository = new GitRepository(join(root, 'served', name), join(root, 'trees', name), root);
    await mkdir(repository.bare, { recursive: true });
    await mkdir(repository.tree, { recursive: true });
    for (const words of [['--bare', repository.bare], [repository.tree]]) {
      await repository.git('init', '-q', '-b', 'main', `--object-format=${objectFormat}`, ...words);
    }
    return repository;
  }

  /** Answers what git prints. */
  async git(...args: string[]): Promise<string> {
    const { stdout } = await run('git', args, {
      cwd: this.tree,
      env: environment(this.home),
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  }

  /** Gives git a file's contents to read, and answers what it prints. */
  async gitFrom(input: string, ...args: string[]): Promise<string> {
    const running = run('git', args, { cwd: this.tree, env: environment(this.home) });
    running.child.stdin?.end(await readFile(input));
    return (await running).stdout.trim();
  }

  /** Commits the files on top of what is checked out, and pushes to `ref`; answers the hash. */
  async commit(
    files: Readonly<Record<string, string | Buffer>>,
    message = 'change',
    ref = 'refs/heads/main',
  ): Promise<string> {
    for (const [name, contents] of Object.entries(files)) {
      await mkdir(dirname(join(this.tree, name)), { recursive: true });
      await writeFile(join(this.tree, name), contents);
    }
    await this.git('add', '--all', '--force');
    return this.commitIndex(message, ref);
  }

  /** Commits what was put into the index by other means. */
  async commitIndex(message = 'change', ref = 'refs/heads/main'): Promise<string> {
    await this.git('commit', '--quiet', '--allow-empty', '--message', message);
    await this.push('HEAD', ref);
    return this.git('rev-parse', 'HEAD');
  }

  async push(revision: string, ref: string): Promise<void> {
    await this.git('push', '--quiet', '--force', this.bare, `${revision}:${ref}`);
  }

  /** A commit that no branch holds, only the ref of a pull request. */
  async pullRequest(number: number, files: Readonly<Record<string, string>>): Promise<string> {
    await this.git('checkout', '--quiet', '--detach');
    const sha = await this.commit(files, `pull request ${number}`, `refs/pull/${number}/head`);
    await this.git('checkout', '--quiet', 'main');
    return sha;
  }

  async pointHeadAt(ref: string): Promise<void> {
    await this.git('--git-dir', this.bare, 'symbolic-ref', 'HEAD', ref);
  }

  async configure(key: string, value: string): Promise<void> {
    await this.git('--git-dir', this.bare, 'config', key, value);
  }
}

export interface GitServerOptions {
  /** `user:password`, without which it answers 401. */
  readonly basicAuth?: string;
  /** Answers every request with a redirection to this address, the path appended. */
  readonly redirectTo?: string;
  /** `always` answers nothing at all, `packs` lists refs and then falls silent. */
  readonly hangs?: 'always' | 'packs';
  /** Lists refs at once, and is silent for so long before it sends its first pack. */
  readonly firstPackAfterMilliseconds?: number;
  /** Answers every request with this text, as a server of plain files would. */
  readonly page?: string;
  /** Speaks the first version of the protocol, in which a server hands out refs and not any hash. */
  readonly oldProtocol?: boolean;
  readonly host?: string;
  readonly port?: number;
}

/** Serves the repositories below `root` as `git http-backend` does, on loopback. */
export class GitServer {
  readonly requests: { readonly path: string; readonly authorization: string | undefined }[] = [];
  private readonly sockets = new Set<Socket>();
  private hasPacked = false;

  private constructor(
    private readonly root: string,
    private readonly backend: string,
    private readonly options: GitServerOptions,
    private readonly server: Server,
  ) {}

  static async start(root: string, options: GitServerOptions = {}): Promise<GitServer> {
    const { stdout } = await run('git', ['--exec-path']);
    const server = createServer();
    const gitServer = new GitServer(root, join(stdout.trim(), 'git-http-backend'), options, server);
    server.on('request', (request, response) => gitServer.answer(request, response));
    server.on('connection', (socket) => {
      gitServer.sockets.add(socket);
      socket.on('close', () => gitServer.sockets.delete(socket));
    });
    server.listen(options.port ?? 0, options.host ?? '127.0.0.1');
    await once(server, 'listening');
    return gitServer;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get host(): string {
    return `${this.options.host ?? '127.0.0.1'}:${this.port}`;
  }

  url(name: string): string {
    return `http://${this.host}/${name}`;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const { basicAuth, redirectTo, hangs, page, firstPackAfterMilliseconds } = this.options;
    const { authorization } = request.headers;
    const path = request.url ?? '/';
    this.requests.push({ path, authorization });
    if (hangs === 'always' || (hangs === 'packs' && request.method === 'POST')) return;
    if (page !== undefined) {
      response.writeHead(200, { 'content-type': 'text/plain' }).end(page);
    } else if (redirectTo !== undefined) {
      response.writeHead(302, { location: redirectTo + path }).end();
    } else if (basicAuth !== undefined && authorization !== `Basic ${Buffer.from(basicAuth).toString('base64')}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
    } else if (firstPackAfterMilliseconds !== undefined && request.method === 'POST') {
      request.once('readable', () => {
        const begin: Buffer | null = request.read();
        if (begin !== null) request.unshift(begin);
        const isFirstPack = !this.hasPacked && !begin?.includes('command=ls-refs');
        this.hasPacked ||= isFirstPack;
        const delay = isFirstPack ? firstPackAfterMilliseconds : 0;
        setTimeout(() => response.destroyed || this.pass(request, response), delay).unref();
      });
    } else {
      this.pass(request, response);
    }
  }

  private pass(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://server');
    const { 'content-type': type = '', 'content-encoding': encoding = '', 'git-protocol': protocol } = request.headers;
    const backend = spawn(this.backend, [], {
      env: {
        ...environment(this.root),
        GIT_PROJECT_ROOT: join(this.root, 'served'),
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        REMOTE_ADDR: '127.0.0.1',
        CONTENT_TYPE: type,
        HTTP_CONTENT_ENCODING: encoding,
        ...(typeof protocol === 'string' && !this.options.oldProtocol ? { GIT_PROTOCOL: protocol } : {}),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    backend.stdin.on('error', () => undefined);
    response.on('close', () => backend.kill());
    request.pipe(backend.stdin);
    let head = Buffer.alloc(0);
    const readHead = (chunk: Buffer) => {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      backend.stdout.off('data', readHead);
      const lines = head.toString('latin1', 0, end).split('\r\n');
      for (const line of lines) {
        const colon = line.indexOf(':');
        const [name, value] = [line.slice(0, colon), line.slice(colon + 1).trim()];
        if (name.toLowerCase() === 'status') response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.write(head.subarray(end + 4));
      backend.stdout.pipe(response);
    };
    backend.stdout.on('data', readHead);
    backend.on('close', () => response.end());
  }
}
