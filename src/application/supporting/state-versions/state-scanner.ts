import {
  maxResources,
  type StateContents,
  type StateResource,
} from '../../../domain/supporting/state-versions/state-contents.js';
import { OutputSelection, type ReportedOutput } from '../../../domain/supporting/state-versions/state-output.js';
import { inSlices } from '../../files/in-slices.js';
import { JsonScanner, type JsonVisitor, type KeptJson, opens } from '../../files/json-scanner.js';

/** The parts of a state that are shown. */
export interface ScannedState {
  /** Those that were not passed on before. */
  readonly outputs: readonly ReportedOutput[];
  readonly contents: StateContents;
}

/** In bytes of one name or address, as JSON. A longer one counts as empty. */
const longestText = 4096;
/** In bytes of one character, as UTF-8. */
const widest = 3;
/** Depths in a state of format 4: its members, their members, those of a resource, and its instances. */
const [member, item, part, instance] = [1, 2, 3, 4] as const;

/** Names that are compared as bytes: most names of a state are others, and a text is not made of each. */
function knownNames<Name extends string>(...names: readonly Name[]): (name: KeptJson) => Name | undefined {
  const known = names.map((name) => ({ name, json: Buffer.from(`"${name}"`) }));
  return (name) => {
    for (const { name: word, json } of known) if (name.is(json)) return word;
    return undefined;
  };
}

const memberOf = knownNames('outputs', 'resources', 'terraform_version');
const partOfOutput = knownNames('value', 'type', 'sensitive');
const partsOfResource = ['module', 'mode', 'type', 'name', 'provider'] as const;
const partOfResource = knownNames(...partsOfResource, 'instances');
type PartOfResource = (typeof partsOfResource)[number];
const [managed, data, isTrue] = [Buffer.from('"managed"'), Buffer.from('"data"'), Buffer.from('true')];

/**
 * Collects the outputs and the resources of a state while its JSON is read. Everything else is skipped without being
 * built; `withOutputs` is false for a state whose outputs are known.
 */
class StateVisitor implements JsonVisitor {
  readonly deepest = instance;
  readonly outputs = new OutputCollection();
  readonly resources = new ResourceCollection();
  terraformVersion: string | null = null;
  private memberName: ReturnType<typeof memberOf>;
  private collection: OutputCollection | ResourceCollection | undefined;

  constructor(private readonly withOutputs: boolean) {}

  wantsName(depth: number): boolean {
    if (depth === member) return true;
    if (depth === item) return this.collection?.wantsItemName ?? false;
    return depth === part && this.collection?.isInItem === true;
  }

  name(depth: number, name: KeptJson): void {
    if (depth === member) this.memberName = memberOf(name);
    else if (depth === item) this.collection?.nameItem(name);
    else this.collection?.namePart(name);
  }

  value(depth: number, first: number): number {
    if (depth === member) return this.beginMember(first);
    if (depth === item) this.collection?.beginItem(first);
    else if (depth === part && this.collection?.isInItem) return this.collection.beginPart(first);
    else if (depth === instance && first === opens.object) this.resources.countInstance();
    return 0;
  }

  kept(depth: number, value: KeptJson): void {
    if (depth === part) this.collection?.keepPart(value);
    else this.terraformVersion = shownText(value).slice(0, 64) || null;
  }

  end(depth: number): void {
    if (depth === member) this.collection = undefined;
    else if (depth === item) this.collection?.endItem();
  }

  private beginMember(first: number): number {
    const { memberName } = this;
    if (memberName === 'outputs' && this.withOutputs && first === opens.object) this.collection = this.outputs;
    if (memberName === 'resources' && first === opens.list) this.collection = this.resources;
    return memberName === 'terraform_version' && first === opens.text ? longestText : 0;
  }
}

/** Keeps the outputs that fit. */
class OutputCollection {
  readonly selection = new OutputSelection();
  isInItem = false;
  private name = '';
  private partName: ReturnType<typeof partOfOutput>;
  private type = '';
  private value = '';
  private sensitive = false;
  private isTooLong = false;

  get wantsItemName(): boolean {
    return !this.selection.isFull;
  }

  nameItem(name: KeptJson): void {
    this.name = name.isTooLong ? '' : name.text();
  }

  namePart(name: KeptJson): void {
    this.partName = partOfOutput(name);
  }

  beginItem(first: number): void {
    const reason = this.selection.reasonAgainstName(this.name) ?? (first === opens.object ? undefined : 'form');
    this.isInItem = reason === undefined;
    if (reason !== undefined) this.selection.leaveOut(reason);
    this.partName = undefined;
    this.type = '"dynamic"';
    this.value = 'null';
    this.sensitive = false;
    this.isTooLong = false;
  }

  beginPart(_first: number): number {
    return this.partName === undefined ? 0 : widest * Math.max(longestText, this.selection.room);
  }

