import {
  type Actor,
  authorizedView,
  may,
  type ProjectId,
  type VariableSet,
  type WorkspaceId,
} from '../../../domain/index.js';
import type { VariableSetFilter } from '../../ports/repositories/filters.js';
import type { Page, PageRequest } from '../../ports/repositories/page.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { withVisibleAttachments } from './visible-attachments.js';

/** GET /organizations/:name/varsets, by name: those that the caller may manage. */
export class ListVariableSets {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'variableSets'>) {}

  execute(
    actor: Actor,
    organizationName: string,
    page: PageRequest,
    filter: VariableSetFilter = {},
  ): Promise<Page<VariableSet>> {
    return this.unitOfWork.read(async (tx) => {
      const { subject, standing } = authorizedView(
        await tx.organizations.findFor(actor, organizationName),
        'variable-sets/list',
      );
      const visibility = {
        ofOrganization: may(standing, 'variable-sets/manage'),
        ofProjects: may(standing, 'variable-sets/manage-in-project'),
      };
      return tx.variableSets.page(subject.id, visibility, page, filter);
    });
  }
}

/** GET /workspaces/:id/varsets, by name: those that apply to the workspace. */
export class ListWorkspaceVariableSets {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'projects' | 'variableSets'>) {}

  execute(
    actor: Actor,
    id: WorkspaceId,
    page: PageRequest,
    filter: VariableSetFilter = {},
  ): Promise<Page<VariableSet>> {
    return this.unitOfWork.read(async (tx) => {
      authorizedView(await tx.workspaces.findIdFor(actor, id), 'variables/read');
      return withVisibleAttachments(tx, actor, await tx.variableSets.pageOfWorkspace(id, page, filter));
    });
  }
}

/** GET /projects/:id/varsets, by name: those that apply to every workspace of the project. */
export class ListProjectVariableSets {
  constructor(private readonly unitOfWork: UnitOfWork<'organizations' | 'workspaces' | 'projects' | 'variableSets'>) {}

  execute(actor: Actor, id: ProjectId, page: PageRequest, filter: VariableSetFilter = {}): Promise<Page<VariableSet>> {
    return this.unitOfWork.read(async (tx) => {
      authorizedView(await tx.projects.findFor(actor, id), 'variable-sets/list-in-project');
      return withVisibleAttachments(tx, actor, await tx.variableSets.pageOfProject(id, page, filter));
    });
  }
}
