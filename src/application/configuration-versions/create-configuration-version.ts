import {
  type Actor,
  type ChosenSettings,
  ConfigurationVersion,
  type ConfigurationVersionState,
  identityOf,
  type WorkspaceId,
} from '../../domain/index.js';
import { changing } from '../../domain/supporting/audit/change.js';
import type { ByteQuota } from '../files/byte-quota.js';
import type { CapabilityUrls } from '../ports/outside/capability-urls.js';
import type { Clock } from '../ports/outside/clock.js';
import type { IdGenerator } from '../ports/outside/id-generator.js';
import type { UnitOfWork } from '../ports/repositories/unit-of-work.js';

export interface NewConfigurationVersion extends ChosenSettings {
  readonly workspaceId: WorkspaceId;
  readonly source: string;
}

/** POST /workspaces/:id/configuration-versions. Only this response contains the upload URL. */
export class CreateConfigurationVersion {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'keptBytes' | 'audit'>,
    private readonly clock: Clock,
    private readonly ids: IdGenerator,
    private readonly urls: CapabilityUrls,
    private readonly quota: ByteQuota,
  ) {}

  /** Throws `organization/over-quota` if the organization has reached its quota. */
  async execute(
    actor: Actor,
    command: NewConfigurationVersion,
  ): Promise<{ version: ConfigurationVersionState; uploadUrl: string }> {
    const now = this.clock.now();
    const id = this.ids.next('configuration-version');
    const version = await this.unitOfWork.run(async (tx) => {
      const { done } = changing(
        actor,
        await tx.workspaces.findIdFor(actor, command.workspaceId),
        'configuration-versions/create',
      );
      await this.quota.refuseMore(tx, command);
      const createdBy = identityOf(actor);
      const given = { ...command, id, origin: 'api', ingressAttributesId: null, createdBy, createdAt: now } as const;
      const created = ConfigurationVersion.create(given);
      await tx.configurationVersions.add(created, created.becomesCurrentWhenCreated);
      await tx.audit.add(done(id), created.state);
      return created;
    });
    return { version: version.state, uploadUrl: this.urls.issue('upload', id, now) };
  }
}
