import type { RunAction } from '../../../application/index.js';
import { phases } from '../../../domain/index.js';
import {
  presentConfigurationVersion,
  presentIngressAttributes,
} from '../configuration-versions/configuration-version-resource.js';
import type { Dialect } from '../dialect.js';
import { withIncluded } from '../json-api/document.js';
import { pageDocument, pageRequest } from '../json-api/pagination.js';
import { presentTaskStage } from '../policy-outcomes/policy-outcome-resource.js';
import { accepted, act, created, get, ok, parameter, post, type Route } from '../route.js';
import type { UseCases } from '../use-cases.js';
import { presentWorkspace } from '../workspaces/workspace-resource.js';
import { newRun, runIncludes } from './run-requests.js';
import { presentPhase, presentRun, runIdOf } from './run-resource.js';

export const runRoutes = (use: UseCases, dialect: Dialect): Route[] => {
  const readNew = newRun(dialect);
  const present = presentRun(dialect);
  const presentVersion = presentConfigurationVersion(dialect);

  const action = (name: RunAction): Route =>
    act(`/runs/:id/actions/${name}`, 'runs/apply', async (call) => {
      await use.changeRun.execute(call.actor, parameter(call, 'id'), name);
      return accepted;
    });

  return [
    post('/runs', 'runs/queue', async (call) => {
      return created({ data: present(await use.createRun.execute(call.actor, readNew(call))) });
    }),
    get('/workspaces/:workspaceId/runs', 'runs/read', async (call) => {
      const page = await use.listRuns.execute(call.actor, parameter(call, 'workspaceId'), pageRequest(call.query));
      return ok(pageDocument(call.path, call.query, page, present));
    }),
    get('/runs/:id', 'runs/read', async (call) => {
      const include = call.query.known('include', runIncludes);
      const shown = await use.showRun.execute(call.actor, { id: parameter(call, 'id'), include });
      const { workspace, version, ingressAttributes, stage, standing } = shown;
      const parts = phases
        .filter((phase) => include.has(phase))
        .map((phase) => presentPhase(dialect, phase)(use.showRunPhase.of(shown.run, phase)));
      return ok(
        withIncluded({ data: present(shown) }, [
          ...(workspace === undefined ? [] : [presentWorkspace(dialect)(workspace)]),
          ...(version === undefined ? [] : [presentVersion(version)]),
          ...(ingressAttributes === undefined ? [] : [presentIngressAttributes(ingressAttributes)]),
          ...(stage === undefined ? [] : [presentTaskStage(dialect)({ subject: stage, standing })]),
          ...parts,
        ]),
      );
    }),
    action('apply'),
    action('discard'),
    action('cancel'),
    get('/runs/:id/configuration-version', 'runs/read', async (call) => {
      const version = await use.showRunConfigurationVersion.execute(call.actor, parameter(call, 'id'));
      return ok({ data: presentVersion(version) });
    }),
    get('/runs/:id/configuration-version/download', 'runs/read', async (call) => {
      const location = await use.locateBundle.execute(call.actor, { runId: parameter(call, 'id') });
      return { status: 302, headers: { Location: location } };
    }),
    get('/plans/:id', 'runs/read', async (call) => {
      const id = runIdOf(parameter(call, 'id'), 'plan');
      return ok({ data: presentPhase(dialect, 'plan')(await use.showRunPhase.execute(call.actor, id, 'plan')) });
    }),
    get('/applies/:id', 'runs/read', async (call) => {
      const id = runIdOf(parameter(call, 'id'), 'apply');
      return ok({ data: presentPhase(dialect, 'apply')(await use.showRunPhase.execute(call.actor, id, 'apply')) });
    }),
  ];
};
