import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import {
  announcedSchema,
  artifactSchema,
  heartbeatSchema,
  jobSchema,
  presentAnnounced,
  presentArtifact,
  presentHeartbeat,
  presentJob,
  presentReported,
  reportedSchema,
} from '../../src/adapters/http/agents/agent-api-resource.js';
import {
  agentPoolSchema,
  agentTokenSchema,
  issuedAgentTokenSchema,
  presentAgentPool,
  presentAgentToken,
  presentSiteAgentPool,
  reachableTokenSchema,
  siteAgentPoolSchema,
} from '../../src/adapters/http/agents/agent-pool-resource.js';
import {
  auditDocument,
  auditEventSchema,
  auditPageSchema,
  presentAuditEvent,
} from '../../src/adapters/http/audit/audit-event-resource.js';
import {
  configurationVersionSchema,
  createdConfigurationVersionSchema,
  ingressAttributesSchema,
  presentConfigurationVersion,
  presentIngressAttributes,
} from '../../src/adapters/http/configuration-versions/configuration-version-resource.js';
import { type Dialect, dialects } from '../../src/adapters/http/dialect.js';
import { errorTable, internalProblem, problemOf } from '../../src/adapters/http/json-api/error-table.js';
import { pageDocument } from '../../src/adapters/http/json-api/pagination.js';
import { Query } from '../../src/adapters/http/json-api/query.js';
import { badRequest, invalid, invalidParameter } from '../../src/adapters/http/json-api/request-error.js';
import {
  documentSchema,
  documentWithSchema,
  errorDocument,
  exampleOf,
  listSchema,
  pageSchema,
} from '../../src/adapters/http/json-api/resource-schema.js';
import {
  entitlementSetSchema,
  issuedOrganizationTokenSchema,
  membershipSchema,
  organizationSchema,
  organizationTokenSchema,
  presentEntitlementSet,
  presentMembership,
  presentOrganization,
  presentOrganizationToken,
} from '../../src/adapters/http/organizations/organization-resource.js';
import { policySchema, presentPolicy } from '../../src/adapters/http/policies/policy-resource.js';
import {
  policyEvaluationSchema,
  policySetOutcomeSchema,
  presentPolicyEvaluation,
  presentPolicySetOutcome,
  presentTaskStage,
  taskStageSchema,
} from '../../src/adapters/http/policy-outcomes/policy-outcome-resource.js';
import { policySetSchema, presentPolicySet } from '../../src/adapters/http/policy-sets/policy-set-resource.js';
import {
  applySchema,
  planSchema,
  presentPhase,
  presentRun,
  presentRunCapacity,
  presentRunEvent,
  runCapacitySchema,
  runEventSchema,
  runSchema,
} from '../../src/adapters/http/runs/run-resource.js';
import {
  presentStateOutput,
  presentStateVersion,
  stateOutputSchema,
  stateVersionSchema,
} from '../../src/adapters/http/state-versions/state-version-resource.js';
import { presentTeamAccess, teamAccessSchema } from '../../src/adapters/http/team-access/team-access-resource.js';
import { presentTeam, teamSchema } from '../../src/adapters/http/teams/team-resource.js';
import {
  failingEffectSchema,
  issuedTeamTokenSchema,
  issuedUserTokenSchema,
  listedTeamTokenSchema,
  presentFailingEffect,
  presentToken,
  presentUser,
  teamTokenSchema,
  userSchema,
  userTokenSchema,
} from '../../src/adapters/http/users/user-resource.js';
import { presentVariable, variableSchema } from '../../src/adapters/http/variables/variable-resource.js';
import {
  changedWorkspaceSchema,
  presentWorkspace,
  workspaceSchema,
} from '../../src/adapters/http/workspaces/workspace-resource.js';
import { lanes } from '../../src/application/index.js';
import {
  type AuditEvent,
  actions,
  asApplied,
  DomainError,
  type DomainErrorCode,
  enforcementLevels,
  evaluationStatuses,
  executionModes,
  lifecycle,
  memberOf,
  type Organization,
  organizationPermissions,
  outcomeStatuses,
  type PolicyOutcome,
  phases,
  policyKinds,
  runEventsOf,
  runStatuses,
  type Standing,
  scales,
  statuses,
  type TokenOwner,
  taskStageStatuses,
  unaskedActions,
  variableCategories,
  visibilities,
} from '../../src/domain/index.js';
import {
  aConfigurationVersion,
  afterNoon,
  aMembership,
  anOrganization,
  aRun,
  aStateOutput,
  aStateVersion,
  aTeam,
  aToken,
  aUser,
  aVariable,
  aWorkspace,
  noon,
  someIngressAttributes,
  someRunOptions,
} from '../support/builders.js';
import {
  aManagedPolicy,
  anAgentPool,
  anAgentToken,
  anEvaluation,
  aPolicy,
  aPolicyOutcome,
  aPolicySet,
  aPolicySetOutcome,
  aSiteAgentPool,
  aTaskStage,
} from '../support/policy-builders.js';
import { fc } from '../support/properties.js';

