import { type DomainErrorCode, type ErrorDetails, isDomainError } from '../../../domain/index.js';
import { RequestError } from './request-error.js';

interface Row {
  readonly status: number;
  readonly title: string;
  /** Whether the operator should know; by default, of a status from 500. */
  readonly isFault?: boolean;
}

/** How a refusal of the domain looks on the wire. A code without a row does not compile. */
export const errorTable = {
  'actor/unauthenticated': { status: 401, title: 'unauthorized' },
  'resource/not-found': { status: 404, title: 'not found' },
  'shared/stale-revision': { status: 409, title: 'conflict' },
  'attribute/invalid': { status: 422, title: 'invalid attribute' },
  'attribute/taken': { status: 422, title: 'invalid attribute' },
  'configuration-version/upload-refused': { status: 409, title: 'transition not allowed' },
  'configuration-version/fetch-refused': { status: 409, title: 'transition not allowed' },
  'configuration-version/not-archivable': { status: 409, title: 'transition not allowed' },
  'configuration-version/backing-data-unchanged': { status: 400, title: 'transition not allowed' },
  'policy-set-version/upload-refused': { status: 409, title: 'transition not allowed' },
  'bundle/malformed': { status: 422, title: 'invalid archive' },
  'bundle/over-limit': { status: 413, title: 'payload too large' },
  'bundle/interrupted': { status: 408, title: 'request timeout' },
  'organization/over-quota': { status: 413, title: 'payload too large' },
  'team-access/permissions-are-custom-only': { status: 422, title: 'invalid attribute' },
  'owners-team/protected': { status: 409, title: 'conflict' },
  'user/protected': { status: 409, title: 'conflict' },
  'user-tokens/limit-reached': { status: 422, title: 'limit reached' },
  'sign-in/not-configured': { status: 404, title: 'not found' },
  'sign-in/not-begun': { status: 400, title: 'bad request' },
  'sign-in/refused': { status: 403, title: 'forbidden' },
  // The console acts on this title: it asks the person to sign in, and sends the request again.
  'sign-in/too-old': { status: 403, title: 'sign in again' },
  'sign-in/provider-unavailable': { status: 503, title: 'service unavailable' },
  'runs/in-progress': { status: 409, title: 'conflict' },
  'run/transition-refused': { status: 409, title: 'transition not allowed' },
  'run/not-blocked': { status: 403, title: 'transition not allowed' },
  'task-stage/transition-refused': { status: 409, title: 'transition not allowed' },
  'policy-trial/transition-refused': { status: 409, title: 'transition not allowed' },
  'policy-trial/busy': { status: 429, title: 'Too many requests' },
  'lease/lost': { status: 409, title: 'lease lost' },
  'agent-report/invalid': { status: 422, title: 'invalid attribute' },
  'agent-pool/in-use': { status: 409, title: 'conflict' },
  'project/not-removable': { status: 409, title: 'conflict' },
  'repository/fetch-failed': { status: 422, title: 'invalid attribute' },
  'notification/unverified': { status: 400, title: 'bad request' },
  'notification/busy': { status: 429, title: 'Too many requests' },
  'workspace/not-safe-to-delete': { status: 409, title: 'conflict' },
  'workspace/lock-refused': { status: 409, title: 'conflict' },
  'state-version/conflict': { status: 409, title: 'conflict' },
  // Clients try again, as they do where the service is unavailable.
  'state-version/outputs-unread': { status: 503, title: 'service unavailable', isFault: false },
  'policy-outcomes/uncounted': { status: 503, title: 'service unavailable', isFault: false },
  'state-version/outputs-errored': { status: 422, title: 'unprocessable entity' },
  'changes/too-many-followers': { status: 429, title: 'Too many requests' },
  'changes/no-room': { status: 503, title: 'service unavailable', isFault: false },
  'snapshots/busy': { status: 429, title: 'Too many requests' },
  'service/unavailable': { status: 503, title: 'service unavailable' },
  'service/storage-full': { status: 507, title: 'insufficient storage' },
} as const satisfies Record<DomainErrorCode, Row>;

interface ErrorObject {
  /** Text: clients drop the whole document when it is a number. */
  readonly status: string;
  readonly title: string;
  readonly detail?: string;
  readonly source?: { readonly pointer?: string; readonly parameter?: string };
}

/** An error as it is answered. */
export interface Problem {
  readonly status: number;
  readonly document: { readonly errors: readonly ErrorObject[] };
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it is logged as an error of the service. */
  readonly isFault: boolean;
}

const problem = (
  status: number,
  objects: readonly Omit<ErrorObject, 'status'>[],
  headers = {},
  isFault = status >= 500,
): Problem => ({
  status,
  isFault,
  document: { errors: objects.map((object) => ({ status: String(status), ...object })) },
  headers,
});

const sourceOf = (pointer: string | undefined, parameter: string | undefined): Pick<ErrorObject, 'source'> => {
  if (pointer !== undefined) return { source: { pointer } };
  return parameter === undefined ? {} : { source: { parameter } };
};

/** The headers of every refusal of a status. */
const headersOf: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'WWW-Authenticate': 'Bearer' },
  429: { 'Retry-After': '2' },
  503: { 'Retry-After': '2' },
};

/** The pointer to the part of the body at fault. */
function pointerOf({ attribute, relationship, member }: ErrorDetails): string | undefined {
  const path =
    member ?? (relationship && `data/relationships/${relationship}`) ?? (attribute && `data/attributes/${attribute}`);
  return path && `/${path.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Undefined for an error no rule of ours raised: a fault of the service, which says nothing of itself. */
export function problemOf(error: unknown): Problem | undefined {
  if (error instanceof RequestError) {
    const objects = error.faults.map(({ detail, pointer, parameter }) => ({
      title: error.title,
      detail,
      ...sourceOf(pointer, parameter),
    }));
    return problem(error.status, objects, error.headers, false);
  }
  if (isDomainError(error)) {
    const { status, title, isFault }: Row = errorTable[error.code];
    const fault = { title, detail: error.message, ...sourceOf(pointerOf(error.details), error.details.parameter) };
    return problem(status, [fault], headersOf[status], isFault);
  }
  return undefined;
}

export const internalProblem: Problem = problem(500, [
  {
    title: 'internal server error',
    detail: 'the request failed with an internal error; give the operator the id in the X-Request-Id header',
  },
]);
