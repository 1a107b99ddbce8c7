import {
  type Actor,
  authorized,
  type ConfigurationVersionId,
  type ConfigurationVersionState,
  type IngressAttributes,
  type WorkspaceId,
} from '../../domain/index.js';
import type { Page, PageRequest } from '../ports/page.js';
import type { UnitOfWork } from '../ports/unit-of-work.js';
import type { Include } from './show-configuration-version.js';

export interface ListedConfigurationVersions extends Page<ConfigurationVersionState> {
  readonly ingressAttributes: ReadonlyMap<ConfigurationVersionId, IngressAttributes>;
}

/** GET /workspaces/:id/configuration-versions: newest first, those without backing data too. */
export class ListConfigurationVersions {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  execute(
    actor: Actor,
    query: { readonly workspaceId: WorkspaceId; readonly page: PageRequest; readonly include: ReadonlySet<Include> },
  ): Promise<ListedConfigurationVersions> {
    return this.unitOfWork.read(async (tx) => {
      authorized(await tx.workspaces.findFor(actor, query.workspaceId), 'configuration-versions/read');
      const found = await tx.configurationVersions.page(query.workspaceId, query.page);
      const fetched = found.items.filter((version) => version.ingressAttributesId !== null).map(({ id }) => id);
      const wanted = query.include.has('ingress-attributes') && fetched.length > 0;
      const ingressAttributes = wanted ? await tx.configurationVersions.ingressAttributes(fetched) : new Map();
      return { ...found, ingressAttributes };
    });
  }
}
