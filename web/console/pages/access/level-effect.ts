/** The permissions of an access to a workspace, by their names in the API. */
export interface Permissions {
  readonly runs: 'none' | 'read' | 'plan' | 'apply';
  readonly variables: 'none' | 'read' | 'write';
  readonly 'state-versions': 'none' | 'read-outputs' | 'read' | 'write';
  readonly 'workspace-locking': boolean;
  readonly 'policy-overrides': boolean;
}

export type Chosen =
  | { readonly access: 'read' | 'plan' | 'write' | 'admin' | 'none' }
  | ({ readonly access: 'custom' } & Permissions);

const none: Permissions = {
  runs: 'none',
  variables: 'none',
  'state-versions': 'none',
  'workspace-locking': false,
  'policy-overrides': false,
};

const read: Permissions = { ...none, runs: 'read', variables: 'read', 'state-versions': 'read' };
const write: Permissions = {
  ...none,
  runs: 'apply',
  variables: 'write',
  'state-versions': 'write',
  'workspace-locking': true,
};

/** A test holds this table against the domain. */
const fixed = { none, read, plan: { ...read, runs: 'plan' }, write, admin: write } as const;

const runs = ['none', 'read', 'plan', 'apply'];
const variables = ['none', 'read', 'write'];
const states = ['none', 'read-outputs', 'read', 'write'];

/** The claims of the access policy that a level of a scale gives; a level includes those below it. */
const upTo = (name: string, scale: readonly string[], level: string): readonly string[] =>
  scale.slice(1, scale.indexOf(level) + 1).map((one) => `${name}: ${one}`);

/** The claims that an access gives to a team, which may be one to which overrides are delegated. */
function claimsOf(chosen: Chosen, isDelegate: boolean): readonly string[] {
  const given = chosen.access === 'custom' ? chosen : fixed[chosen.access];
  return [
    ...upTo('runs', runs, given.runs),
    ...upTo('variables', variables, given.variables),
    ...upTo('state-versions', states, given['state-versions']),
    ...(given['workspace-locking'] ? ['workspace locking'] : []),
    ...(chosen.access === 'admin' ? ['workspace admin'] : []),
    ...(given['policy-overrides'] && isDelegate
      ? ['policy overrides, through a team with delegate-policy-overrides']
      : []),
  ];
}

interface Right<Name> {
  readonly right: Name;
  readonly held: boolean;
  /** Alternatives; each needs all of its claims. */
  readonly requires: readonly (readonly string[])[];
  readonly claims: readonly {
    readonly claim: string;
    readonly through: readonly { readonly kind: string }[];
  }[];
}

export interface Effect<Name> {
  readonly gained: readonly Name[];
  readonly lost: readonly Name[];
}

/**
 * The rights that a team gains and loses if its access to the workspace becomes the chosen one. Its project access, its
 * organization access and its membership stay.
 */
export function effectOf<Name>(rights: readonly Right<Name>[], chosen: Chosen, isDelegate: boolean): Effect<Name> {
  const others = rights.flatMap(({ claims }) =>
    claims.filter(({ through }) => through.every(({ kind }) => kind !== 'team-access')).map(({ claim }) => claim),
  );
  const claims = new Set([...others, ...claimsOf(chosen, isDelegate)]);
  const isHeld = ({ requires }: Right<Name>): boolean =>
    requires.some((all) => all.every((claim) => claims.has(claim)));
  const named = (which: (right: Right<Name>) => boolean) => rights.filter(which).map(({ right }) => right);
  return {
    gained: named((right) => !right.held && isHeld(right)),
    lost: named((right) => right.held && !isHeld(right)),
  };
}
