import { type EffectiveAccess, type GivenClaim, throughInWords } from './sources.tsx';

type Levels = readonly (readonly [label: string, ...claims: string[]])[];

/** The columns: levels from the lowest to the highest, each with the claims of the access policy that are enough for it. */
export const columns: readonly { readonly head: string; readonly levels: Levels }[] = [
  {
    head: 'Runs',
    levels: [
      ['read', 'runs: read'],
      ['plan', 'runs: plan'],
      ['apply', 'runs: apply'],
    ],
  },
  {
    head: 'Variables',
    levels: [
      ['read', 'variables: read'],
      ['write', 'variables: write'],
    ],
  },
  {
    head: 'State',
    levels: [
      ['outputs', 'state-versions: read-outputs'],
      ['read', 'state-versions: read'],
      ['write', 'state-versions: write'],
    ],
  },
  { head: 'Lock', levels: [['yes', 'workspace locking']] },
  {
    head: 'Override policies',
    levels: [['yes', 'manage-policy-overrides', 'policy overrides, through a team with delegate-policy-overrides']],
  },
  { head: 'Administer', levels: [['yes', 'workspace admin']] },
];

export interface Held {
  /** Undefined if the team has nothing of the column. */
  readonly label: string | undefined;
  /** The ways in which the team has it. */
  readonly ways: readonly GivenClaim[];
}

/** The highest level that the team has. */
export function heldOf(access: EffectiveAccess, levels: Levels): Held {
  const held = access.attributes.rights.flatMap((right) => right.claims);
  const waysTo = (claims: readonly string[]) => held.filter(({ claim }) => claims.includes(claim));
  const [label, ...claims] = levels.findLast(([, ...enough]) => waysTo(enough).length > 0) ?? [];
  return { label, ways: waysTo(claims) };
}

/** Several rights may need the same claim. */
export const distinct = (ways: readonly GivenClaim[]): readonly GivenClaim[] => [
  ...new Map(ways.map((way) => [throughInWords(way), way])).values(),
];

export const nameOf = ({ attributes }: EffectiveAccess): string => attributes.name ?? 'a secret team';

/** Whether a column has a level: every member may list the teams of a workspace, which gives no access. */
export const hasSomething = (access: EffectiveAccess): boolean =>
  columns.some(({ levels }) => heldOf(access, levels).label !== undefined);
