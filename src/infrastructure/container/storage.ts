import { ContainerModule } from 'inversify';
import { GuardedCalls } from '../../adapters/calls/guarded-calls.js';
import { HttpNotifier } from '../../adapters/calls/http-notifier.js';
import { HttpRunTaskCaller } from '../../adapters/calls/http-run-task-caller.js';
import { SignedCapabilityUrls } from '../../adapters/files/signed-capability-urls.js';
import { TarBundleInspector } from '../../adapters/files/tar-bundle-inspector.js';
import { MeteredBundleStore } from '../../adapters/metrics/metered-bundle-store.js';
import { MeteredUnitOfWork } from '../../adapters/metrics/metered-unit-of-work.js';
import { randomPause } from '../../adapters/system/random-pause.js';
import { SealedSecretBox } from '../../adapters/system/sealed-secret-box.js';
import { GitCommitFetcher } from '../../adapters/version-control/git-commit-fetcher.js';
import { isPublicAddress } from '../../adapters/version-control/public-addresses.js';
import { isAllowedHost } from '../../adapters/version-control/repository-url.js';
import { RetryingUnitOfWork } from '../../application/index.js';
import type { Dependencies } from './dependencies.js';
import { provide } from './provide.js';

/** The stores of rows and bytes, and what lies outside the service. */
export const storage = ({
  config,
  unitOfWork,
  snapshots,
  bundleStore,
  publicUrl,
  signingSecrets,
  stopping,
  temporaryDir,
}: Dependencies) =>
  new ContainerModule(({ bind }) => {
    provide(
      bind,
      'unitOfWork',
      ['meters'],
      (meters) => new RetryingUnitOfWork(new MeteredUnitOfWork(unitOfWork, meters), randomPause),
    );
    provide(bind, 'snapshots', [], () => snapshots);
    provide(bind, 'bundleStore', ['meters'], (meters) => new MeteredBundleStore(bundleStore, meters));
    const limits = {
      maxArchiveBytes: config.MAX_ARCHIVE_BYTES,
      maxUnpackedBytes: config.MAX_UNPACKED_BYTES,
      maxArchiveEntries: config.MAX_ARCHIVE_ENTRIES,
    };
    provide(bind, 'bundleInspector', [], () => new TarBundleInspector(limits));
    provide(bind, 'settings', [], () => ({
      softDeleteDays: config.SOFT_DELETE_DAYS,
      archiveAfterDays: config.ARCHIVE_AFTER_DAYS,
      auditDays: config.AUDIT_DAYS,
      maxTokensPerUser: config.MAX_TOKENS_PER_USER,
      maxOrganizationBytes: config.MAX_ORGANIZATION_BYTES,
      sessionHours: config.SESSION_HOURS,
      createsUsersAtSignIn: config.OIDC_CREATE_USERS,
    }));
    provide(bind, 'secretBox', [], () => new SealedSecretBox(signingSecrets));
    provide(
      bind,
      'commitFetcher',
      [],
      () =>
        new GitCommitFetcher({
          ...limits,
          credentialsDir: config.VCS_CREDENTIALS_DIR,
          allowedHosts: config.VCS_ALLOWED_HOSTS,
          stopped: stopping,
          ...(temporaryDir === undefined ? {} : { temporaryDir }),
        }),
    );
    const calls = (allowedBy: 'RUN_TASK_ALLOWED_HOSTS' | 'NOTIFICATION_ALLOWED_HOSTS') =>
      new GuardedCalls({
        isAllowedHost: (url) => isAllowedHost(url, config[allowedBy]),
        allowedBy,
        isPublicAddress,
        stopped: stopping,
      });
    provide(bind, 'runTaskCaller', [], () => new HttpRunTaskCaller(calls('RUN_TASK_ALLOWED_HOSTS'), publicUrl));
    provide(bind, 'notifier', [], () => new HttpNotifier(calls('NOTIFICATION_ALLOWED_HOSTS'), publicUrl));
    provide(
      bind,
      'capabilityUrls',
      [],
      () =>
        new SignedCapabilityUrls({
          publicUrl,
          signingSecrets,
          seconds: {
            upload: config.UPLOAD_URL_SECONDS,
            download: config.DOWNLOAD_URL_SECONDS,
            'state-upload': config.UPLOAD_URL_SECONDS,
            'json-state-upload': config.UPLOAD_URL_SECONDS,
            'json-state-download': config.DOWNLOAD_URL_SECONDS,
            'state-download': config.DOWNLOAD_URL_SECONDS,
            'policy-upload': config.UPLOAD_URL_SECONDS,
            // It ends with the lease of its run, which may be renewed for as long as a phase lasts.
            'shared-states': config.UPLOAD_URL_SECONDS,
            'plan-log': config.DOWNLOAD_URL_SECONDS,
            'apply-log': config.DOWNLOAD_URL_SECONDS,
          },
        }),
    );
  });
