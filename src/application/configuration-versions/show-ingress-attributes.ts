import { type Actor, type ConfigurationVersionId, type IngressAttributes, notFound } from '../../domain/index.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';
import { findReadable } from './show-configuration-version.js';

/** GET /configuration-versions/:id/ingress-attributes. Missing for versions created through the API or the CLI. */
export class ShowIngressAttributes {
  constructor(private readonly unitOfWork: UnitOfWork<'configurationVersions'>) {}

  execute(actor: Actor, id: ConfigurationVersionId): Promise<IngressAttributes> {
    return this.unitOfWork.read(async (tx) => {
      await findReadable(tx, actor, id);
      const attributes = (await tx.configurationVersions.ingressAttributes([id])).get(id);
      if (attributes === undefined) throw notFound();
      return attributes;
    });
  }
}
