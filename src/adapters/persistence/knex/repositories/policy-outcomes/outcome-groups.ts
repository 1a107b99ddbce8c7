import type { OutcomeCount, OutcomeGroup } from '../../../../../application/ports/repositories/outcome-counts.js';
import type { OutcomeSums } from '../../../../../domain/index.js';
import { addTo, noSums, type Sums, sumNames } from './outcome-sums.js';

/** The groups of an answer. */
export class Groups {
  private readonly found = new Map<string, OutcomeCount & Sums>();

  constructor(private readonly group: OutcomeGroup) {}

  get all(): readonly OutcomeCount[] {
    return [...this.found.values()].filter((one) => sumNames.some((name) => one[name] !== 0));
  }

  add(of: Partial<OutcomeCount>, sums: OutcomeSums, sign: 1 | -1 = 1): void {
    const key = this.keyOf(of);
    const text = JSON.stringify(key);
    let one = this.found.get(text);
    if (one === undefined) {
      one = { policySet: null, policy: null, workspaceId: null, workspaceName: null, day: null, ...key, ...noSums() };
      this.found.set(text, one);
    }
    addTo(one, sums, sign);
  }

  private keyOf({
    policySet = null,
    policy = null,
    workspaceId = null,
    workspaceName = null,
    day = null,
  }: Partial<OutcomeCount>) {
    const keys = {
      policy: { policySet, policy },
      'policy-set': { policySet },
      workspace: { workspaceId, workspaceName },
      day: { day },
    } as const satisfies Record<OutcomeGroup, Partial<OutcomeCount>>;
    return keys[this.group];
  }
}
