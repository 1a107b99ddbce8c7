import { createHash } from 'node:crypto';
import { JsonScanner, type JsonVisitor, type KeptJson, opens } from '../../../application/files/json-scanner.js';
import { type Item, numberOf, oneOf, textOf } from './documents.js';
import { type Bytes, type ReadableServer, Refused, type SourceServer } from './family-client.js';
import type { Pair, Work } from './importing.js';
import { stepsInWords } from './kinds.js';

const kind = stepsInWords['copy-states'];

/** The same for one state on all servers. */
interface Fingerprint {
  readonly md5: string;
  readonly lineage: string;
}

/** Keeps the lineage of a state, which is one of its first members. */
class LineageVisitor implements JsonVisitor {
  readonly deepest = 1;
  lineage = '';
  private isLineage = false;

  constructor(private readonly wanted = Buffer.from('"lineage"')) {}

  wantsName(depth: number): boolean {
    return depth === 1;
  }

  name(_depth: number, name: KeptJson): void {
    this.isLineage = name.is(this.wanted);
  }

  value(depth: number, first: number): number {
    return depth === 1 && this.isLineage && first === opens.text ? 1024 : 0;
  }

  kept(_depth: number, value: KeptJson): void {
    if (!value.isTooLong) this.lineage = value.text();
  }

  end(): void {}
}

/** In memory that does not depend on the length of the state. */
export async function fingerprintOf(bytes: AsyncIterable<Uint8Array>): Promise<Fingerprint> {
  const digest = createHash('md5');
  const visitor = new LineageVisitor();
  const scanner = new JsonScanner(visitor);
  for await (const chunk of bytes) {
    digest.update(chunk);
    scanner.take(chunk);
  }
  scanner.end();
  return { md5: digest.digest('hex'), lineage: visitor.lineage };
}

/** One of a list that is still being uploaded, or whose content was deleted, cannot be copied. */
const isThere = (version: Item): boolean => ['finalized', undefined].includes(textOf(version, 'status'));

/** Without what only some servers add, and what grows with the state. */
const slim = ({ id, attributes: { serial, md5, lineage } }: Item): Item => ({
  id,
  attributes: { serial, md5, lineage },
  related: {},
});

/** The work on the states of a workspace; `earlier` and `deleted` are numbers of states that do not come. */
interface Plan {
  readonly kind: 'same' | 'copy' | 'ahead' | 'diverged';
  /** Oldest first. Empty unless they are copied. */
  readonly versions: readonly Item[];
  readonly earlier: number;
  readonly deleted: number;
}

/** A workspace of one server that is locked for the import. */
interface Held {
  readonly server: SourceServer;
  readonly id: string;
  readonly reason: string;
}

/**
 * Copies the states of a workspace while both servers hold it locked. The target must have no state, or one that is in
 * the history of the source.
 */
export class CopyStates {
  private readonly own = new Map<ReadableServer, Promise<string | undefined>>();

  constructor(private readonly work: Work) {}

  async copy(pair: Pair): Promise<void> {
    const { report } = this.work;
    let isPlanned = false;
    try {
      await this.copyUnlessSame(pair, () => {
        isPlanned = true;
      });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const isUnread = !isPlanned && error.side === 'source';
      if (isUnread) report.leave('unread', 1, `${kind} of ${pair.label}`);
      else report.trouble({ kind, name: pair.label, outcome: 'failed', detail: error.message });
    }
  }

  private async copyUnlessSame(pair: Pair, onPlan: () => void): Promise<void> {
    const { source, target, applies } = this.work;
    const plan = await this.plan(pair);
    onPlan();
    const ends = this.ends(pair);
    // A lock that was left is only taken over to end it.
    const left = await Promise.all(ends.map(async (held) => this.isHeld(held, await this.lockOf(held, pair))));
    if (!applies || (plan.versions.length === 0 && !left.includes(true))) {
      this.note(plan, pair.label);
      return;
    }
    await this.whileLocked(ends, pair, async () => {
      // The states may have changed until it was locked.
      const now = await this.plan(pair);
      for (const version of now.versions) await this.copyOne(version, pair.targetId ?? '', source, target);
      this.note(now, pair.label);
    });
  }

