/** Objects that several use cases share. */

import { made } from './assembly.js';
import * as published from './index.js';

export const tokenUses = made(published.TokenUses, 'unitOfWork');
export const changeFeed = made(published.ChangeFeed, 'unitOfWork');
export const tokenIssuer = made(published.TokenIssuer, 'clock', 'ids', 'secrets');
export const byteQuota = made(published.ByteQuota, 'settings');
export const runProgress = made(published.RunProgress, 'clock', 'ids');
export const taskResultProgress = made(published.TaskResultProgress, 'clock', runProgress);
export const archiveOldVersions = made(published.ArchiveOldVersions, 'unitOfWork', 'clock', 'settings');
export const repositoryLinks = made(published.RepositoryLinks, 'ids', 'secrets', 'secretBox');
export const tagChanges = made(published.TagChanges, 'clock', 'ids');
export const fetchedVersions = made(published.FetchedVersions, 'clock', 'ids');
export const newVariables = made(published.NewVariables, 'clock', 'ids', 'secretBox');
export const pendingSignIns = made(published.PendingSignIns, 'identityProvider', 'clock', 'secretBox');
export const identityLinks = made(
  published.IdentityLinks,
  'unitOfWork',
  pendingSignIns,
  'identityProvider',
  'clock',
  'ids',
  'secrets',
);
export const groupMemberships = made(published.GroupMemberships, 'clock', 'ids');
const commitFiles = made(published.CommitFiles, 'ids', 'commitFetcher', 'bundleInspector', 'bundleStore');
export const fetchedPolicies = made(published.FetchedPolicies, 'clock', 'ids');
export const webhookKeys = made(published.WebhookKeys, 'clock', 'secretBox');
const policyFetches = made(published.PolicyFetches, 'unitOfWork', 'clock', 'bundleStore', commitFiles, byteQuota);
const stateOutputsReader = made(published.StateOutputsReader, 'unitOfWork', 'ids', 'secretBox', 'bundleStore');
const callRunTask = made(
  published.CallRunTask,
  'unitOfWork',
  'clock',
  'secrets',
  'secretBox',
  'runTaskCaller',
  taskResultProgress,
);
export const effectPerformers = made(
  published.EffectPerformers,
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
