/** Objects that several use cases share. */

import { bind } from './assembly.js';
import { EffectPerformers } from './background/effect-performers.js';
import { PolicyFetches } from './background/policy-fetches.js';
import { ArchiveOldVersions } from './configuration-versions/archive-old-versions.js';
import { ByteQuota } from './files/byte-quota.js';
import { Uploads } from './files/uploads.js';
import { Refusals } from './supporting/audit/refusals.js';
import { ChangeFeed } from './supporting/changes/change-feed.js';
import { RepositoryLinks } from './supporting/linked-repositories/repository-links.js';
import { Deliveries } from './supporting/notifications/deliveries.js';
import { SendNotification } from './supporting/notifications/send-notification.js';
import { FetchedPolicies } from './supporting/policies/fetched-policies.js';
import { CallRunTask } from './supporting/run-tasks/call-run-task.js';
import { TaskResultProgress } from './supporting/run-tasks/task-result-progress.js';
import { TriggeredRuns } from './supporting/run-triggers/triggered-runs.js';
import { RunProgress } from './supporting/runs/run-progress.js';
import { GroupMemberships } from './supporting/sign-in/group-memberships.js';
import { IdentityLinks } from './supporting/sign-in/identity-links.js';
import { NewSessions } from './supporting/sign-in/new-sessions.js';
import { PendingSignIns } from './supporting/sign-in/pending-sign-in.js';
import { StateOutputsReader } from './supporting/state-versions/state-outputs-reader.js';
import { TagChanges } from './supporting/tags/tag-changes.js';
import { TokenUses } from './supporting/users/token-uses.js';
import { NewVariables } from './supporting/variables/new-variables.js';
import { CommitFiles } from './supporting/version-control/commit-files.js';
import { FetchedVersions } from './supporting/version-control/fetched-version.js';
import { WebhookKeys } from './supporting/version-control/webhook-keys.js';
import { TokenIssuer } from './tokens/token-issuer.js';

export const tokenUses = bind(TokenUses, 'unitOfWork');
export const changeFeed = bind(ChangeFeed, 'unitOfWork');
export const tokenIssuer = bind(TokenIssuer, 'clock', 'ids', 'secrets');
export const refusals = bind(Refusals, 'unitOfWork', 'clock');
export const uploads = bind(Uploads, 'clock', 'ids', 'capabilityUrls', 'bundleStore', refusals);
export const byteQuota = bind(ByteQuota, 'settings');
export const runProgress = bind(RunProgress, 'clock', 'ids');
export const taskResultProgress = bind(TaskResultProgress, 'clock', runProgress);
export const archiveOldVersions = bind(ArchiveOldVersions, 'unitOfWork', 'clock', 'settings');
export const repositoryLinks = bind(RepositoryLinks, 'ids', 'secrets', 'secretBox');
export const tagChanges = bind(TagChanges, 'clock', 'ids');
export const fetchedVersions = bind(FetchedVersions, 'clock', 'ids');
export const newVariables = bind(NewVariables, 'clock', 'ids', 'secretBox');
export const pendingSignIns = bind(PendingSignIns, 'identityProvider', 'clock', 'secretBox');
export const identityLinks = bind(
  IdentityLinks,
  'unitOfWork',
  pendingSignIns,
  'identityProvider',
  'clock',
  'ids',
  'secrets',
);
export const newSessions = bind(NewSessions, 'clock', 'ids', 'secrets', 'settings');
export const groupMemberships = bind(GroupMemberships, 'clock', 'ids');
const commitFiles = bind(CommitFiles, 'ids', 'commitFetcher', 'bundleInspector', 'bundleStore');
export const fetchedPolicies = bind(FetchedPolicies, 'clock', 'ids');
export const webhookKeys = bind(WebhookKeys, 'clock', 'secretBox');
const policyFetches = bind(PolicyFetches, 'unitOfWork', 'clock', 'bundleStore', commitFiles, byteQuota);
const stateOutputsReader = bind(StateOutputsReader, 'unitOfWork', 'ids', 'secretBox', 'bundleStore');
const callRunTask = bind(
  CallRunTask,
  'unitOfWork',
  'clock',
  'secrets',
  'secretBox',
  'runTaskCaller',
  taskResultProgress,
);
export const deliveries = bind(Deliveries, 'clock', 'secretBox', 'notifier');
const sendNotification = bind(SendNotification, 'unitOfWork', 'clock', deliveries);
const triggeredRuns = bind(TriggeredRuns, runProgress, byteQuota);
export const effectPerformers = bind(
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
  sendNotification,
  triggeredRuns,
);