  private note({ kind: what, versions, earlier, deleted }: Plan, label: string): void {
    const { report } = this.work;
    report.count(kind, 'created', versions.length);
    report.count(kind, 'unchanged', what === 'same' ? 1 : 0);
    if (what === 'ahead') report.leave('newer-states', 1, label);
    if (what === 'diverged') report.trouble({ kind, name: label, outcome: 'skipped', detail: diverged });
    if (earlier > 0) report.leave('earlier-states', earlier, label);
    if (deleted > 0) report.leave('deleted-states', deleted, label);
  }

  /** Walks the history of the source, newest first, down to the state that the target has. */
  private async plan({ source: item, targetId, organization }: Pair): Promise<Plan> {
    const { source, target, allStates } = this.work;
    const list = `/state-versions?filter[organization][name]=${encodeURIComponent(organization)}&filter[workspace][name]=${encodeURIComponent(textOf(item, 'name') ?? '')}`;
    const present = targetId === undefined ? undefined : await currentOf(target, targetId);
    const newer: Item[] = [];
    let [found, earlier, deleted] = [false, 0, 0];
    for await (const version of source.list(list)) {
      if (!isThere(version)) deleted += textOf(version, 'status') === 'pending' ? 0 : 1;
      else if (found) earlier += 1;
      else {
        found = present !== undefined && (await this.isSame(version, present));
        if (!found) newer.push(slim(version));
      }
      if (!allStates && (found || present === undefined) && newer.length + Number(found) > 0) break;
    }
    if (present !== undefined && !found) {
      const [newest] = newer;
      const isAhead = newest === undefined || (await this.precedes(newest, present));
      return { kind: isAhead ? 'ahead' : 'diverged', versions: [], earlier: 0, deleted: 0 };
    }
    if (allStates) earlier -= found ? ((await target.count(list)) ?? earlier + 1) - 1 : 0;
    else if (!found && newer.length > 0) earlier = ((await source.count(list)) ?? 1) - 1;
    const versions = allStates ? newer.reverse() : newer.slice(0, 1);
    return { kind: newer.length === 0 && found ? 'same' : 'copy', versions, earlier, deleted };
  }

  /** Whether the target went on from this state, or from one after it. */
  private async precedes(version: Item, present: Item): Promise<boolean> {
    if ((numberOf(version, 'serial') ?? 0) >= (numberOf(present, 'serial') ?? 0)) return false;
    return (await this.fingerprint(version)).lineage === textOf(present, 'lineage');
  }

  /** The digest says it for certain; it is only made of states with the same serial. */
  private async isSame(version: Item, present: Item): Promise<boolean> {
    if (numberOf(version, 'serial') !== numberOf(present, 'serial')) return false;
    return (await this.fingerprint(version)).md5 === textOf(present, 'md5');
  }

  /** As the source gives it, or else made of the content. */
  private async fingerprint(version: Item): Promise<Fingerprint> {
    const [md5, lineage] = [textOf(version, 'md5'), textOf(version, 'lineage')];
    if (md5 !== undefined && lineage !== undefined) return { md5: md5.toLowerCase(), lineage };
    return this.work.source.read(await this.urlOf(version), (bytes: Bytes) => fingerprintOf(bytes));
  }

  private async urlOf({ id }: Item): Promise<string> {
    // The list may be older than its URLs are valid.
    const version = await this.work.source.item(`/state-versions/${encodeURIComponent(id)}`);
    const url = textOf(version, 'hosted-state-download-url');
    if (url === undefined) throw new Refused('source', 404, 'the source gives no URL for the state', false);
    return new URL(url, this.work.source.end.url).href;
  }

