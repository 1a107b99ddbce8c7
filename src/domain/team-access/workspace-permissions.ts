/** Each scale runs from the lowest level to the highest; a level includes all lower ones. */
export const scales = {
  runs: ['none', 'read', 'plan', 'apply'],
  variables: ['none', 'read', 'write'],
  stateVersions: ['none', 'read-outputs', 'read', 'write'],
  policyMocks: ['none', 'read'],
  workspaceLocking: [false, true],
  runTasks: [false, true],
  policyOverrides: [false, true],
} as const;

export type Scale = keyof typeof scales;

/** One level per scale: all permissions inside a workspace except its administration. */
export type WorkspacePermissions = { readonly [S in Scale]: (typeof scales)[S][number] };

export const scaleNames = Object.keys(scales) as readonly Scale[];

const rank = (scale: Scale, level: unknown): number => (scales[scale] as readonly unknown[]).indexOf(level);

const mixed = (a: WorkspacePermissions, b: WorkspacePermissions) =>
  Object.fromEntries(
    scaleNames.map((scale) => [scale, rank(scale, a[scale]) >= rank(scale, b[scale]) ? a[scale] : b[scale]]),
  ) as unknown as WorkspacePermissions;

/** The higher level on every scale. */
export const strongest = (a: WorkspacePermissions, b: WorkspacePermissions): WorkspacePermissions => {
  // One argument nearly always includes the other; building a new object costs ten times as much.
  if (reaches(a, b)) return a;
  return reaches(b, a) ? b : mixed(a, b);
};

export const nothing: WorkspacePermissions = {
  runs: 'none',
  variables: 'none',
  stateVersions: 'none',
  policyMocks: 'none',
  workspaceLocking: false,
  runTasks: false,
  policyOverrides: false,
};

/** Whether `held` reaches `needed` on every scale that `needed` names. */
export const reaches = (held: WorkspacePermissions, needed: Partial<WorkspacePermissions>): boolean =>
  scaleNames.every(
    (scale) =>
      needed[scale] === undefined ||
      needed[scale] === held[scale] ||
      rank(scale, held[scale]) >= rank(scale, needed[scale]),
  );
