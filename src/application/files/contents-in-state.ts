import {
  mostResources,
  type StateContents,
  type StateResource,
} from '../../domain/supporting/state-versions/state-contents.js';

/** In bytes of one name or address. A longer one counts as empty. */
const longestText = 4096;
/** The levels at which a state has what is read: the state, its resources, one of them, and its instances. */
const [state, resources, resource, instances, instance] = [1, 2, 3, 4, 5] as const;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/**
 * Finds the resources in a state of format 4 while it passes, byte by byte: the state itself may be too long to be held in
 * memory. Bytes of another form have none.
 */
export class ContentsScanner {
  private terraformVersion: string | null = null;
  private resourceCount = 0;
  private readonly found: StateResource[] = [];
  private depth = 0;
  /** By depth, as far as a state is looked into. */
  private readonly lists: boolean[] = [];
  private readonly members: string[] = [];
  private inText = false;
  private escaped = false;
  private namesMember = false;
  private text: string | undefined;
  private readonly decoder = new TextDecoder();
  private inResources = false;
  private current: Record<string, string> | undefined;
  private count = 0;

  take(chunk: Uint8Array): void {
    let from = 0;
    const keep = (until: number) => {
      if (this.text === undefined || this.text.length > longestText) return;
      this.text += this.decoder.decode(chunk.subarray(from, until), { stream: true });
    };
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] as number;
      if (this.inText) {
        if (this.escaped) this.escaped = false;
        else if (byte === backslash) this.escaped = true;
        else if (byte === quote) {
          keep(at);
          this.endText();
        }
      } else if (byte === quote) {
        this.inText = true;
        this.text = this.isWanted() ? '' : undefined;
        from = at + 1;
      } else if (byte === openObject || byte === openList) this.open(byte === openList);
      else if (byte === closeObject || byte === closeList) this.close();
      else if (byte === comma) this.namesMember = this.depth <= resource && this.lists[this.depth] === false;
    }
    keep(chunk.length);
  }

  get contents(): StateContents {
    return { terraformVersion: this.terraformVersion, resourceCount: this.resourceCount, resources: this.found };
  }

  private isWanted(): boolean {
    return this.depth === state || (this.depth === resource && this.current !== undefined);
  }

  private open(list: boolean): void {
    this.depth += 1;
    if (this.depth <= instances) this.lists[this.depth] = list;
    this.namesMember = !list && this.depth <= resource;
    if (this.depth === resources) this.inResources = list && this.members[state] === 'resources';
    if (this.depth === resource && this.inResources && !list) {
      this.current = {};
      this.count = 0;
      this.members[resource] = '';
    }
    const inInstances = this.members[resource] === 'instances' && this.lists[instances] === true;
    if (this.depth === instance && !list && this.current !== undefined && inInstances) this.count += 1;
  }

  private close(): void {
    if (this.depth === resource && this.current !== undefined) this.endResource(this.current);
    if (this.depth === resources) this.inResources = false;
    this.depth -= 1;
    this.namesMember = false;
  }

  private endText(): void {
    this.inText = false;
    // A text that is too long may have left a part of a character.
    this.decoder.decode();
    const { text } = this;
    this.text = undefined;
    if (text === undefined) return;
    const read = text.length > longestText ? '' : unescaped(text);
    if (this.namesMember) {
      this.members[this.depth] = read;
      this.namesMember = false;
      return;
    }
    const member = this.members[this.depth] ?? '';
    if (this.depth === state && this.lists[state] === false) {
      if (member === 'terraform_version' && read !== '') this.terraformVersion = read.slice(0, 64);
    } else if (this.current !== undefined) this.current[member] = read;
  }

  private endResource({ module = 'root', mode, type = '', name = '', provider = '' }: Record<string, string>): void {
    const { count } = this;
    this.current = undefined;
    if (type === '' || name === '') return;
    if (mode === 'managed') this.resourceCount += count;
    if (this.found.length >= mostResources) return;
    this.found.push({ name, type: mode === 'data' ? `data.${type}` : type, module, provider, count });
  }
}

function unescaped(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
      .replaceAll('\0', '')
      .toWellFormed();
  } catch {
    return '';
  }
}
