import {
  type Actor,
  authorizedView,
  type ConfigurationVersionId,
  type IngressAttributes,
  notFound,
  type Standing,
  statusTraits,
  type WithStanding,
} from '../../domain/index.js';
import type { ConfigurationVersionSummary } from '../ports/repositories/configuration-version-repository.js';
import type { Transaction, UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { type ShownRun, showingAll } from '../supporting/runs/show-run.js';

/** The resources that may be included with a version. */
export type Include = 'ingress-attributes' | 'run';

export interface ShownConfigurationVersion {
  readonly version: ConfigurationVersionSummary;
  /** Null if not requested, or if the version does not come from a commit. */
  readonly ingressAttributes: IngressAttributes | null;
  /** The first run created from it. Null if not requested, or if there is none. */
  readonly run: ShownRun | null;
}

/** A version whose backing data is soft-deleted or permanently deleted is reported as missing. */
export async function findReadable(
  tx: Transaction<'configurationVersions'>,
  actor: Actor,
  id: ConfigurationVersionId,
): Promise<WithStanding<ConfigurationVersionSummary>> {
  const seen = authorizedView(await tx.configurationVersions.findSummaryFor(actor, id), 'configuration-versions/read');
  if (!statusTraits[seen.subject.status].readable) throw notFound();
  return seen;
}

/** The first run of each version, as the reader of their workspace sees it. A version without runs has no entry. */
export async function runsOf(
  tx: Transaction<'runs' | 'taskStages' | 'runComments'>,
  ids: readonly ConfigurationVersionId[],
  standing: Standing,
): Promise<ReadonlyMap<ConfigurationVersionId, ShownRun>> {
  const found = ids.length === 0 ? new Map() : await tx.runs.firstOfVersions(ids);
  const shown = await showingAll(tx, [...found.values()], standing);
  return new Map(shown.map((one) => [one.run.configurationVersionId, one]));
}

/** GET /configuration-versions/:id. */
export class ShowConfigurationVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'configurationVersions' | 'runs' | 'taskStages' | 'runComments'>,
  ) {}

  execute(
    actor: Actor,
    query: { readonly id: ConfigurationVersionId; readonly include: ReadonlySet<Include> },
  ): Promise<ShownConfigurationVersion> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await findReadable(tx, actor, query.id);
      const { subject } = seen;
      const wanted = query.include.has('ingress-attributes') && subject.ingressAttributesId !== null;
      const found = wanted ? await tx.configurationVersions.ingressAttributes([subject.id]) : undefined;
      const runs = query.include.has('run') ? await runsOf(tx, [subject.id], seen.standing) : undefined;
      return {
        version: subject,
        ingressAttributes: found?.get(subject.id) ?? null,
        run: runs?.get(subject.id) ?? null,
      };
    });
  }
}
