interface Limit {
  readonly most: number;
  /** What is counted, in words. */
  readonly of: string;
  /** What whoever goes beyond it is answered. */
  readonly answer: string;
}

/**
 * What a request may be made of, whoever sends it; attributes have shorter limits of their own beside them. Uploads are
 * bounded by settings. `docs/limits.md` is printed from here.
 */
export const limits = {
  head: { most: 16 * 1024, of: 'bytes of the request line and all headers', answer: '431' },
  url: { most: 8 * 1024, of: 'characters of the URL', answer: '414' },
  parameters: { most: 100, of: 'query parameters', answer: '400' },
  filterGroups: { most: 20, of: 'groups of the filter of policy set outcomes', answer: '400' },
  pageSize: { most: 100, of: 'items of a page, as `page[size]`', answer: '422' },
  auditTrails: { most: 1000, of: 'events of a page of audit trails, as `page[size]`', answer: '422' },
  // Far past any list, and small enough that a row's position stays an exact number.
  pageNumber: { most: 1_000_000_000, of: 'the number of a page, as `page[number]`', answer: '422' },
  body: { most: 1024 * 1024, of: 'bytes of a JSON body', answer: '413' },
  policyCode: { most: 1024 * 1024, of: "bytes of a policy's code", answer: '413' },
  // It says something of every policy of a run, at length.
  policyReport: { most: 16 * 1024 * 1024, of: "bytes of an agent's policy report", answer: '413' },
  // It holds the values of all outputs.
  stateReport: { most: 16 * 1024 * 1024, of: "bytes of an agent's report of a state", answer: '413' },
  // It may hold a state, and the values of all its outputs.
  stateBody: { most: 16 * 1024 * 1024, of: 'bytes of a JSON body with a state', answer: '413' },
  agentFile: { most: 256 * 1024 * 1024, of: 'bytes of a state, or of what a plan leaves', answer: '413' },
  logPart: { most: 1024 * 1024, of: 'bytes of a part of a log, written or read', answer: '413; less is read' },
  // Forges send whole lists of commits; theirs are cut well below this.
  delivery: { most: 5 * 1024 * 1024, of: 'bytes of a webhook delivery', answer: '413' },
  depth: { most: 32, of: 'levels of lists and objects within each other in JSON', answer: '400' },
  // A type has two levels for each of its value.
  stateReportDepth: {
    most: 512,
    of: "levels of lists and objects within each other in an agent's report of a state",
    answer: '400',
  },
  items: {
    most: 10_000,
    of: 'items of a list, or members of an object, in JSON, but within what a report of a state says of an output',
    answer: '400',
  },
  identifiers: { most: 1000, of: 'identifiers in a relationship', answer: '422' },
  word: { most: 255, of: 'characters of a name, an id or an e-mail address', answer: '422' },
  // A broken list would be answered by a document many times its size.
  faults: { most: 100, of: 'faults told in one answer', answer: 'the first ones' },
} as const satisfies Record<string, Limit>;
