import { ContainerModule } from 'inversify';
import { SignedCapabilityUrls } from '../../adapters/bundles/signed-capability-urls.js';
import { TarBundleInspector } from '../../adapters/bundles/tar-bundle-inspector.js';
import { RetryingUnitOfWork } from '../../application/index.js';
import { provide } from './provide.js';
import type { Surroundings } from './surroundings.js';
import { Port } from './tokens.js';

/** What keeps rows and bytes. */
export const storage = ({ config, unitOfWork, bundleStore, publicUrl, signingSecret }: Surroundings) =>
  new ContainerModule(({ bind }) => {
    provide(bind, Port.unitOfWork, [], () => new RetryingUnitOfWork(unitOfWork));
    provide(bind, Port.bundleStore, [], () => bundleStore);
    provide(
      bind,
      Port.bundleInspector,
      [],
      () =>
        new TarBundleInspector({
          maxArchiveBytes: config.MAX_ARCHIVE_BYTES,
          maxUnpackedBytes: config.MAX_UNPACKED_BYTES,
          maxArchiveEntries: config.MAX_ARCHIVE_ENTRIES,
        }),
    );
    provide(
      bind,
      Port.capabilityUrls,
      [],
      () =>
        new SignedCapabilityUrls({
          publicUrl,
          signingSecret,
          seconds: { upload: config.UPLOAD_URL_SECONDS, download: config.DOWNLOAD_URL_SECONDS },
        }),
    );
  });
