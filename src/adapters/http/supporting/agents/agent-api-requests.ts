import { z } from 'zod';
import type { PhaseReport, PolicyReport, StateReport } from '../../../../application/index.js';
import { outcomeStatuses, type ReportedOutput, type TrialReport } from '../../../../domain/index.js';
import { limits } from '../../routing/limits.js';
import { tooWide } from '../../routing/read-json.js';
import { absentable, parse } from '../../routing/schema.js';

const count = absentable(z.number().int().min(0).max(1_000_000));
const text = (longest: number) => z.string().max(longest);

const accepted = ['policy-trials'] as const;

export const claim = z.object({
  name: z.string().min(1).max(255),
  accepts: absentable(z.array(text(64)).max(16)).meta({
    description: `The work that the agent accepts beyond runs: ${accepted.join(', ')}. Other words are ignored.`,
  }),
});

/** Agents of releases before accept nothing but runs. */
export function readClaim(body: unknown): { readonly name: string; readonly acceptsTrials: boolean } {
  const { name, accepts = [] } = parse(claim, body);
  return { name, acceptsTrials: accepts.includes(accepted[0]) };
}

export const phaseReport = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('finished'),
    'has-changes': absentable(z.boolean()),
    'generated-configuration': absentable(z.boolean()),
    'resource-additions': count,
    'resource-changes': count,
    'resource-destructions': count,
    'resource-imports': count,
  }),
  z.object({ status: z.literal('errored'), message: z.string().min(1).max(4096) }),
  z.object({ status: z.literal('canceled') }),
]);

/** A plan that does not report whether it has changes counts as having some, so that a person looks at it. */
export function readPhaseReport(body: unknown): PhaseReport {
  const report = parse(phaseReport, body);
  switch (report.status) {
    case 'finished':
      return {
        outcome: 'finished',
        hasChanges: report['has-changes'] ?? true,
        generatedConfiguration: report['generated-configuration'] ?? false,
        resources: {
          additions: report['resource-additions'] ?? 0,
          changes: report['resource-changes'] ?? 0,
          destructions: report['resource-destructions'] ?? 0,
          imports: report['resource-imports'] ?? 0,
        },
      };
    case 'errored':
      return { outcome: 'errored', message: report.message };
    case 'canceled':
      return { outcome: 'canceled' };
  }
}

const reportedPolicy = z.object({
  name: text(255),
  status: z.enum(outcomeStatuses),
  output: absentable(z.array(z.unknown()).max(1000)),
});

const reportOf = <Policy extends z.ZodType>(policy: Policy) =>
  z.object({
    'policy-tool-version': text(64),
    'policy-sets': z
      .array(
        z.object({
          'policy-set-id': text(255),
          error: absentable(text(65_536)),
          warnings: absentable(z.array(text(4096)).max(100)),
          policies: absentable(z.array(policy).max(1000)),
        }),
      )
      .max(1000),
  });

export const policyReport = reportOf(reportedPolicy);

export const trialReport = reportOf(
  reportedPolicy.extend({
    'not-comparable': absentable(text(4096)).meta({
      description: 'Why the verdict may depend on what the plan no longer shows.',
    }),
  }),
);

export const readPolicyReport = (body: unknown): PolicyReport => fromReport(parse(policyReport, body));

export function readTrialReport(body: unknown): TrialReport {
  const report = parse(trialReport, body);
  const policies = report['policy-sets'].flatMap((set) => set.policies ?? []);
  const reasons = policies.flatMap(({ name, 'not-comparable': reason }) => (reason ? [[name, reason] as const] : []));
  return { ...fromReport(report), notComparable: new Map(reasons) };
}

function fromReport(report: z.infer<typeof policyReport>): PolicyReport {
  return {
    policyToolVersion: report['policy-tool-version'],
    policySets: report['policy-sets'].map((set) => ({
      policySetId: set['policy-set-id'],
      // Agents may send an empty text for "no error", as it is shown.
      error: set.error || null,
      warnings: set.warnings ?? [],
      policies: (set.policies ?? []).map(({ name, status, output }) => ({ name, status, output: output ?? null })),
    })),
  };
}

export const stateReport = z.object({
  serial: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  lineage: text(255).regex(/^[^\0]+$/),
  md5: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta({ example: '098f6bcd4621d373cade4e832627b4f6' }),
  size: z.number().int().min(1).max(limits.agentFile.max),
  // Those that do not fit are left out.
  outputs: z.array(z.object({ name: z.string(), type: z.unknown(), value: z.unknown(), sensitive: z.boolean() })),
});

/**
 * Throws a 400 for more outputs than a body may list: otherwise each invalid one would be reported before any is left
 * out.
 */
export function readStateReport(body: unknown): StateReport {
  const { outputs } = (body ?? {}) as { readonly outputs?: unknown };
  if (Array.isArray(outputs) && outputs.length > limits.items.max) throw tooWide;
  const report = parse(stateReport, body);
  return { ...report, outputs: asTexts(report.outputs) };
}

/** One at a time, in turn: printing all values at once would hold the event loop. */
const asTexts = (outputs: z.infer<typeof stateReport>['outputs']): Iterable<ReportedOutput> => ({
  *[Symbol.iterator]() {
    for (const { type, value, ...output } of outputs) yield { ...output, type: textOf(type), value: textOf(value) };
  },
});

const textOf = (value: unknown): string => JSON.stringify(value ?? null);
