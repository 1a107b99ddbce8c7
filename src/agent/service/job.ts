import { z } from 'zod';

const path = z.string().startsWith('/agent/v1/');

const workspaceVariable = z.object({
  key: z.string(),
  value: z
    .string()
    .nullable()
    .transform((value) => value ?? ''),
  category: z.enum(['terraform', 'env']),
  /** Whether the value is an expression of the configuration language. */
  hcl: z.boolean(),
  sensitive: z.boolean(),
});

const policy = z.object({
  name: z.string(),
  query: z.string().nullable(),
  'enforcement-level': z.string(),
  code: z.object({ sha256: z.string(), url: path }).nullable().default(null),
});

const policyArchive = z.object({ id: z.string(), sha256: z.string(), url: path });

const policySet = z.object({
  id: z.string(),
  name: z.string(),
  'policy-tool-version': z.string().nullable().default(null),
  policies: z.array(policy),
  /** The code of all policies; null if each has its own. */
  archive: policyArchive.nullable().default(null),
  parameters: z.array(z.object({ key: z.string(), value: z.string(), sensitive: z.boolean() })).default([]),
});

const policyEvaluation = z.object({
  id: z.string(),
  'policy-kind': z.string(),
  'policy-sets': z.array(policySet),
});

/** The settings of a run that are still known after it. */
const keptRun = z.object({
  id: z.string().regex(/^[\w-]+$/),
  message: z.string().nullable(),
  'plan-only': z.boolean(),
  'is-destroy': z.boolean(),
  refresh: z.boolean(),
  'refresh-only': z.boolean(),
  'target-addrs': z.array(z.string()).nullable(),
  'replace-addrs': z.array(z.string()).nullable(),
});

const keptWorkspace = z.object({
  id: z.string(),
  name: z.string(),
  organization: z.string(),
  'working-directory': z.string().nullable(),
});

/** The response to a claim, as far as this agent reads it. Unknown members of newer services are ignored. */
export const jobSchema = z.object({
  lease: z.object({ token: z.string(), 'expires-at': z.string() }),
  phase: z.enum(['plan', 'apply']),
  run: keptRun.extend({
    'allow-config-generation': z.boolean(),
    'debugging-mode': z.boolean().default(false),
    /** Values are expressions of the configuration language. */
    variables: z.array(z.object({ key: z.string(), value: z.string() })),
  }),
  workspace: keptWorkspace.extend({
    'terraform-version': z.string().nullable(),
    variables: z.array(workspaceVariable).default([]),
  }),
  configuration: z.object({ id: z.string(), url: path }),
  state: z.object({ md5: z.string(), size: z.number(), url: path }).nullable().default(null),
  'plan-file': z.object({ size: z.number(), sha256: z.string(), url: path }).nullable().default(null),
  'policy-evaluations': z.array(policyEvaluation),
  'shared-states-url': z.url().nullable().default(null),
});

/** The plans of one workspace, to be evaluated with the code of a policy trial. */
export const trialJobSchema = z.object({
  lease: z.object({ token: z.string(), 'expires-at': z.string() }),
  'policy-trial': z.object({
    id: z.string().regex(/^[\w-]+$/),
    'policy-set': policySet,
    workspace: keptWorkspace,
    plans: z.array(
      z.object({
        run: keptRun,
        /** Whether the settings of the workspace may have been others when the run was created. */
        'workspace-changed': z.boolean(),
        url: path,
      }),
    ),
  }),
});

export type KeptRun = z.output<typeof keptRun>;
export type KeptWorkspace = z.output<typeof keptWorkspace>;
export type TrialJob = z.output<typeof trialJobSchema>;
export type TrialPlan = TrialJob['policy-trial']['plans'][number];

export type Job = z.output<typeof jobSchema>;
export type WorkspaceVariable = Job['workspace']['variables'][number];
export type PolicyEvaluation = Job['policy-evaluations'][number];
export type PolicyArchive = z.output<typeof policyArchive>;
export type PolicySet = PolicyEvaluation['policy-sets'][number];
export type Policy = PolicySet['policies'][number];

export const sensitiveParametersOf = (job: Job): readonly string[] =>
  job['policy-evaluations']
    .flatMap((evaluation) => evaluation['policy-sets'])
    .flatMap(({ parameters }) => parameters.filter(({ sensitive }) => sensitive).map(({ value }) => value));
