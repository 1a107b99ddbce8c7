import {
  type Actor,
  authorizedView,
  type ConfigurationVersionId,
  type IngressAttributes,
  statusTraits,
  type WorkspaceId,
} from '../../domain/index.js';
import type { ConfigurationVersionSummary } from '../ports/repositories/configuration-version-repository.js';
import type { Page, PageRequest } from '../ports/repositories/page.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import type { ShownRun } from '../supporting/runs/show-run.js';
import { type Include, runsOf } from './show-configuration-version.js';

export interface ListedConfigurationVersions extends Page<ConfigurationVersionSummary> {
  /** Only readable versions have commits and runs here. */
  readonly ingressAttributes: ReadonlyMap<ConfigurationVersionId, IngressAttributes>;
  /** The first run of each version. */
  readonly runs: ReadonlyMap<ConfigurationVersionId, ShownRun>;
}

/** GET /workspaces/:id/configuration-versions: newest first, including those without backing data. */
export class ListConfigurationVersions {
  constructor(
    private readonly unitOfWork: UnitOfWork<
      'workspaces' | 'configurationVersions' | 'runs' | 'taskStages' | 'runComments'
    >,
  ) {}

  execute(
    actor: Actor,
    query: { readonly workspaceId: WorkspaceId; readonly page: PageRequest; readonly include: ReadonlySet<Include> },
  ): Promise<ListedConfigurationVersions> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.workspaces.findIdFor(actor, query.workspaceId);
      const { standing } = authorizedView(seen, 'configuration-versions/read');
      const found = await tx.configurationVersions.page(query.workspaceId, query.page);
      const readable = found.items.filter(({ status }) => statusTraits[status].readable);
      const included = (what: Include, versions: readonly ConfigurationVersionSummary[]) =>
        query.include.has(what) ? versions.map(({ id }) => id) : [];
      const fromCommits = readable.filter(({ ingressAttributesId }) => ingressAttributesId !== null);
      const fetched = included('ingress-attributes', fromCommits);
      const { configurationVersions } = tx;
      const ingressAttributes = fetched.length > 0 ? await configurationVersions.ingressAttributes(fetched) : new Map();
      return { ...found, ingressAttributes, runs: await runsOf(tx, included('run', readable), standing) };
    });
  }
}
