/** One member of the `errors` of a response. */
export interface ApiError {
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer?: string; readonly parameter?: string };
}

/** The sentences for requests without a response, by what was sent. */
const unanswered = {
  read: 'The service did not respond. Check the network and whether the service is running.',
  change: 'The service did not respond, so the change may not have been made. Check the page before you send it again.',
  upload: 'The upload was interrupted, and the version has no files yet. Send the same file again.',
};

/** The sentences for responses without a document. */
const sentences: Readonly<Record<number, string>> = {
  401: 'The service rejected this token. It is mistyped, expired or revoked.',
  404: 'Not found, or not accessible with your permissions.',
  429: 'Too many requests. Wait a moment and try again.',
  503: 'The service is unavailable. Try again later.',
};

const upper = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A request that failed; the message is for people. */
export class Problem extends Error {
  /** The sentences about attributes and relationships of the sent document; of a nested one also by its own name. */
  readonly byAttribute: Readonly<Record<string, string>>;

  constructor(
    /** 0 when there was no response. */
    readonly status: number,
    readonly errors: readonly ApiError[] = [],
    readonly requestId?: string,
  ) {
    const details = errors.map(({ detail, title }) => upper(detail ?? title)).join(' ');
    super(sentences[status] ?? (details || `The service answered with the unexpected status ${status}.`));
    this.byAttribute = Object.fromEntries(
      errors.flatMap(({ source, detail, title }) => {
        const [, ...names] =
          /^\/data\/(?:attributes|relationships)\/([^/]+)(?:\/([^/]+))?/.exec(source?.pointer ?? '') ?? [];
        return names.filter((name) => name !== undefined).map((name) => [name, upper(detail ?? title)]);
      }),
    );
  }
}

export const noResponse = (to: keyof typeof unanswered): Problem =>
  new Problem(0, [{ status: '0', title: unanswered[to] }]);

/** Whether the same request may succeed later. */
export const isPassing = (problem: unknown): boolean =>
  problem instanceof Problem && [0, 429, 503].includes(problem.status);

/** The problem that a failed response describes. */
export async function problemOf(response: Response): Promise<Problem> {
  const document: unknown = await response.json().catch(() => undefined);
  const errors = (document as { errors?: readonly ApiError[] } | undefined)?.errors;
  return new Problem(
    response.status,
    Array.isArray(errors) ? errors : [],
    response.headers.get('X-Request-Id') ?? undefined,
  );
}
