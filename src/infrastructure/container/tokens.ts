import type { buildApp } from '../../adapters/http/app.js';
import type { RateLimits } from '../../adapters/http/rate-limit.js';
import type { UseCases } from '../../adapters/http/use-cases.js';
import type { Exposition } from '../../adapters/metrics/exposition.js';
import type { Meters } from '../../adapters/metrics/meters.js';
import type {
  BundleInspector,
  BundleStore,
  CapabilityUrls,
  Clock,
  CommitFetcher,
  IdGenerator,
  SecretBox,
  SecretGenerator,
  UnitOfWork,
} from '../../application/index.js';
import { token } from './provide.js';

/** Names of what is not its own key: ports, and what the HTTP adapter is given. */
export const Port = {
  clock: token<Clock>('Clock'),
  ids: token<IdGenerator>('IdGenerator'),
  secrets: token<SecretGenerator>('SecretGenerator'),
  unitOfWork: token<UnitOfWork>('UnitOfWork'),
  bundleStore: token<BundleStore>('BundleStore'),
  bundleInspector: token<BundleInspector>('BundleInspector'),
  capabilityUrls: token<CapabilityUrls>('CapabilityUrls'),
  secretBox: token<SecretBox>('SecretBox'),
  commitFetcher: token<CommitFetcher>('CommitFetcher'),
  softDeleteDays: token<number>('days'),
  archiveAfterDays: token<number>('days'),
  auditDays: token<number>('days'),
  maxTokensPerUser: token<number>('tokens'),
  maxOrganizationBytes: token<number>('bytes'),
  meters: token<Meters>('Meters'),
  exposition: token<Exposition>('Exposition'),
  useCases: token<UseCases>('UseCases'),
  rates: token<RateLimits>('RateLimits'),
  app: token<ReturnType<typeof buildApp>>('App'),
};
