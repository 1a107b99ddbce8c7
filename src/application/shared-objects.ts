/** Objects that several use cases share. */

import { made } from './assembly.js';
import { EffectPerformers } from './background/effect-performers.js';
import { PolicyFetches } from './background/policy-fetches.js';
import { ArchiveOldVersions } from './configuration-versions/archive-old-versions.js';
import { ByteQuota } from './files/byte-quota.js';
import { Uploads } from './files/uploads.js';
import { Refusals } from './supporting/audit/refusals.js';
import { ChangeFeed } from './supporting/changes/change-feed.js';
import { RepositoryLinks } from './supporting/linked-repositories/repository-links.js';
import { FetchedPolicies } from './supporting/policies/fetched-policies.js';
import { CallRunTask } from './supporting/run-tasks/call-run-task.js';
import { TaskResultProgress } from './supporting/run-tasks/task-result-progress.js';
import { RunProgress } from './supporting/runs/run-progress.js';
import { GroupMemberships } from './supporting/sign-in/group-memberships.js';
import { IdentityLinks } from './supporting/sign-in/identity-links.js';
import { PendingSignIns } from './supporting/sign-in/pending-sign-in.js';
import { StateOutputsReader } from './supporting/state-versions/state-outputs-reader.js';
import { TagChanges } from './supporting/tags/tag-changes.js';
import { TokenUses } from './supporting/users/token-uses.js';
import { NewVariables } from './supporting/variables/new-variables.js';
import { CommitFiles } from './supporting/version-control/commit-files.js';
import { FetchedVersions } from './supporting/version-control/fetched-version.js';
import { WebhookKeys } from './supporting/version-control/webhook-keys.js';
import { TokenIssuer } from './tokens/token-issuer.js';

export const tokenUses = made(TokenUses, 'unitOfWork');
export const changeFeed = made(ChangeFeed, 'unitOfWork');
export const tokenIssuer = made(TokenIssuer, 'clock', 'ids', 'secrets');
export const refusals = made(Refusals, 'unitOfWork', 'clock');
export const uploads = made(Uploads, 'clock', 'ids', 'capabilityUrls', 'bundleStore', refusals);
export const byteQuota = made(ByteQuota, 'settings');
export const runProgress = made(RunProgress, 'clock', 'ids');
export const taskResultProgress = made(TaskResultProgress, 'clock', runProgress);
export const archiveOldVersions = made(ArchiveOldVersions, 'unitOfWork', 'clock', 'settings');
export const repositoryLinks = made(RepositoryLinks, 'ids', 'secrets', 'secretBox');
export const tagChanges = made(TagChanges, 'clock', 'ids');
export const fetchedVersions = made(FetchedVersions, 'clock', 'ids');
export const newVariables = made(NewVariables, 'clock', 'ids', 'secretBox');
export const pendingSignIns = made(PendingSignIns, 'identityProvider', 'clock', 'secretBox');
export const identityLinks = made(
  IdentityLinks,
  'unitOfWork',
  pendingSignIns,
  'identityProvider',
  'clock',
  'ids',
  'secrets',
);
export const groupMemberships = made(GroupMemberships, 'clock', 'ids');
const commitFiles = made(CommitFiles, 'ids', 'commitFetcher', 'bundleInspector', 'bundleStore');
export const fetchedPolicies = made(FetchedPolicies, 'clock', 'ids');
export const webhookKeys = made(WebhookKeys, 'clock', 'secretBox');
const policyFetches = made(PolicyFetches, 'unitOfWork', 'clock', 'bundleStore', commitFiles, byteQuota);
const stateOutputsReader = made(StateOutputsReader, 'unitOfWork', 'ids', 'secretBox', 'bundleStore');
const callRunTask = made(
  CallRunTask,
  'unitOfWork',
  'clock',
  'secrets',
  'secretBox',
  'runTaskCaller',
  taskResultProgress,
);
export const effectPerformers = made(
  EffectPerformers,
  'unitOfWork',
  'clock',
  'ids',
  'bundleStore',
  runProgress,
  commitFiles,
  byteQuota,
  stateOutputsReader,
  policyFetches,
  callRunTask,
);
