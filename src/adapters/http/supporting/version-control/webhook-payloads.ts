import { z } from 'zod';
import { bodyKinds } from '../../routing/body-kinds.js';
import { checkJson, checkValues, jsonOf } from '../../routing/read-json.js';
import { badRequest } from '../../routing/request-error.js';
import { readGithubPullRequest, readGithubPush } from './github-payloads.js';
import { readGitlabMergeRequest, readGitlabPush } from './gitlab-payloads.js';
import type { Delivery } from './webhook-events.js';
import { type HeaderLookup, isSigned } from './webhook-signatures.js';

const withKind = z.object({ object_kind: z.unknown() }).partial().catch({});

const firstOf = (headers: HeaderLookup, names: readonly string[]): string | undefined =>
  names.map((name) => headers(name)).find((value) => value !== undefined);

const eventOf = (headers: HeaderLookup, payload: unknown): Delivery['event'] => {
  const gitlabEvent = headers('x-gitlab-event');
  if (gitlabEvent !== undefined) {
    const kind = withKind.parse(payload).object_kind;
    if (gitlabEvent === 'Push Hook' || kind === 'push') return readGitlabPush(payload);
    if (gitlabEvent === 'Merge Request Hook' || kind === 'merge_request') return readGitlabMergeRequest(payload);
    return null;
  }
  switch (firstOf(headers, ['x-github-event', 'x-gitea-event', 'x-forgejo-event', 'x-gogs-event'])) {
    case 'push':
      return readGithubPush(payload);
    case 'pull_request':
      return readGithubPullRequest(payload);
    default:
      return null;
  }
};

const idHeaders = [
  'x-github-delivery',
  'x-gitea-delivery',
  'x-forgejo-delivery',
  'x-gogs-delivery',
  // Signed, unlike GitLab's other id.
  'webhook-id',
  'x-gitlab-event-uuid',
];

/** Ids are indexed, and those of forges are UUIDs. */
const longestId = 255;

const deliveryIdOf = (headers: HeaderLookup): string | null => {
  const id = firstOf(headers, idHeaders) ?? '';
  return id === '' || id.length > longestId ? null : id;
};

const payloadOf = (body: Uint8Array): unknown => {
  checkValues(body, bodyKinds.delivery);
  let value: unknown;
  try {
    value = jsonOf(body);
  } catch {
    // GitHub sends forms by default.
    throw badRequest('the body is not valid JSON; configure the webhook to send application/json');
  }
  checkJson(value);
  return value;
};

/**
 * Undefined when the signature does not prove that the sender knows the secret; the body is not read before that.
 * Throws a 400 when it is not JSON, and a 422 with one pointer per fault when an event lacks a required member.
 */
export function readDelivery(headers: HeaderLookup, body: Uint8Array, secret: string, now: Date): Delivery | undefined {
  if (!isSigned({ headers, body, secret, now })) return undefined;
  const event = eventOf(headers, payloadOf(body));
  return { id: deliveryIdOf(headers), event };
}
