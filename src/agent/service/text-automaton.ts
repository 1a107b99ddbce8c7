import type { Pace } from './pace.js';

/** Marks the node after a chain, which stands for no text. */
const gap = 0xffff;

/** The two base64 alphabets differ in two characters: these count as the same, so that one pattern covers both. */
export const folded = (unit: number): number => (unit === 0x2d ? 0x2b : unit === 0x5f ? 0x2f : unit);

const unitAt = (text: string, at: number): number => folded(text.charCodeAt(at));

/**
 * Finds many patterns in a text in one pass (Aho-Corasick): the work is in proportion to the text, whatever the
 * patterns. A node is a prefix of a pattern. Nodes of consecutive depths are adjacent in a chain; each chain except the
 * root's begins where a pattern branches off from earlier ones. Only that branch has an entry in a hash table, so that
 * a UTF-16 unit of a pattern costs 8 bytes and a pattern about 40 to 60. Patterns must have fewer than 65,535 units.
 */
export class TextAutomaton {
  /** The number of transitions tried: at most two for each unit of a text, on average. */
  steps = 0;
  /** The last unit of a node's text. */
  private readonly unit: Uint16Array;
  /** The node of the longest proper suffix of a node's text. */
  private readonly fallback: Int32Array;
  /** The length of the longest pattern that a node's text ends with; 0 if there is none. */
  private readonly found: Uint16Array;

  private chains = 0;
  /** The first node of each chain; after the last one, the first free node. */
  private readonly start: Int32Array;
  /** The depth of each chain's first node, and that node's parent. */
  private readonly depth: Uint16Array;
  private readonly parent: Int32Array;

  /** Open addressing: the child of a node by a unit; 0 for a free slot. */
  private readonly branchFrom: Int32Array;
  private readonly branchUnit: Uint16Array;
  private readonly branchTo: Int32Array;

  static async of(patterns: ReadonlySet<string>, pace: Pace): Promise<TextAutomaton> {
    let units = 0;
    for (const { length } of patterns) units += length + 1;
    const automaton = new TextAutomaton(patterns.size, units);
    for (const text of patterns) {
      automaton.add(text);
      if (pace.isDue(text.length)) await pace.rest();
    }
    await automaton.link(pace);
    return automaton;
  }

  private constructor(patterns: number, units: number) {
    const slots = 2 ** Math.ceil(Math.log2(2 * patterns + 2));
    this.unit = new Uint16Array(units + 3);
    this.fallback = new Int32Array(units + 3);
    this.found = new Uint16Array(units + 3);
    this.found[1] = gap;
    this.start = new Int32Array(patterns + 1);
    this.start[0] = 2;
    this.depth = new Uint16Array(patterns);
    this.parent = new Int32Array(patterns);
    this.branchFrom = new Int32Array(slots);
    this.branchUnit = new Uint16Array(slots);
    this.branchTo = new Int32Array(slots);
  }

  /** The node for the text of `node` plus one UTF-16 unit. */
  next(node: number, unit: number): number {
    return this.follow(node, folded(unit));
  }

  private follow(node: number, unit: number): number {
    for (let from = node; ; from = this.fallback[from] as number) {
      this.steps += 1;
      const child = this.child(from, unit);
      if (child !== 0 || from === 0) return child;
    }
  }

  /** The length of the longest pattern that ends here. */
  foundAt(node: number): number {
    return this.found[node] as number;
  }

  /** The number of characters at a text's end that may begin a pattern. */
  depthOf(node: number): number {
    if (node === 0) return 0;
    let low = 0;
    for (let high = this.chains; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((this.start[middle] as number) <= node) low = middle;
      else high = middle;
    }
    return (this.depth[low] as number) + node - (this.start[low] as number);
  }

  /** 0 if there is none: the root is never a child. */
  private child(node: number, unit: number): number {
    const next = node + 1;
    if (this.unit[next] === unit && this.found[next] !== gap) return next;
    return this.branchTo[this.slotOf(node, unit)] as number;
  }

  /** The slot of a branch, or the free one for it. */
  private slotOf(node: number, unit: number): number {
    const last = this.branchTo.length - 1;
    const mixed = Math.imul(Math.imul(node, 0x9e3779b1) ^ unit, 0x85ebca6b);
    let slot = (mixed ^ (mixed >>> 15)) & last;
    while (this.branchTo[slot] !== 0 && (this.branchFrom[slot] !== node || this.branchUnit[slot] !== unit)) {
      slot = (slot + 1) & last;
    }
    return slot;
  }

  private add(text: string): void {
    let node = 0;
    let known = 0;
    for (; known < text.length; known += 1) {
      const child = this.child(node, unitAt(text, known));
      if (child === 0) break;
      node = child;
    }
    if (known === text.length) {
      this.found[node] = text.length;
      return;
    }
    const first = this.start[this.chains] as number;
    const slot = this.slotOf(node, unitAt(text, known));
    this.branchFrom[slot] = node;
    this.branchUnit[slot] = unitAt(text, known);
    this.branchTo[slot] = first;
    this.depth[this.chains] = known + 1;
    this.parent[this.chains] = node;
    const length = text.length - known;
    for (let at = 0; at < length; at += 1) this.unit[first + at] = unitAt(text, known + at);
    this.found[first + length - 1] = text.length;
    this.found[first + length] = gap;
    this.chains += 1;
    this.start[this.chains] = first + length + 1;
  }

  /** Level by level, since a node's fallback is less deep. */
  private async link(pace: Pace): Promise<void> {
    // The chains that begin at each depth, as linked lists.
    const heads = new Map<number, number>();
    const after = new Int32Array(this.chains).fill(-1);
    for (let chain = this.chains - 1; chain >= 0; chain -= 1) {
      const depth = this.depth[chain] as number;
      after[chain] = heads.get(depth) ?? -1;
      heads.set(depth, chain);
    }
    const active = new Int32Array(this.chains);
    let count = 0;
    for (let depth = 1; count > 0 || heads.size > 0; depth += 1) {
      for (let chain = heads.get(depth) ?? -1; chain >= 0; chain = after[chain] as number) active[count++] = chain;
      heads.delete(depth);
      let kept = 0;
      for (let at = 0; at < count; at += 1) {
        const chain = active[at] as number;
        const first = this.start[chain] as number;
        const node = first + depth - (this.depth[chain] as number);
        const above = node === first ? (this.parent[chain] as number) : node - 1;
        const fallback = above === 0 ? 0 : this.follow(this.fallback[above] as number, this.unit[node] as number);
        this.fallback[node] = fallback;
        if (this.found[node] === 0) this.found[node] = this.found[fallback] as number;
        if (node + 2 < (this.start[chain + 1] as number)) active[kept++] = chain;
        if (pace.isDue(1)) await pace.rest();
      }
      count = kept;
    }
    this.steps = 0;
  }
}
