import { once } from 'node:events';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

/** A task for the process, which responds with its duration in milliseconds. */
export type Task =
  | { readonly kind: 'put'; readonly urls: readonly string[]; readonly file: string; readonly atOnce: number }
  | { readonly kind: 'get'; readonly urls: readonly string[]; readonly bytes: number; readonly atOnce: number }
  /** Reads each a little at a time, and disconnects after `seconds`. */
  | { readonly kind: 'get slowly'; readonly urls: readonly string[]; readonly seconds: number };

export type UploadResult = { readonly milliseconds: number } | { readonly fault: string };

/** Smaller files are sent from memory. */
const streamedFrom = 4 * 1024 * 1024;

async function put(url: string, agent: Agent, file: string, size: number, bytes: Buffer | undefined): Promise<void> {
  const sending = request(url, { method: 'PUT', agent, headers: { 'Content-Length': size } });
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
  if (bytes === undefined) createReadStream(file, { highWaterMark: 1024 * 1024 }).pipe(sending);
  else sending.end(bytes);
  const [response] = await answered;
  if (response.statusCode !== 200) throw new Error(`PUT was answered ${response.statusCode}`);
  response.resume();
  await once(response, 'end');
}

async function open(url: string, agent: Agent): Promise<IncomingMessage> {
  const [response] = (await once(request(url, { agent }).end(), 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`GET was answered ${response.statusCode}`);
  return response;
}

async function get(url: string, agent: Agent, bytes: number): Promise<void> {
  const response = await open(url, agent);
  let read = 0;
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
  });
  await once(response, 'end');
  if (read !== bytes) throw new Error(`GET gave ${read} of ${bytes} bytes`);
}

async function getSlowly(url: string, agent: Agent, until: number): Promise<void> {
  const response = await open(url, agent);
  while (Date.now() < until) {
    response.read();
    await pause(50);
  }
  response.destroy();
}

async function eachOf(urls: readonly string[], atOnce: number, work: (url: string) => Promise<void>): Promise<void> {
  const left = [...urls].reverse();
  const worker = async () => {
    for (let url = left.pop(); url !== undefined; url = left.pop()) await work(url);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function run(task: Task): Promise<number> {
  const agent = new Agent({ keepAlive: true });
  const size = task.kind === 'put' ? statSync(task.file).size : 0;
  const bytes = task.kind === 'put' && size < streamedFrom ? readFileSync(task.file) : undefined;
  const begun = performance.now();
  switch (task.kind) {
    case 'put':
      await eachOf(task.urls, task.atOnce, (url) => put(url, agent, task.file, size, bytes));
      break;
    case 'get':
      await eachOf(task.urls, task.atOnce, (url) => get(url, agent, task.bytes));
      break;
    case 'get slowly':
      await eachOf(task.urls, task.urls.length, (url) => getSlowly(url, agent, Date.now() + task.seconds * 1000));
  }
  const milliseconds = performance.now() - begun;
  agent.destroy();
  return milliseconds;
}

process.on('message', (task: Task) => {
  run(task).then(
    (milliseconds) => process.send?.({ milliseconds } satisfies UploadResult),
    (error: unknown) => process.send?.({ fault: String(error) } satisfies UploadResult),
  );
});
process.once('disconnect', () => process.exit());
