const part = encodeURIComponent;

const organization = (name: string): string => `/app/${part(name)}`;
const workspace = (inside: string, name: string): string => `${organization(inside)}/workspaces/${part(name)}`;

/** The addresses that links lead to; their pages are in `routes.ts`. */
export const addresses = {
  organizations: '/app',
  /** The target of sign-in links. */
  signIn: '/app/sign-in',
  /** A page for site administrators, by its tab; see `sections.ts`. */
  site: (tab: string): string => `/app/settings/${tab}`,
  sitePool: (id: string): string => `/app/settings/agent-pools/${part(id)}`,
  userTokens: '/app/settings/tokens',
  /** The page that an organization opens with. */
  home: organization,
  /** A page of an organization, by its section; see `sections.ts`. */
  inOrganization: (name: string, section: string): string =>
    section === '' ? organization(name) : `${organization(name)}/${section}`,
  workspaces: (name: string): string => `${organization(name)}/workspaces`,
  workspace,
  /** A page of a workspace, by its tab; see `sections.ts`. */
  inWorkspace: (inside: string, name: string, tab: string): string =>
    tab === '' ? workspace(inside, name) : `${workspace(inside, name)}/${tab}`,
  /** One thing of a section of an organization. */
  inSection: (name: string, section: string, id: string): string => `${organization(name)}/${section}/${part(id)}`,
  state: (inside: string, name: string, id: string): string => `${workspace(inside, name)}/states/${part(id)}`,
  stateDiff: (inside: string, name: string, before: string, after: string): string =>
    `${workspace(inside, name)}/states/${part(before)}/compare/${part(after)}`,
  /** The rights of one user or team on a workspace, and what gives them; the caller's own if none is named. */
  effectiveAccess: (inside: string, name: string, of?: { readonly user: string } | { readonly team: string }): string =>
    `${workspace(inside, name)}/access/rights${of === undefined ? '' : `?${new URLSearchParams(of)}`}`,
  run: (inside: string, name: string, id: string): string => `${workspace(inside, name)}/runs/${part(id)}`,
} as const;
