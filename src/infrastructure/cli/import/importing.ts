import { OperatorError } from '../../backup.js';
import { type Item, oneOf, type Ref, textOf } from './documents.js';
import { type FamilyClient, Refused, type SourceServer } from './family-client.js';
import { type Kind, organizations, type StepName } from './kinds.js';
import { counts, reasons } from './reasons.js';
import type { Report } from './report.js';
import { type Attributes, type PoolUse, poolUseInWords } from './settings.js';

/** A resource of the source and its counterpart. */
export interface Pair {
  readonly source: Item;
  /** At the target. Undefined in a dry run, for one that does not exist yet. */
  readonly found: Item | undefined;
  readonly targetId: string | undefined;
  /** Its name and those above it. */
  readonly label: string;
  readonly organization: string;
}

/** The surroundings of all parts of an import. */
export interface Work {
  readonly source: SourceServer;
  readonly target: FamilyClient;
  readonly report: Report;
  /** False for a dry run. */
  readonly applies: boolean;
  readonly allStates: boolean;
}

export type Steps = Readonly<Record<StepName, (pair: Pair, kind: Kind) => Promise<void>>>;

/** The id of what a dry run would create: nothing is asked about it. */
const planned = 'planned';

/** A server does not have it, or does not show it. */
const missing: readonly number[] = [403, 404];

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === '';

/** Whether a value of the target has all that is wanted of it. Servers differ in null, the empty text and absence. */
export function covers(has: unknown, wanted: unknown): boolean {
  if (isEmpty(has) && isEmpty(wanted)) return true;
  if (Array.isArray(wanted)) {
    return Array.isArray(has) && has.length === wanted.length && wanted.every((one, at) => covers(has[at], one));
  }
  if (typeof wanted !== 'object' || wanted === null) return has === wanted;
  const members = (typeof has === 'object' && has !== null ? has : {}) as Attributes;
  return Object.entries(wanted).every(([name, value]) => covers(members[name], value));
}

type References = Readonly<Record<string, { readonly data: Ref | readonly Ref[] }>>;

const isNothing = (given: object): boolean => Object.keys(given).length === 0;

/** Compares the resources of two servers, kind by kind, and creates and updates those of the target. */
export class Importing {
  /** The ids at the target of what came of the organization, and what it is called. */
  private ids = new Map<string, { readonly id: string; readonly name: string }>();
  /** For when all of the kind have come. */
  private later: (() => Promise<void>)[] = [];
  /** For when the agent pools of the organization have come. */
  private withPools: (() => Promise<void>)[] = [];

  constructor(
    private readonly work: Work,
    private readonly steps: Steps,
    private readonly onProgress: (text: string) => void,
  ) {}

  /** Imports the named organizations, or all that the token of the source sees. */
  async run(names: readonly string[]): Promise<void> {
    const { source, report } = this.work;
    const chosen = names.length === 0 ? source.list(organizations.list('')) : this.named(names);
    for await (const listed of chosen) {
      this.ids = new Map();
      this.withPools = [];
      const name = textOf(listed, 'name') ?? listed.id;
      const item = { ...listed, id: name };
      const found = await this.unlessMissing(() =>
        this.work.target.item(organizations.one(encodeURIComponent(name), '')),
      );
      const existing = new Map(found === undefined ? [] : [[name, found]]);
      const none: Pair = { source: item, found: undefined, targetId: undefined, label: '', organization: name };
      await this.bring(organizations, none, item, existing);
      for (const work of this.withPools) await work();
      for (const { reason, list } of counts) {
        const number = await this.unlessMissing(() => source.count(list(encodeURIComponent(name))));
        if (number !== 0 && number !== undefined) report.leave(reason, number);
      }
    }
    report.leave('others', undefined);
  }

  private async *named(names: readonly string[]): AsyncGenerator<Item> {
    for (const name of names) {
      const found = await this.unlessMissing(() =>
        this.work.source.item(organizations.one(encodeURIComponent(name), '')),
      );
      if (found === undefined) {
        throw new OperatorError(`the source has no organization ${name}, or its token may not see it`);
      }
      yield found;
    }
  }

  private unlessMissing<Found>(find: () => Promise<Found>): Promise<Found | undefined> {
    return find().catch((error: unknown) => {
      if (error instanceof Refused && missing.includes(error.status)) return undefined;
      throw error;
    });
  }

  private map(ref: Ref): string | undefined {
    return this.ids.get(`${ref.type}/${ref.id}`)?.id;
  }

  private async walk(kind: Kind, parent: Pair): Promise<void> {
    const { source, report } = this.work;
    report.begin(kind.name);
    const outer = this.later;
    this.later = [];
    let isRead = false;
    try {
      let existing: ReadonlyMap<string, Item> | undefined;
      for await (const item of source.list(kind.list(encodeURIComponent(parent.source.id)))) {
        isRead = true;
        existing ??= await this.existing(kind, parent);
        await this.bring(kind, parent, item, existing);
      }
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      if (!isRead && missing.includes(error.status)) report.leave('unread', 1, `${kind.name} of ${parent.label}`);
      else report.trouble({ kind: kind.name, name: `of ${parent.label}`, outcome: 'failed', detail: error.message });
    }
    for (const work of this.later) await work();
    this.later = outer;
  }

