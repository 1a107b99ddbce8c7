import type {
  ConfigurationVersionId,
  ConfigurationVersionState,
  EffectiveTagBinding,
  IngressAttributes,
  ManagedPolicy,
  Member,
  Organization,
  PolicySetVersion,
  Project,
  TaskStageSummary,
  Team,
  WithStanding,
  WorkspaceTask,
} from '../../domain/index.js';
import type { ConfigurationVersionSummary } from '../ports/repositories/configuration-version-repository.js';
import type { MembershipView } from '../ports/repositories/organization-repository.js';
import type { ShownRun } from '../supporting/runs/show-run.js';
import type { ShownPhase } from '../supporting/runs/show-run-phase.js';
import type { ListedStateVersion } from '../supporting/state-versions/list-state-versions.js';
import type { VariableView } from '../supporting/variables/variable-values.js';
import type { ShownWorkspace } from '../supporting/workspaces/show-workspace.js';

interface Views {
  readonly organization: Organization;
  readonly project: WithStanding<Project>;
  readonly workspace: ShownWorkspace;
  readonly run: ShownRun;
  readonly plan: ShownPhase;
  readonly apply: ShownPhase;
  readonly 'configuration-version': ConfigurationVersionState | ConfigurationVersionSummary;
  readonly 'ingress-attributes': { readonly versionId: ConfigurationVersionId; readonly attributes: IngressAttributes };
  readonly 'task-stage': WithStanding<TaskStageSummary>;
  readonly 'effective-tag-binding': EffectiveTagBinding;
  readonly user: Member;
  readonly team: WithStanding<Team>;
  readonly membership: MembershipView;
  readonly policy: ManagedPolicy;
  readonly 'policy-set-version': PolicySetVersion;
  readonly variable: VariableView;
  readonly 'workspace-task': WorkspaceTask;
  readonly 'state-version': ListedStateVersion;
}

export type RelatedKind = keyof Views;

export type ViewOf<Kind extends RelatedKind> = Views[Kind];

/** A resource that a response includes next to its own: one that the caller may see. Others are left out. */
export type Related = {
  readonly [Kind in RelatedKind]: { readonly kind: Kind; readonly view: Views[Kind] };
}[RelatedKind];

export const related =
  <Kind extends RelatedKind>(kind: Kind) =>
  (view: Views[Kind]): Related =>
    ({ kind, view }) as Related;