  private async copyOne(version: Item, workspaceId: string, source: SourceServer, target: Work['target']) {
    const serial = numberOf(version, 'serial') ?? 0;
    const present = await currentOf(target, workspaceId);
    const attributes = {
      serial,
      ...withLineage(await this.fingerprint(version)),
      // A rollback of the source repeats an earlier serial.
      ...(present !== undefined && serial <= (numberOf(present, 'serial') ?? 0) && { force: true }),
    };
    const made = await target.send('POST', `/workspaces/${workspaceId}/state-versions`, {
      data: { type: 'state-versions', attributes },
    });
    const upload = made && textOf(made, 'hosted-state-upload-url');
    if (made === undefined || upload === undefined) return;
    try {
      await target.put(upload, async () => source.open(await this.urlOf(version)));
    } catch (error) {
      // A try whose response was lost may have stored it.
      const current = error instanceof Refused ? await currentOf(target, workspaceId) : undefined;
      if (current?.id !== made.id) throw error;
    }
  }

  private ends({ source: { id }, targetId }: Pair): readonly Held[] {
    const { source, target } = this.work;
    const reason = (word: string, other: ReadableServer) => `gatehouse import ${word} ${other.end.url.origin}`;
    return [
      { server: source, id, reason: reason('to', target) },
      ...(targetId === undefined ? [] : [{ server: target, id: targetId, reason: reason('from', source) }]),
    ];
  }

  /** The workspace as it was listed, if this import may have left a lock. */
  private async lockOf({ server, id }: Held, { source, found }: Pair): Promise<Item | undefined> {
    const listed = server === this.work.source ? source : found;
    return listed?.attributes.locked === true ? server.item(`/workspaces/${encodeURIComponent(id)}`) : undefined;
  }

  /** Whether an interrupted import from the same source to the same target left the lock. */
  private async isHeld({ server, reason }: Held, workspace: Item | undefined): Promise<boolean> {
    if (workspace?.attributes.locked !== true || textOf(workspace, 'locked-reason') !== reason) return false;
    const by = oneOf(workspace, 'locked-by');
    const own = await this.ownId(server);
    return by === undefined || by.type !== 'users' || own === undefined || by.id === own;
  }

  private ownId(server: ReadableServer): Promise<string | undefined> {
    const known = this.own.get(server) ?? server.item('/account/details').then(({ id }) => id, ignoringRefusal);
    this.own.set(server, known);
    return known;
  }

  private async whileLocked(ends: readonly Held[], pair: Pair, work: () => Promise<void>): Promise<void> {
    const held: Held[] = [];
    try {
      for (const end of ends) {
        const detail = await this.lock(end);
        if (detail !== undefined) {
          this.work.report.trouble({ kind, name: pair.label, outcome: 'skipped', detail });
          return;
        }
        held.push(end);
      }
      await work();
    } finally {
      for (const { server, id } of held.reverse()) await this.unlock(server, id, pair.label);
    }
  }

  /** Undefined if it is locked now; otherwise the reason why not. */
  private async lock(end: Held): Promise<string | undefined> {
    const { server, id, reason } = end;
    try {
      await server.lock(encodeURIComponent(id), reason);
      return undefined;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const workspace = await server.item(`/workspaces/${encodeURIComponent(id)}`).catch(ignoringRefusal);
      if (await this.isHeld(end, workspace)) return undefined;
      const why = workspace && textOf(workspace, 'locked-reason');
      return `the ${server.end.side} did not lock it: ${error.message}${why ? ` (${why})` : ''}`;
    }
  }

  private async unlock(server: SourceServer, id: string, name: string): Promise<void> {
    try {
      await server.unlock(encodeURIComponent(id));
    } catch (error) {
      // A try whose response was lost may have unlocked it.
      if (error instanceof Refused && error.repeated) return;
      const detail = `the ${server.end.side} did not unlock it: ${(error as Error).message}`;
      this.work.report.trouble({ kind, name, outcome: 'failed', detail });
    }
  }
}

const diverged =
  'the target has a state that the source never had, and nothing was copied. Import it into a workspace of another name, or delete this one first';

const withLineage = ({ md5, lineage }: Fingerprint) => ({ md5, ...(lineage !== '' && { lineage }) });

function ignoringRefusal(error: unknown): undefined {
  if (!(error instanceof Refused)) throw error;
}

const currentOf = (server: ReadableServer, workspaceId: string): Promise<Item | undefined> =>
  server.item(`/workspaces/${encodeURIComponent(workspaceId)}/current-state-version`).catch(ignoringRefusal);
