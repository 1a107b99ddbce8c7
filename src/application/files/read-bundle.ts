import { type Bundle, notFound } from '../../domain/index.js';
import type { BundleStore, ByteRange } from '../ports/outside/bundle-store.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface OpenBundle extends Bundle {
  readonly of: 'configuration' | 'state' | 'json-state';
  /** Throws `resource/not-found` if the bytes were discarded meanwhile. */
  read(range?: ByteRange): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * GET /v1/object/:objectId, for configuration versions and states. The URL is the credential; the state is checked
 * again on every use.
 */
export class ReadBundle {
  constructor(
    private readonly unitOfWork: UnitOfWork<'configurationVersions' | 'stateVersions'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
    private readonly store: BundleStore,
  ) {}

  async execute(objectId: string): Promise<OpenBundle> {
    const found = await this.find(objectId);
    if (found === undefined) throw notFound();
    const { bundle } = found;
    return {
      ...bundle,
      of: found.of,
      read: async (range) => {
        const bytes = await this.store.read(bundle.key, range, bundle.bytes);
        if (bytes === undefined) throw notFound();
        return bytes;
      },
    };
  }

  private async find(objectId: string): Promise<{ of: OpenBundle['of']; bundle: Bundle } | undefined> {
    const now = this.clock.now();
    const versionId = this.urls.open('download', objectId, now);
    if (versionId !== undefined) {
      const version = await this.unitOfWork.read((tx) => tx.configurationVersions.find(versionId));
      const bundle = version?.downloadable ? version.state.bundle : null;
      return bundle === null ? undefined : { of: 'configuration', bundle };
    }
    const stateId = this.urls.open('state-download', objectId, now);
    const id = stateId ?? this.urls.open('json-state-download', objectId, now);
    const state = id === undefined ? undefined : await this.unitOfWork.read((tx) => tx.stateVersions.find(id));
    const of = stateId === undefined ? 'json-state' : 'state';
    const bundle = of === 'state' ? state?.bundle : state?.jsonBundle;
    return bundle ? { of, bundle } : undefined;
  }
}
