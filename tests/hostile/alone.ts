import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Not a file: it ends with the process that has it. */
const name = '\0gatehouse-tests-that-attack';

async function taken(): Promise<Server | undefined> {
  const server = createServer().listen(name);
  const event = await Promise.race([
    once(server, 'listening').then(() => true),
    once(server, 'error').then(() => false),
  ]).catch(() => false);
  return event ? server : undefined;
}

/**
 * Waits until no other test file attacks: each measures a service that has the machine's two processors for itself and its
 * attackers. Returns what lets the next one begin.
 */
export async function alone(): Promise<() => void> {
  for (;;) {
    const server = await taken();
    if (server !== undefined) return () => void server.close();
    await pause(200);
  }
}

/** How long a file may wait for the others, in milliseconds. */
export const patienceForOthers = 900_000;
