import {
  type Actor,
  type ConfigurationVersionId,
  type IngressAttributes,
  seenBy,
  statusTraits,
  type WorkspaceId,
} from '../../domain/index.js';
import type { ConfigurationVersionSummary } from '../ports/configuration-version-repository.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { ShownRun } from '../runs/show-run.js';
import { type Include, runsOf } from './show-configuration-version.js';

export interface ListedConfigurationVersions extends Page<ConfigurationVersionSummary> {
  readonly ingressAttributes: ReadonlyMap<ConfigurationVersionId, IngressAttributes>;
  /** The first run of each. */
  readonly runs: ReadonlyMap<ConfigurationVersionId, ShownRun>;
}

/** GET /workspaces/:id/configuration-versions: newest first, those without backing data too. */
export class ListConfigurationVersions {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(
    actor: Actor,
    query: { readonly workspaceId: WorkspaceId; readonly page: PageRequest; readonly include: ReadonlySet<Include> },
  ): Promise<ListedConfigurationVersions> {
    return this.unitOfWork.read(async (tx) => {
      const seen = await tx.workspaces.findIdFor(actor, query.workspaceId);
      const { standing } = seenBy(seen, 'configuration-versions/read');
      const found = await tx.configurationVersions.page(query.workspaceId, query.page);
      const fetched = found.items.filter((version) => version.ingressAttributesId !== null).map(({ id }) => id);
      const wanted = query.include.has('ingress-attributes') && fetched.length > 0;
      const ingressAttributes = wanted ? await tx.configurationVersions.ingressAttributes(fetched) : new Map();
      const readable = found.items.filter(({ status }) => statusTraits[status].readable).map(({ id }) => id);
      const runs = await runsOf(tx, query.include.has('run') ? readable : [], standing);
      return { ...found, ingressAttributes, runs };
    });
  }
}
