import type { Instant, StateVersion } from '../../../domain/index.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';

/** Addresses of the bytes of a state. Each is absolute, and itself the right for a while. */
export interface StateUrls {
  /** Null while the bytes are missing. */
  readonly download: string | null;
  /** Null unless a client sent the JSON form. */
  readonly jsonDownload: string | null;
  /** Only in the answer to the client that announced the state. */
  readonly upload: { readonly state: string; readonly jsonState: string } | null;
}

export const readingUrls = (urls: CapabilityUrls, version: StateVersion, now: Instant): StateUrls => ({
  download: version.bundle && urls.issue('state-download', version.id, now),
  jsonDownload: version.jsonBundle && urls.issue('json-state-download', version.id, now),
  upload: null,
});

export const writingUrls = (urls: CapabilityUrls, version: StateVersion, now: Instant): StateUrls => ({
  ...readingUrls(urls, version, now),
  upload: {
    state: urls.issue('state-upload', version.id, now),
    jsonState: urls.issue('json-state-upload', version.id, now),
  },
});