  /** Those of the target, by key, with what is compared. */
  private async existing(kind: Kind, { targetId }: Pair): Promise<ReadonlyMap<string, Item>> {
    const found = new Map<string, Item>();
    if (targetId === undefined) return found;
    for await (const item of this.work.target.list(kind.list(encodeURIComponent(targetId)))) {
      const key = kind.key(item, ({ id }) => id);
      const { permissions: _, ...attributes } = item.attributes;
      if (key !== undefined) found.set(key, { ...item, attributes });
    }
    return found;
  }

  private async bring(kind: Kind, parent: Pair, item: Item, existing: ReadonlyMap<string, Item>): Promise<void> {
    const { report } = this.work;
    const name = this.nameOf(item);
    const label = parent.label === '' ? name : `${parent.label}/${name}`;
    this.onProgress(`${kind.name}: ${label}`);
    const key = kind.key(item, (ref) => this.map(ref));
    const found = key === undefined ? undefined : existing.get(key);
    const reason = kind.stays?.(item);
    if (found === undefined && (reason !== undefined || key === undefined)) {
      report.leave(reason ?? 'unmapped', 1, label);
      return;
    }
    if (reason !== undefined || (found !== undefined && kind.isKept?.(found))) {
      report.count(kind.name, 'unchanged');
      return;
    }
    const difference = found && kind.differs?.(found, item);
    if (difference !== undefined) {
      report.leave(difference, 1, label);
      report.count(kind.name, 'unchanged');
      return;
    }
    let targetId: string;
    try {
      targetId =
        found === undefined
          ? await this.create(kind, parent, item, label)
          : await this.update(kind, parent, item, found);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      report.trouble({ kind: kind.name, name: label, outcome: 'failed', detail: error.message });
      return;
    }
    this.ids.set(`${kind.type}/${item.id}`, { id: targetId, name });
    for (const [left, number] of Object.entries(kind.leaves?.(item) ?? {}) as [keyof typeof reasons, number?][]) {
      report.leave(left, number, reasons[left].isCounted ? undefined : label);
    }
    const pair: Pair = {
      source: item,
      found,
      targetId: targetId === planned ? undefined : targetId,
      label,
      organization: parent.organization,
    };
    const use = kind.poolUse?.(item);
    if (use !== undefined) this.withPools.push(this.using(kind, use, pair));
    for (const below of kind.below ?? []) await this.walk(below, pair);
    for (const step of kind.steps ?? []) await this.step(step, pair, kind);
    if (kind.peers?.has(item)) {
      const light = { ...pair, found: undefined, source: { id: item.id, attributes: {}, related: {} } };
      this.later.push(this.sharing(kind, kind.peers, light));
    }
  }

  private step(step: StepName, pair: Pair, kind: Kind): Promise<void> {
    return this.orTrouble(kind.name, pair.label, () => this.steps[step](pair, kind));
  }

