import {
  type Actor,
  type ConfigurationVersionState,
  DomainError,
  identityOf,
  type WorkspaceId,
} from '../../../domain/index.js';
import { changing } from '../../../domain/supporting/audit/change.js';
import type { ByteQuota } from '../../files/byte-quota.js';
import { inWorkspace } from '../../ports/repositories/audit-trail.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import type { FetchedVersions } from './fetched-version.js';

/** POST /workspaces/:id/actions/fetch: creates a version from the linked branch's current commit. */
export class FetchCommit {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'configurationVersions' | 'keptBytes' | 'effects' | 'audit'>,
    private readonly versions: FetchedVersions,
    private readonly quota: ByteQuota,
  ) {}

  /**
   * Throws `configuration-version/fetch-refused` if the workspace is not linked to a repository, and
   * `organization/over-quota` if the organization has reached its quota.
   */
  execute(actor: Actor, id: WorkspaceId): Promise<ConfigurationVersionState> {
    return this.unitOfWork.run(async (tx) => {
      const { subject: workspace, done } = changing(
        actor,
        await tx.workspaces.findFor(actor, id),
        'configuration-versions/create',
      );
      const { repository } = workspace;
      if (repository === null) {
        throw new DomainError(
          'configuration-version/fetch-refused',
          'configuration could not be fetched because the workspace is not linked to a repository',
        );
      }
      await this.quota.refuseMore(tx, workspace);
      const { branch } = repository;
      const version = await this.versions.order(
        tx,
        { ...workspace, repository },
        {
          source: 'git',
          speculative: false,
          autoQueueRuns: true,
          createdBy: identityOf(actor),
          ref: branch === null ? null : `refs/heads/${branch}`,
          commitSha: null,
          attributes: undefined,
        },
      );
      await tx.audit.add(done(version.id), inWorkspace(workspace));
      return version;
    });
  }
}
