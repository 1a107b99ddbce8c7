import { createHash, randomBytes } from 'node:crypto';
import { archiveOf } from './archives.js';
import type { ServiceSteps } from './service-steps.js';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Uploads, archives what it uploaded before, and issues tokens, until it is stopped. */
export class UploadLoad {
  /** SHA-256 of each version that was acknowledged and is not going to be archived. */
  readonly kept = new Map<string, string>();
  readonly tokens: string[] = [];
  private readonly clients: Promise<void>[];
  private over = false;

  constructor(
    private readonly steps: ServiceSteps,
    workspaces: readonly string[],
  ) {
    this.clients = workspaces.map((id) => this.client(id));
  }

  async stop(): Promise<void> {
    this.over = true;
    await Promise.all(this.clients);
  }

  private async client(workspaceId: string): Promise<void> {
    let previous: string | undefined;
    for (let round = 0; !this.over; round += 1) {
      const bytes = await archiveOf({ 'main.tf': randomBytes(20_000).toString('base64') });
      const id = await this.steps.uploaded(workspaceId, bytes, { 'auto-queue-runs': false });
      if (round % 2 === 0) this.kept.set(id, sha256(bytes));
      else if (previous !== undefined) {
        await this.steps.ask('POST', `/configuration-versions/${previous}/actions/archive`);
      }
      previous = round % 2 === 0 ? previous : id;
      const path = '/organizations/acme/authentication-token';
      const token = await this.steps.ask('POST', path, { data: { type: 'authentication-tokens', attributes: {} } });
      this.tokens.push(token.attributes.token);
    }
  }
}