  /** Reports a refusal, after which the import goes on with the rest. */
  private async orTrouble(kind: string, name: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.work.report.trouble({ kind, name, outcome: 'failed', detail: error.message });
    }
  }

  private nameOf(item: Item): string {
    const team = oneOf(item, 'team');
    return (
      textOf(item, 'name') ??
      textOf(item, 'key') ??
      textOf(item, 'email') ??
      (team && this.ids.get(`${team.type}/${team.id}`)?.name) ??
      item.id
    );
  }

  private async create(kind: Kind, parent: Pair, item: Item, label: string): Promise<string> {
    const { target, report, applies } = this.work;
    const relationships: Record<string, { data: Ref | readonly Ref[] }> = {};
    for (const [name, how] of Object.entries(kind.relationships ?? {})) {
      const refs = this.mapped(item, name, label);
      const [first] = refs;
      if (how === 'add' && refs.length > 0) relationships[name] = { data: refs };
      else if (first !== undefined) relationships[name] = { data: first };
    }
    if (kind.parent !== undefined) {
      relationships[kind.parent] = { data: { type: `${kind.parent}s`, id: parent.targetId ?? planned } };
    }
    if (!applies) {
      report.count(kind.name, 'created');
      return planned;
    }
    const path = kind.list(encodeURIComponent(parent.targetId ?? '')).split('?')[0] ?? '';
    const data = {
      type: kind.type,
      attributes: kind.attributes(item),
      ...(!isNothing(relationships) && { relationships }),
    };
    const made = await target.send('POST', path, { data }).catch(async (error: unknown) => {
      if (!(error instanceof Refused && error.repeated)) throw error;
      // The try before may have created it.
      const key = kind.key(item, (ref) => this.map(ref)) ?? '';
      const found = (await this.existing(kind, parent)).get(key);
      if (found === undefined) throw error;
      return found;
    });
    if (made === undefined) throw new OperatorError(`the target answered ${path} without the new resource`);
    report.count(kind.name, 'created');
    return made.id;
  }

  private async update(kind: Kind, parent: Pair, item: Item, found: Item): Promise<string> {
    const { target, report, applies } = this.work;
    const changed = this.changes(kind, item, found);
    const { joins } = kind;
    const attributes = joins === undefined ? changed.attributes : {};
    const isSame = isNothing(attributes) && isNothing(changed.relationships);
    if (applies && !isSame) {
      if (joins === undefined) {
        const data = { type: kind.type, id: found.id, attributes, relationships: changed.relationships };
        await target.send('PATCH', kind.one(found.id, encodeURIComponent(parent.targetId ?? '')), { data });
      } else {
        const has = new Set(found.related[joins.relationship]?.map(({ id }) => id));
        const lacking = this.mapped(item, joins.relationship).filter(({ id }) => !has.has(id));
        const data = [{ type: kind.type, id: found.id }];
        for (const { id } of lacking) await target.send('POST', joins.path(id), { data });
      }
    }
    report.count(kind.name, isSame ? 'unchanged' : 'updated');
    return found.id;
  }

  private changes(kind: Kind, item: Item, found: Item) {
    const attributes = Object.fromEntries(
      Object.entries(kind.attributes(item)).filter(([name, wanted]) => !covers(found.attributes[name], wanted)),
    );
    const relationships: Record<string, { data: Ref | readonly Ref[] }> = {};
    for (const [name, how] of Object.entries(kind.relationships ?? {})) {
      if (how === 'when-created') continue;
      const has = found.related[name] ?? [];
      const lacking = this.mapped(item, name).filter(({ id }) => !has.some((one) => one.id === id));
      const [first] = lacking;
      if (first !== undefined) relationships[name] = { data: how === 'one' ? first : [...has, ...lacking] };
    }
    return { attributes, relationships: relationships as References };
  }

  /** The counterparts of what a relationship names. Those that did not come are reported with this label. */
  private mapped(item: Item, name: string, label?: string): readonly Ref[] {
    return (item.related[name] ?? []).flatMap((ref) => {
      const id = this.map(ref);
      if (id !== undefined) return [{ type: ref.type, id }];
      if (label !== undefined) this.work.report.leave('unmapped', 1, `${label}: ${ref.type} ${ref.id}`);
      return [];
    });
  }

  private sharing(kind: Kind, { name, list }: NonNullable<Kind['peers']>, pair: Pair): () => Promise<void> {
    const { source, target, report, applies } = this.work;
    const work = async () => {
      const wanted = await this.unlessMissing(() => this.refs(source.list(list(pair.source.id)), kind.type));
      if (wanted === undefined || wanted.length === 0) return;
      const { targetId } = pair;
      const has = targetId === undefined ? [] : await this.refs(target.list(list(targetId)), kind.type);
      const mapped = this.mapped({ ...pair.source, related: { [name]: wanted } }, name, `${pair.label}/${name}`);
      const lacking = mapped.filter(({ id }) => id === planned || !has.some((one) => one.id === id));
      report.count(name, 'unchanged', mapped.length - lacking.length);
      if (applies && lacking.length > 0) await target.send('POST', list(targetId ?? ''), { data: lacking });
      report.count(name, 'created', lacking.length);
    };
    return () => this.orTrouble(name, pair.label, work);
  }

  /** Sets the mode and the pool, whose agents execute it from then on. */
  private using(kind: Kind, { mode, relationship, pool }: PoolUse, pair: Pair): () => Promise<void> {
    const { target, report, applies } = this.work;
    const { found, targetId, label } = pair;
    const used = found?.attributes[mode] === 'agent' ? oneOf(found, relationship)?.id : undefined;
    const outcome = found === undefined ? 'created' : 'updated';
    return async () => {
      const id = pool && this.map(pool);
      if (pool === undefined || id === undefined) {
        report.leave('agent-mode', 1, label);
        return;
      }
      await this.orTrouble(poolUseInWords, label, async () => {
        if (applies && targetId !== undefined && id !== used) {
          const relationships = { [relationship]: { data: { type: pool.type, id } } };
          const data = { type: kind.type, id: targetId, attributes: { [mode]: 'agent' }, relationships };
          await target.send('PATCH', kind.one(targetId, ''), { data });
        }
        report.count(poolUseInWords, id === used ? 'unchanged' : outcome);
      });
    };
  }

  private async refs(items: AsyncIterable<Item>, type: string): Promise<readonly Ref[]> {
    const refs: Ref[] = [];
    for await (const { id } of items) refs.push({ type, id });
    return refs;
  }
}
