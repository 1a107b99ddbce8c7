import {
  type Actor,
  authorized,
  type ConfigurationVersion,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  type IngressAttributes,
  notFound,
} from '../../domain/index.js';
import type { Transaction, UnitOfWork } from '../ports/unit-of-work.js';

/** What may be asked for beside a version. */
export type Include = 'ingress-attributes' | 'run';

export interface ShownConfigurationVersion {
  readonly version: ConfigurationVersionState;
  /** Null when not asked for, or when the version comes from no commit. */
  readonly ingressAttributes: IngressAttributes | null;
}

/** A version whose backing data is deleted, softly or for good, reads as missing. */
export async function findReadable(
  tx: Transaction,
  actor: Actor,
  id: ConfigurationVersionId,
): Promise<ConfigurationVersion> {
  const version = authorized(await tx.configurationVersions.findFor(actor, id), 'configuration-versions/read');
  if (!version.readable) throw notFound();
  return version;
}

/** GET /configuration-versions/:id. */
export class ShowConfigurationVersion {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(
    actor: Actor,
    query: { readonly id: ConfigurationVersionId; readonly include: ReadonlySet<Include> },
  ): Promise<ShownConfigurationVersion> {
    return this.unitOfWork.read(async (tx) => {
      const { state } = await findReadable(tx, actor, query.id);
      const wanted = query.include.has('ingress-attributes') && state.ingressAttributesId !== null;
      const found = wanted ? await tx.configurationVersions.ingressAttributes([state.id]) : undefined;
      return { version: state, ingressAttributes: found?.get(state.id) ?? null };
    });
  }
}
