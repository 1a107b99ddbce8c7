import { invalidAttribute } from './domain-error.js';
import type { WebhookId } from './id.js';
import type { TokenOwner } from './token-owner.js';

/** The repository that the versions of a workspace or a policy set are fetched from. */
export interface RepositorySettings {
  readonly cloneUrl: string;
  /** Null for the repository's default branch. */
  readonly branch: string | null;
  /** The name of the credential to fetch with; null for a public repository. */
  readonly credential: string | null;
}

export interface LinkedRepository extends RepositorySettings {
  readonly webhookId: WebhookId;
  /** The encrypted webhook key: signature checks need the plain text. */
  readonly sealedWebhookKey: string;
  /** The identity on whose behalf pushed commits are planned, or replace the policies of a set. */
  readonly linkedBy: TokenOwner;
}

export const cloneUrlRule = 'Clone url must be an https:// or http:// URL without user, query or fragment';

// No user information, query or fragment: secrets belong in credentials.
const cloneUrlForm = /^https?:\/\/[A-Za-z0-9.:[\]-]+\/[^\s\p{Cc}?#@\\]+$/u;
/** Servers disagree about encoded characters and semicolons. */
const ambiguousPath = /;|%(?:2e|2f|3b|5c|25|[01][0-9a-f]|7f)/i;
const branchForm = /^(?![/.-]|refs\/|@$)(?!.*(\.\.|\/\/|@\{|\/\.|\.lock(\/|$)))[^\s~^:?*[\\\p{Cc}]{1,200}(?<![/.])$/u;
const credentialForm = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,89}$/;

const pathRule = 'The path of clone url must not contain ".", "..", ";", an empty segment or an encoded form of these';

/** Whether every server interprets the path the same way. */
function hasPlainPath(cloneUrl: string): boolean {
  const segments = cloneUrl.replace(/\/$/, '').split('/').slice(3);
  return !ambiguousPath.test(cloneUrl) && segments.every((segment) => !/^\.{0,2}$/.test(segment));
}

/** Throws `attribute/invalid`, pointing at the member, for settings that can never be fetched from. */
export function checkRepository(settings: RepositorySettings): RepositorySettings {
  const { cloneUrl, branch, credential } = settings;
  const invalid = (member: string, sentence: string) => invalidAttribute(`vcsRepo/${member}`, sentence);
  if (!cloneUrlForm.test(cloneUrl) || cloneUrl.length > 2000) {
    throw invalid('cloneUrl', cloneUrlRule);
  }
  if (!hasPlainPath(cloneUrl)) throw invalid('cloneUrl', pathRule);
  if (branch !== null && !branchForm.test(branch)) throw invalid('branch', 'Branch must be the name of a branch');
  if (credential !== null && !credentialForm.test(credential)) {
    throw invalid('credential', 'Credential must be the name of a credential');
  }
  return settings;
}