  keepPart(json: KeptJson): void {
    if (json.isTooLong) this.isTooLong = true;
    else if (this.partName === 'sensitive') this.sensitive = json.is(isTrue);
    else if (this.partName === 'type') this.type = json.json();
    else this.value = json.json();
  }

  endItem(): void {
    if (!this.isInItem) return;
    this.isInItem = false;
    const { name, type, value, sensitive } = this;
    if (this.isTooLong) this.selection.leaveOut('size');
    else this.selection.add({ name, type, value, sensitive });
  }
}

/** Keeps of each resource only what is shown. */
class ResourceCollection {
  readonly wantsItemName = false;
  count = 0;
  readonly found: StateResource[] = [];
  isInItem = false;
  private left: number = maxResources.lengthInAll;
  private unlisted = 0;
  private unnamed = 0;
  private partName: ReturnType<typeof partOfResource>;
  private readonly parts: Record<PartOfResource, string> = { module: '', mode: '', type: '', name: '', provider: '' };
  private isInInstances = false;
  private instances = 0;

  get warnings(): readonly string[] {
    const { count, lengthInAll } = maxResources;
    return [
      ...leftOut(
        this.unlisted,
        `beyond the first ${count}, or beyond ${lengthInAll} characters of names and addresses`,
      ),
      ...leftOut(this.unnamed, 'without a type or a name, or with one that is too long'),
    ];
  }

  /** The items of a list have no names. */
  nameItem(): void {}

  namePart(name: KeptJson): void {
    this.partName = partOfResource(name);
  }

  beginItem(first: number): void {
    this.isInItem = first === opens.object;
    this.partName = undefined;
    this.isInInstances = false;
    this.instances = 0;
    for (const name of partsOfResource) this.parts[name] = '';
    this.parts.module = 'root';
  }

  beginPart(first: number): number {
    this.isInInstances = this.partName === 'instances' && first === opens.list;
    return this.partName !== undefined && first === opens.text ? longestText : 0;
  }

  countInstance(): void {
    if (this.isInItem && this.isInInstances) this.instances += 1;
  }

  keepPart(text: KeptJson): void {
    if (this.partName !== undefined && this.partName !== 'instances') this.parts[this.partName] = this.textOf(text);
  }

  endItem(): void {
    if (!this.isInItem) return;
    this.isInItem = false;
    const { module, mode, type, name, provider } = this.parts;
    if (type === '' || name === '') {
      this.unnamed += 1;
      return;
    }
    if (mode === 'managed') this.count += this.instances;
    const length = name.length + type.length + module.length + provider.length + maxResources.overhead;
    if (this.found.length >= maxResources.count || length > this.left) {
      this.unlisted += 1;
      return;
    }
    this.left -= length;
    const count = this.instances;
    this.found.push({ name, type: mode === 'data' ? `data.${type}` : type, module, provider, count });
  }

  /** Once the list is full, only whether there is a text counts. */
  private textOf(text: KeptJson): string {
    if (text.is(managed)) return 'managed';
    if (text.is(data)) return 'data';
    return this.found.length < maxResources.count ? shownText(text) : text.length > 2 ? '…' : '';
  }
}

const leftOut = (count: number, reason: string): readonly string[] =>
  count === 0 ? [] : [`${count === 1 ? '1 resource is' : `${count} resources are`} not listed: ${reason}`];

/** Databases disagree about NUL and unpaired surrogates. */
const shownText = (json: KeptJson): string => (json.isTooLong ? '' : json.text().replaceAll('\0', '').toWellFormed());

/** In characters: outputs that are collected before they are passed on. */
const longestPart = 256 * 1024;

/**
 * Reads what is shown of a state, in memory that does not depend on its size and in slices. Outputs go to `keep` while they
 * are found, the last ones to the result; without it, they are skipped. If the bytes are not JSON, what comes before the
 * fault counts.
 */
export async function scanState(
  bytes: AsyncIterable<Uint8Array>,
  keep: ((outputs: readonly ReportedOutput[]) => Promise<void>) | undefined,
): Promise<ScannedState> {
  const visitor = new StateVisitor(keep !== undefined);
  const { selection } = visitor.outputs;
  const scanner = new JsonScanner(visitor);
  for await (const slice of inSlices(bytes)) {
    scanner.take(slice);
    if (scanner.fault !== undefined) break;
    if (selection.length > longestPart) await keep?.(selection.take());
  }
  scanner.end();
  const { resources, terraformVersion } = visitor;
  const fault = scanner.fault === undefined ? [] : [`The state ${scanner.fault}: what follows is not shown`];
  const warnings = [...fault, ...selection.warnings, ...resources.warnings];
  return {
    outputs: selection.take(),
    contents: { terraformVersion, resourceCount: resources.count, resources: resources.found, warnings },
  };
}
