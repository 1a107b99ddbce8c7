/** A run of nodes whose depths rise by one. Each chain but the root's begins where a pattern leaves what was there before. */
interface Chain {
  readonly start: number;
  readonly length: number;
  /** Of its first node. */
  readonly depth: number;
  readonly parent: number;
}

/** Marks the node behind a chain, which stands for no text. */
const gap = -1;

/** base64 has two alphabets, which differ in two signs: they count as the same, so that one pattern is enough for both. */
const folded = (unit: number): number => (unit === 0x2d ? 0x2b : unit === 0x5f ? 0x2f : unit);

const unitAt = (text: string, at: number): number => folded(text.charCodeAt(at));

/**
 * Finds many patterns in a text in one pass (Aho-Corasick): the work is in proportion to the text, whatever the patterns.
 * A node is a beginning of a pattern. The nodes of a chain lie side by side, so that only a branch costs an entry of a
 * map, and each UTF-16 unit of a pattern 10 bytes.
 */
export class TextAutomaton {
  /** How many transitions were tried: at most two for each unit of a text, on average. */
  steps = 0;
  /** The last unit of a node's text. */
  private readonly unit: Uint16Array;
  /** The node of the longest proper suffix of a node's text. */
  private readonly fallback: Int32Array;
  /** The length of the longest pattern that a node's text ends with. 0 where there is none. */
  private readonly found: Int32Array;
  private readonly branches = new Map<number, Map<number, number>>();
  private readonly chains: Chain[] = [];

  constructor(patterns: Iterable<string>) {
    const texts = [...patterns].filter((pattern) => pattern !== '');
    const nodes = texts.reduce((sum, { length }) => sum + length + 1, 2);
    this.unit = new Uint16Array(nodes);
    this.fallback = new Int32Array(nodes);
    this.found = new Int32Array(nodes);
    this.found[1] = gap;
    let free = 2;
    for (const text of texts) free = this.add(text, free);
    this.link();
  }

  /** The node that a text leads to which is longer than that of `node` by one UTF-16 unit. */
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

  /** How much of a text's end may be the beginning of a pattern. */
  depthOf(node: number): number {
    if (node === 0) return 0;
    let low = 0;
    for (let high = this.chains.length; high - low > 1; ) {
      const middle = (low + high) >> 1;
      if ((this.chains[middle]?.start ?? 0) <= node) low = middle;
      else high = middle;
    }
    const { start, depth } = this.chains[low] as Chain;
    return depth + node - start;
  }

  /** 0 where there is none: the root is nobody's child. */
  private child(node: number, unit: number): number {
    const next = node + 1;
    if (this.unit[next] === unit && this.found[next] !== gap) return next;
    return this.branches.get(node)?.get(unit) ?? 0;
  }

  private add(text: string, free: number): number {
    let node = 0;
    let known = 0;
    for (; known < text.length; known += 1) {
      const child = this.child(node, unitAt(text, known));
      if (child === 0) break;
      node = child;
    }
    if (known === text.length) {
      this.found[node] = text.length;
      return free;
    }
    const branch = this.branches.get(node) ?? new Map<number, number>();
    this.branches.set(node, branch.set(unitAt(text, known), free));
    const length = text.length - known;
    this.chains.push({ start: free, length, depth: known + 1, parent: node });
    for (let at = 0; at < length; at += 1) this.unit[free + at] = unitAt(text, known + at);
    this.found[free + length - 1] = text.length;
    this.found[free + length] = gap;
    return free + length + 1;
  }

  /** Level by level, since what a node falls back to is less deep. */
  private link(): void {
    const waiting = [...this.chains].sort((one, other) => other.depth - one.depth);
    let active: Chain[] = [];
    for (let depth = 1; active.length > 0 || waiting.length > 0; depth += 1) {
      for (let first = waiting.at(-1); first?.depth === depth; first = waiting.at(-1)) {
        active.push(first);
        waiting.pop();
      }
      let ended = false;
      for (const { start, length, depth: first, parent } of active) {
        const node = start + depth - first;
        const above = node === start ? parent : node - 1;
        const fallback = above === 0 ? 0 : this.follow(this.fallback[above] as number, this.unit[node] as number);
        this.fallback[node] = fallback;
        if (this.found[node] === 0) this.found[node] = this.found[fallback] as number;
        ended ||= depth - first + 1 === length;
      }
      if (ended) active = active.filter((chain) => depth - chain.depth + 1 < chain.length);
    }
    this.steps = 0;
  }
}