const text = fc.string({ maxLength: 8 });
const flag = fc.boolean();
const number = fc.nat(1_000_000);
const instant = fc.constantFrom(noon, afterNoon(0.5));
const few = <Item>(one: fc.Arbitrary<Item>) => fc.array(one, { maxLength: 2 });
const orNull = <Item>(one: fc.Arbitrary<Item>) => fc.option(one, { nil: null });
const absentOr = <Item>(one: fc.Arbitrary<Item>) => fc.option(one, { nil: undefined });

/** Any of these stamps, each with its instant. */
const stamps = (names: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.subarray([...names]).map((some) => Object.fromEntries(some.map((name) => [name, noon])));

const stampsLeftBy = (all: readonly string[]) => stamps(all.map((status) => `${status.replaceAll('_', '-')}-at`));

const owners: fc.Arbitrary<TokenOwner> = fc.record({
  kind: fc.constantFrom<TokenOwner['kind']>('user', 'team', 'organization'),
  id: text,
});

const accesses = fc.subarray([...organizationPermissions]).map((some) => new Set(some));

const standings: fc.Arbitrary<Standing> = fc.record({
  actor: fc.constantFrom<Standing['actor']>('user', 'team', 'organization'),
  siteAdministrator: flag,
  member: flag,
  teams: few(fc.record({ teamId: text, owners: flag, access: accesses })),
});

const organization: Organization = anOrganization();
const workspace = aWorkspace(organization);
const version = aConfigurationVersion(workspace);

const users = fc.record({ siteAdministrator: flag, suspended: flag }).map(aUser);

const tokensOf = (kind: TokenOwner['kind']) =>
  fc
    .record({
      description: kind === 'user' ? text : fc.constant(null),
      createdBy: orNull(owners),
      expiresAt: orNull(instant),
      lastUsedAt: orNull(instant),
    })
    .map((given) => aToken({ kind, id: 'somebody' }, given));

const agentTokens = fc
  .record({ createdBy: orNull(owners), lastUsedAt: orNull(instant) })
  .map((given) => anAgentToken(anAgentPool(organization), given));

const teams = fc
  .record({
    owners: flag,
    usersCount: number,
    visibility: fc.constantFrom(...visibilities),
    membersManageToken: flag,
    access: accesses,
  })
  .map((given) => aTeam(organization, given));

const memberships = fc
  .record({ user: users, teams: few(teams), invitedEmail: orNull(fc.constant('Ada@example.com')) })
  .map(({ user, ...given }) => ({
    ...aMembership(organization, user),
    organizationName: organization.name,
    user: memberOf(given, user),
    ...given,
  }));

const grants = fc.oneof(
  fc.record({ access: fc.constantFrom('read', 'plan', 'write', 'admin') }),
  fc.record({
    access: fc.constant('custom'),
    permissions: fc.record({
      runs: fc.constantFrom(...scales.runs),
      variables: fc.constantFrom(...scales.variables),
      stateVersions: fc.constantFrom(...scales.stateVersions),
      policyMocks: fc.constantFrom(...scales.policyMocks),
      workspaceLocking: flag,
      runTasks: flag,
    }),
  }),
);

const rowsOfTeamAccess = grants.map((grant) => ({
  id: 'tws-1',
  teamId: 'team-1',
  workspaceId: workspace.id,
  organizationName: organization.name,
  workspaceName: workspace.name,
  grant,
  revision: 0,
}));

const repositories = fc.record({
  cloneUrl: fc.constantFrom('https://git.example.com/acme/api.git', 'http://git.example.com/acme/api'),
  branch: orNull(text),
  credential: orNull(text),
  webhookId: text,
  sealedWebhookKey: text,
  linkedBy: owners,
});

const workspaces = fc
  .record({
    description: orNull(text),
    autoApply: flag,
    executionMode: fc.constantFrom(...executionModes),
    lock: orNull(fc.record({ by: owners, reason: orNull(text), at: instant })),
    repository: orNull(repositories),
    agentPoolId: orNull(text),
    currentConfigurationVersionId: orNull(text),
  })
  .map((given) => aWorkspace(organization, given));

const agentPools = fc
  .record({
    organizationScoped: flag,
    allowedWorkspaceIds: fc.array(text, { maxLength: 2 }),
    excludedWorkspaceIds: fc.array(text, { maxLength: 2 }),
  })
  .map((given) => anAgentPool(organization, given));

const organizations = fc
  .record(
    {
      defaults: fc.record({ executionMode: fc.constantFrom(...executionModes), agentPoolId: orNull(text) }),
      poolTokenCreators: fc.array(owners, { maxLength: 2 }),
    },
    { requiredKeys: ['defaults'] },
  )
  .map((given) => ({ ...organization, ...given }));

const variables = fc
  .record({
    key: text,
    description: orNull(text),
    category: fc.constantFrom(...variableCategories),
    hcl: flag,
    sensitive: flag,
    revision: number,
  })
  .map((given) => aVariable(workspace, given));

const versions = fc
  .record({
    status: fc.constantFrom(...statuses),
    source: text,
    autoQueueRuns: flag,
    speculative: flag,
    provisional: flag,
    failure: orNull(fc.record({ error: text, errorMessage: text })),
    statusTimestamps: stamps(lifecycle.map(({ stamp }) => stamp)),
    ingressAttributesId: orNull(text),
  })
  .map((given) => aConfigurationVersion(workspace, given).state);

const commits = fc
  .record({
    commitMessage: orNull(text),
    commitUrl: orNull(text),
    compareUrl: orNull(text),
    isPullRequest: flag,
    onDefaultBranch: flag,
    pullRequestNumber: orNull(number),
    pullRequestUrl: orNull(text),
    pullRequestTitle: orNull(text),
    pullRequestBody: orNull(text),
    tag: orNull(text),
    senderUsername: orNull(text),
    senderAvatarUrl: orNull(text),
    senderHtmlUrl: orNull(text),
  })
  .map(someIngressAttributes);

const options = fc
  .record({
    targetAddrs: orNull(few(text)),
    replaceAddrs: orNull(few(text)),
    variables: few(fc.record({ key: text, value: text })),
    terraformVersion: orNull(text),
  })
  .map(someRunOptions);

const counts = fc.record({ additions: number, changes: number, destructions: number, imports: number });

const runs = fc
  .record({
    status: fc.constantFrom(...runStatuses),
    source: fc.constantFrom('tfe-api', 'tfe-configuration-version'),
    options,
    createdBy: orNull(owners),
    planned: orNull(counts),
    applied: orNull(counts),
    failure: orNull(text),
    statusTimestamps: fc
      .tuple(stamps(['plan-queueable-at']), stampsLeftBy(runStatuses))
      .map(([queued, left]) => ({ ...queued, ...left })),
  })
  .map((given) => aRun(workspace, version.state, given));

const shownPhases = runs.map(({ state: run }) => ({ run, logUrl: 'https://gatehouse.test/v1/log/run-1.abc.def' }));

const policies = fc
  .record({
    description: text,
    query: orNull(text),
    enforcementLevel: fc.constantFrom(...enforcementLevels),
  })
  .map(aPolicy);

const policySets = fc
  .record({
    description: orNull(text),
    kind: fc.constantFrom(...policyKinds),
    global: flag,
    overridable: flag,
    policies: few(policies),
    workspaceIds: few(text),
    policyIds: few(text),
  })
  .map((given) => aPolicySet(organization, given));

const managedPolicies = fc
  .record({
    description: text,
    kind: fc.constantFrom(...policyKinds),
    query: orNull(text),
    enforcementLevel: fc.constantFrom(...enforcementLevels),
    code: orNull(fc.constant('0a'.repeat(32))),
    policySetIds: few(text),
  })
  .map((given) => aManagedPolicy(organization, given));

const evaluations = fc
  .record({
    kind: fc.constantFrom(...policyKinds),
    status: fc.constantFrom(...evaluationStatuses),
    policyToolVersion: text,
    policySets: few(
      fc.tuple(policySets, few(managedPolicies)).map(([set, attached]) => asApplied({ ...set, attached })),
    ),
    statusTimestamps: stampsLeftBy(evaluationStatuses),
  })
  .map(anEvaluation);

const stages = fc
  .record({
    run: runs,
    given: fc.record({
      status: fc.constantFrom(...taskStageStatuses),
      evaluations: few(evaluations),
      statusTimestamps: stampsLeftBy(taskStageStatuses),
    }),
  })
  .map(({ run, given }) => aTaskStage(run, given));

const policyOutcomes = fc
  .record({
    status: fc.constantFrom(...outcomeStatuses),
    enforcementLevel: fc.constantFrom(...enforcementLevels),
    description: text,
    query: orNull(text),
    output: orNull(few(fc.jsonValue())),
  })
  .map((given) => aPolicyOutcome(given as Partial<PolicyOutcome>));

const setOutcomes = fc
  .record({
    policySetDescription: orNull(text),
    overridable: flag,
    error: orNull(text),
    warnings: few(text),
    outcomes: few(policyOutcomes),
  })
  .map((given) => aPolicySetOutcome(anEvaluation(), given));

const effects = fc.record({
  id: number,
  subject: text,
  kind: fc.constantFrom(...Object.values(lanes).flatMap(({ kinds }) => kinds)),
  attempts: number,
  lastError: text,
  notBefore: instant,
});

const jobs = fc
  .record({
    run: runs,
    phase: fc.constantFrom(...phases),
    stage: orNull(stages),
    sealed: few(variables),
    state: orNull(fc.constant(aStateVersion(aRun(workspace, version.state).state))),
    planFile: orNull(fc.constant({ key: 'bundle-1', bytes: 3, sha256: 'a'.repeat(64) })),
  })
  .map(({ run, sealed, ...given }) => ({
    leaseToken: 'the lease',
    expiresAt: noon,
    run: run.state,
    workspace,
    version: version.state,
    variables: sealed.map((variable) => ({ ...variable, value: variable.key })),
    ...given,
  }));

const auditEvents: fc.Arbitrary<AuditEvent> = fc.record({
  id: text,
  at: instant,
  organizationId: orNull(text),
  actor: fc.record({
    kind: fc.constantFrom<AuditEvent['actor']['kind']>(
      'user',
      'team',
      'organization',
      'auditor',
      'agent',
      'upload-url',
      'forge',
      'system',
      'nobody',
    ),
    id: orNull(text),
    tokenId: orNull(text),
  }),
  action: fc.constantFrom(...actions, ...unaskedActions),
  subject: orNull(text),
  outcome: fc.constantFrom('done', ...(Object.keys(errorTable) as DomainErrorCode[])),
  count: fc.integer({ min: 1, max: 9 }),
  detail: orNull(fc.constant({ 'team-tokens': [{ id: 'at-1', 'team-id': 'team-1' }] })),
  request: orNull(fc.record({ id: text, address: orNull(text), route: text })),
});

/** What is written about many states of one kind, and the schema that says what that may be. */
interface Written {
  readonly schema: (dialect: Dialect) => z.ZodType;
  readonly answers: (dialect: Dialect) => readonly unknown[];
}

/** Enough for every member to be there and not, and for every word to be said. The same at every run. */
const enough = 200;
const seed = 20_300_101;

const asWritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const written = <State>(
  schema: Written['schema'],
  states: fc.Arbitrary<State>,
  present: (dialect: Dialect) => (state: State) => unknown,
  numRuns = enough,
): Written => ({
  schema,
  answers: (dialect) => fc.sample(states, { numRuns, seed }).map(present(dialect)).map(asWritten),
});

const seen = <Subject>(subjects: fc.Arbitrary<Subject>) => fc.record({ subject: subjects, standing: standings });

const secret = 'gatehouse.v1.secret';

const shownWorkspaces = fc
  .tuple(seen(workspaces), absentOr(orNull(text)))
  .map(([of, currentRunId]) => (currentRunId === undefined ? of : { ...of, currentRunId }));

const kinds: Readonly<Record<string, Written>> = {
  user: written(userSchema, users, () => presentUser),
  'user token': written(userTokenSchema, tokensOf('user'), () => presentToken()),
  'issued user token': written(issuedUserTokenSchema, tokensOf('user'), () => presentToken(secret)),
  'team token': written(teamTokenSchema, tokensOf('team'), () => presentToken()),
  'issued team token': written(issuedTeamTokenSchema, tokensOf('team'), () => presentToken(secret)),
  'listed team token': written(listedTeamTokenSchema, tokensOf('team'), ({ listedTeamTokenType }) =>
    presentToken(null, listedTeamTokenType),
  ),
  'organization token': written(
    organizationTokenSchema,
    tokensOf('organization'),
    () => (token) => presentOrganizationToken('acme', token),
  ),
  'issued organization token': written(
    issuedOrganizationTokenSchema,
    tokensOf('organization'),
    () => (token) => presentOrganizationToken('acme', token, secret),
  ),
  'agent token': written(agentTokenSchema, agentTokens, () => presentAgentToken()),
  'issued agent token': written(issuedAgentTokenSchema, agentTokens, () => presentAgentToken(secret)),
  'token reached by its id': written(
    reachableTokenSchema,
    fc.oneof(
      tokensOf('user').map((token) => () => presentToken()(token)),
      tokensOf('team').map((token) => () => presentToken()(token)),
      agentTokens.map((token) => () => presentAgentToken()(token)),
    ),
    () => (present) => present(),
  ),
  'failing effect': written(failingEffectSchema, effects, () => presentFailingEffect),
  organization: written(
    organizationSchema,
    fc.record({ standing: absentOr(standings), of: organizations }),
    (dialect) =>
      ({ standing, of }) =>
        presentOrganization(dialect, standing)(of),
  ),
  'entitlement set': written(entitlementSetSchema, organizations, presentEntitlementSet),
  membership: written(membershipSchema, memberships, presentMembership),
  team: written(
    teamSchema,
    fc.record({ team: seen(teams), members: absentOr(few(users)) }),
    (dialect) =>
      ({ team, members }) =>
        presentTeam(dialect, members)(team),
  ),
  'team access': written(teamAccessSchema, rowsOfTeamAccess, presentTeamAccess),
  workspace: written(workspaceSchema, shownWorkspaces, presentWorkspace),
  'changed workspace': written(
    changedWorkspaceSchema,
    fc.record({ of: shownWorkspaces, key: absentOr(text), creators: absentOr(fc.array(owners, { maxLength: 2 })) }),
    (dialect) =>
      ({ of, key, creators }) =>
        presentWorkspace(dialect)({
          ...of,
          ...(key !== undefined && { webhookKey: key }),
          ...(creators && { poolTokenCreators: creators }),
        }),
  ),
  variable: written(variableSchema, fc.record({ variable: variables, value: orNull(text) }), presentVariable),
  'configuration version': written(
    configurationVersionSchema,
    fc.record({ version: versions, run: absentOr(orNull(text)) }),
    (dialect) =>
      ({ version, run }) =>
        presentConfigurationVersion(dialect, new Set(run === undefined ? [] : ['run']), { runIdOf: () => run ?? null })(
          version,
        ),
  ),
  'created configuration version': written(
    createdConfigurationVersionSchema,
    versions.map((state) => ({
      ...state,
      status: 'pending' as const,
      failure: null,
      statusTimestamps: {},
      ingressAttributesId: null,
    })),
    (dialect) =>
      presentConfigurationVersion(dialect, new Set(), { uploadUrl: 'https://gatehouse.test/v1/object/cv-1' }),
  ),
  'ingress attributes': written(ingressAttributesSchema, commits, () => presentIngressAttributes),
  'run event': written(
    runEventSchema,
    runs.chain(({ state }) => fc.constantFrom(...runEventsOf(state))),
    (dialect) => presentRunEvent(dialect, 'run-1'),
  ),
  'capacity for runs': written(runCapacitySchema, fc.record({ pending: number, running: number }), () =>
    presentRunCapacity('acme'),
  ),
  run: written(
    runSchema,
    fc.record({ run: runs.map(({ state }) => state), standing: standings, stageId: orNull(text), position: number }),
    presentRun,
  ),
  plan: written(planSchema, shownPhases, (dialect) => presentPhase(dialect, 'plan')),
  apply: written(applySchema, shownPhases, (dialect) => presentPhase(dialect, 'apply')),
  'task stage': written(taskStageSchema, seen(stages), presentTaskStage),
  'policy evaluation': written(
    policyEvaluationSchema,
    evaluations.map((evaluation) => ({ ...evaluation, taskStageId: 'ts-1' })),
    presentPolicyEvaluation,
  ),
  'policy set outcome': written(policySetOutcomeSchema, setOutcomes, presentPolicySetOutcome),
  'policy set': written(policySetSchema, policySets, presentPolicySet),
  policy: written(policySchema, managedPolicies, presentPolicy),
  'agent pool': written(agentPoolSchema, agentPools, presentAgentPool),
  'site agent pool': written(siteAgentPoolSchema, fc.constant(aSiteAgentPool()), presentSiteAgentPool),
  // Many words must each be said.
  'audit event': written(auditEventSchema, auditEvents, () => presentAuditEvent, 5 * enough),
  'state version': written(
    stateVersionSchema,
    fc.record({ createdBy: orNull(owners), outputIds: absentOr(few(text)) }).map(({ createdBy, outputIds }) => ({
      version: aStateVersion(aRun(workspace, version.state).state, { createdBy, status: 'finalized' }),
      downloadUrl: 'https://gatehouse.test/v1/object/x',
      ...(outputIds === undefined ? {} : { outputIds }),
    })),
    presentStateVersion,
  ),
  'state version output': written(
    stateOutputSchema,
    fc
      .record({
        type: fc.constantFrom('string', 'number', 'bool', 'dynamic', ['set', 'string'], ['object', {}]),
        value: fc.constantFrom('a', 1, null, ['b']),
        sensitive: flag,
      })
      .map(({ value, ...given }) => ({ ...aStateOutput({ id: 'sv-1' }, given), size: 1, value })),
    presentStateOutput,
  ),
  'stored artifact': written(
    () => artifactSchema,
    fc.record({ bytes: number, sha256: fc.constant('a'.repeat(64)) }),
    () => presentArtifact,
  ),
  'announced state': written(
    () => announcedSchema,
    fc.record({ version: fc.record({ id: text }), outputsLeftOut: number }),
    () => (announced) => presentAnnounced('run-1', announced),
  ),
  job: written(
    () => jobSchema,
    jobs,
    () => presentJob,
  ),
  heartbeat: written(
    () => heartbeatSchema,
    fc.record({ expiresAt: instant, status: fc.constantFrom(...runStatuses), cancel: flag }),
    () => presentHeartbeat,
  ),
  'state after a report': written(
    () => reportedSchema,
    fc.constantFrom(...runStatuses),
    () => presentReported,
  ),
};

const listed = dialects.flatMap((dialect) =>
  Object.entries(kinds).map(([kind, { schema, answers }]) => ({ kind, dialect, schema, answers })),
);

/** What a schema lets in that none of these values is. Booleans are taken as they come. */
function* neverSeen(schema: z.ZodType, values: readonly unknown[], path = ''): Generator<string> {
  if (values.length === 0) {
    yield path;
  } else if (schema instanceof z.ZodNullable) {
    const given = values.filter((value) => value !== null);
    if (given.length === values.length) yield `${path} null`;
    yield* neverSeen(schema.unwrap() as z.ZodType, given, path);
  } else if (schema instanceof z.ZodObject) {
    for (const [name, member] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
      const holders = values.filter((value) => Object.hasOwn(value as object, name));
      const given = holders.map((value) => (value as Record<string, unknown>)[name]);
      const optional = member instanceof z.ZodOptional;
      if (optional && given.length === values.length) yield `${path}/${name} missing`;
      yield* neverSeen(optional ? (member.unwrap() as z.ZodType) : member, given, `${path}/${name}`);
    }
  } else if (schema instanceof z.ZodRecord) {
    const given = new Set(values.flatMap((value) => Object.keys(value as object)));
    yield* neverSeen(schema.keyType as z.ZodType, [...given], path);
  } else if (schema instanceof z.ZodArray && !(schema.element instanceof z.ZodUnknown)) {
    yield* neverSeen(schema.element as z.ZodType, values.flat(1), `${path}/*`);
  } else if (schema instanceof z.ZodEnum) {
    yield* schema.options.filter((word) => !values.includes(word)).map((word) => `${path} ${word}`);
  } else if (schema instanceof z.ZodUnion) {
    for (const [index, option] of (schema.options as z.ZodType[]).entries()) {
      const given = values.filter((value) => option.safeParse(value).success);
      yield* neverSeen(option, given, `${path}|${index}`);
    }
  }
}

const faultsOf = (schema: z.ZodType, value: unknown): readonly unknown[] => schema.safeParse(value).error?.issues ?? [];

describe.each(listed)('what is written of: $kind, in the $dialect.name dialect,', ({ dialect, schema, answers }) => {
  it('is what its schema says, no more and no less', () => {
    const all = answers(dialect);
    for (const answer of all) expect(faultsOf(schema(dialect), answer)).toEqual([]);
    expect([...neverSeen(schema(dialect), all)]).toEqual([]);
  });

  it('has an example that its schema takes', () => {
    const example = exampleOf(schema(dialect));
    expect(example).toBeDefined();
    expect(faultsOf(schema(dialect), example)).toEqual([]);
  });
});

describe('the schema of a document', () => {
  const [dialect] = dialects as readonly [Dialect];
  const resource = userSchema(dialect);
  const included: readonly [typeof resource] = [organizationSchema(dialect)];
  const one = presentUser(aUser());
  const beside = [presentOrganization(dialect)(organization)];

  it('takes one, with what is included', () => {
    expect(faultsOf(documentSchema(resource), { data: one })).toEqual([]);
    expect(faultsOf(documentSchema(resource, { included }), asWritten({ data: one, included: beside }))).toEqual([]);
    for (const bad of [{}, { data: null }, { data: [one] }, { data: one, included: beside }, { data: one, meta: {} }]) {
      expect(faultsOf(documentSchema(resource), asWritten(bad))).not.toEqual([]);
    }
    expect(faultsOf(documentSchema(resource, { included }), { data: one, included: [] })).not.toEqual([]);
    expect(faultsOf(documentWithSchema(resource, included), { data: one })).not.toEqual([]);
  });

  it('takes every page', () => {
    const pages = fc.record({
      total: fc.nat(60),
      number: fc.integer({ min: 1, max: 9 }),
      size: fc.integer({ min: 1, max: 20 }),
      items: few(users),
    });
    const documents = fc
      .sample(pages, { numRuns: enough, seed })
      .map((page) => asWritten(pageDocument('/admin/users', new Query('q=a'), page, presentUser)));
    for (const document of documents) expect(faultsOf(pageSchema(resource), document)).toEqual([]);
    expect([...neverSeen(pageSchema(resource), documents)]).toEqual([]);
  });

  it('takes every part of the audit trail', () => {
    const parts = fc.record({ items: few(auditEvents), last: absentOr(text) });
    const schema = auditPageSchema(auditEventSchema(dialect));
    const documents = fc
      .sample(parts, { numRuns: enough, seed })
      .map((part) => asWritten(auditDocument('/admin/audit-events', new Query(''), part)));
    for (const document of documents) expect(faultsOf(schema, document)).toEqual([]);
  });

  it('takes every refusal', () => {
    const details = [{}, { attribute: 'name' }, { pointer: '/data' }, { parameter: 'sort' }];
    const codes = Object.keys(errorTable) as DomainErrorCode[];
    const refusals = [
      ...codes.flatMap((code) => details.map((detail) => new DomainError(code, 'a sentence', detail as never))),
      badRequest('a sentence'),
      invalidParameter('sort', 'a sentence'),
      invalid([{ detail: 'a sentence', pointer: '' }, { detail: 'another' }]),
    ];
    const documents = [internalProblem, ...refusals.map(problemOf)].map((problem) => asWritten(problem?.document));
    for (const document of documents) expect(faultsOf(errorDocument, document)).toEqual([]);
    expect([...neverSeen(errorDocument, documents)]).toEqual([]);
  });

  it('has an example that it takes', () => {
    const schemas = [
      documentSchema(resource, { included }),
      documentWithSchema(resource, included),
      listSchema(resource),
      pageSchema(resource, { included }),
      errorDocument,
    ];
    for (const schema of schemas) expect(faultsOf(schema, exampleOf(schema))).toEqual([]);
  });
});
