import type { BundleInspector } from './ports/outside/bundle-inspector.js';
import type { BundleStore } from './ports/outside/bundle-store.js';
import type { CapabilityUrls } from './ports/outside/capability-urls.js';
import type { Clock } from './ports/outside/clock.js';
import type { CommitFetcher } from './ports/outside/commit-fetcher.js';
import type { IdGenerator } from './ports/outside/id-generator.js';
import type { IdentityProvider } from './ports/outside/identity-provider.js';
import type { Notifier } from './ports/outside/notifier.js';
import type { RunTaskCaller } from './ports/outside/run-task-caller.js';
import type { SecretBox } from './ports/outside/secret-box.js';
import type { SecretGenerator } from './ports/outside/secret-generator.js';
import type { Settings } from './ports/outside/settings.js';
import type { Snapshots } from './ports/repositories/snapshots.js';
import type { UnitOfWork } from './ports/repositories/unit-of-work.js';

/** The ports that use cases depend on, by the names the table uses. */
export interface Ports {
  readonly unitOfWork: UnitOfWork;
  readonly snapshots: Snapshots;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly secrets: SecretGenerator;
  readonly secretBox: SecretBox;
  readonly capabilityUrls: CapabilityUrls;
  readonly bundleInspector: BundleInspector;
  readonly bundleStore: BundleStore;
  readonly commitFetcher: CommitFetcher;
  readonly identityProvider: IdentityProvider;
  readonly runTaskCaller: RunTaskCaller;
  readonly notifier: Notifier;
  readonly settings: Settings;
}

/** The class of an object and the sources of its constructor parameters, in order. */
export interface Binding<Thing> {
  readonly Class: new (...given: never[]) => Thing;
  readonly from: readonly Source[];
}

/** A port, or an object that is itself made. */
export type Source = keyof Ports | Binding<unknown>;

/** The names of the ports that implement `Needed`. */
type PortFor<Needed> = { [Name in keyof Ports]: Ports[Name] extends Needed ? Name : never }[keyof Ports];

/** One port or made object per constructor parameter. */
type Sources<Parameters extends readonly unknown[]> = {
  [Index in keyof Parameters]: PortFor<Parameters[Index]> | Binding<Parameters[Index]>;
};

/** The compiler checks `from` against the constructor's parameters: their number, order and types. */
export const bind = <Thing, Parameters extends readonly unknown[]>(
  Class: new (...given: Parameters) => Thing,
  ...from: Sources<Parameters>
) => ({ Class, from });

/** The objects a table creates, by row name. */
export type Bound<Rows extends Readonly<Record<string, Binding<unknown>>>> = {
  readonly [Name in keyof Rows]: Rows[Name] extends Binding<infer Thing> ? Thing : never;
};
