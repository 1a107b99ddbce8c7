import { type Bundle, notFound } from '../../domain/index.js';
import type { BundleStore, ByteRange } from '../ports/bundle-store.js';
import type { CapabilityUrls } from '../ports/capability-urls.js';
import type { Clock } from '../ports/clock.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';

export interface OpenBundle extends Bundle {
  /** Throws `resource/not-found` when the bytes went away since. */
  read(range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
}

/** GET /v1/object/:objectId. The URL is the right; the version's state is asked again each time it is used. */
export class ReadBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
    private readonly store: BundleStore,
  ) {}

  async execute(objectId: string): Promise<OpenBundle> {
    const id = this.urls.open('download', objectId, this.clock.now());
    if (id === undefined) throw notFound();
    const version = await this.unitOfWork.read((tx) => tx.configurationVersions.find(id));
    const bundle = version?.downloadable ? version.state.bundle : null;
    if (bundle === null) throw notFound();
    return {
      ...bundle,
      read: async (range) => {
        const bytes = await this.store.read(bundle.key, range, bundle.bytes);
        if (bytes === undefined) throw notFound();
        return bytes;
      },
    };
  }
}
