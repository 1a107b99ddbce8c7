import {
  type Actor,
  authorized,
  identityOf,
  type PolicySetVersion,
  type PolicySetVersionId,
} from '../../../domain/index.js';
import { awaitsUpload } from '../../../domain/supporting/policies/policy-set-version.js';
import type { CapabilityUrls } from '../../ports/outside/capability-urls.js';
import type { Clock } from '../../ports/outside/clock.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';

export interface ShownPolicySetVersion {
  readonly version: PolicySetVersion;
  /** Only for the creator, with whose right the URL ends, and while the version waits for an upload. */
  readonly uploadUrl?: string;
}

/** GET /policy-set-versions/:id. */
export class ShowPolicySetVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'policySetVersions'>,
    private readonly clock: Clock,
    private readonly urls: CapabilityUrls,
  ) {}

  async execute(actor: Actor, id: PolicySetVersionId): Promise<ShownPolicySetVersion> {
    const seen = await this.unitOfWork.read((tx) => tx.policySetVersions.findFor(actor, id));
    const version = authorized(seen, 'policy-sets/manage');
    const { kind, id: callerId } = identityOf(actor);
    const isCreator = version.createdBy?.kind === kind && version.createdBy.id === callerId;
    if (!isCreator || !awaitsUpload(version)) return { version };
    return { version, uploadUrl: this.urls.issue('policy-upload', id, this.clock.now()) };
  }
}
