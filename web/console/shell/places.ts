import { useEffect, useState } from 'react';
import { addresses } from '../addresses.ts';
import { useMaybeRead } from '../api/reading.ts';
import { useLater } from '../parts/later.ts';
import { nameOfMember } from '../parts/member-parts.tsx';
import { useOfferedSections } from './offered-sections.ts';

export interface Place {
  readonly href: string;
  readonly label: string;
}

interface Group {
  readonly title: string;
  readonly places: readonly Place[];
}

const maxOfEachKind = 6;

/** A text that no longer changes. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  const { later } = useLater();
  useEffect(() => later(() => setSettled(text)), [text, later]);
  return settled;
}

const isRunId = (text: string): boolean => /^run-[\w-]+$/.test(text);

/** The pages whose names have the text in them: those of the console at once, the others as the service finds them. */
export function usePlaces(
  organization: string | undefined,
  typed: string,
): { readonly groups: readonly Group[]; readonly isPending: boolean } {
  const settled = useSettled(typed.trim());
  const inside = { enabled: organization !== undefined && settled !== '' && !isRunId(settled) };
  const path = { organization: organization ?? '' };
  const size = { 'page[size]': maxOfEachKind };
  const named = { path, query: { 'search[name]': settled, ...size } };
  const q = { path, query: { q: settled, ...size } };
  const workspaces = useMaybeRead('/organizations/{organization}/workspaces', named, inside);
  const teams = useMaybeRead('/organizations/{organization}/teams', q, inside);
  const people = useMaybeRead('/organizations/{organization}/organization-memberships', q, inside);
  const policySets = useMaybeRead('/organizations/{organization}/policy-sets', named, inside);
  const organizations = useMaybeRead(
    '/organizations',
    { query: { 'q[name]': settled, ...size } },
    { enabled: settled !== '' && !isRunId(settled) },
  );
  const run = useRunPlaces(settled);
  const sections = useOfferedSections(organization);
  const pages: readonly Place[] = [
    ...(organization === undefined
      ? []
      : sections.map(({ path: section, label, heading }) => ({
          href: addresses.inOrganization(organization, section),
          label: heading ?? label,
        }))),
    { href: addresses.userTokens, label: 'Your tokens and sessions' },
    { href: addresses.organizations, label: 'All organizations' },
  ].filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()));
  const inSection = (section: string, id: string, label: string): Place => ({
    href: addresses.inSection(path.organization, section, id),
    label,
  });
  const groups: readonly Group[] = [
    { title: 'Runs', places: run },
    {
      title: 'Workspaces',
      places: (workspaces.data?.data ?? []).map(({ attributes: { name } }) => ({
        href: addresses.workspace(path.organization, name),
        label: name,
      })),
    },
    { title: 'Pages', places: pages },
    {
      title: 'Teams',
      places: (teams.data?.data ?? []).map(({ id, attributes }) => inSection('teams', id, attributes.name)),
    },
    {
      title: 'People',
      places: (people.data?.data ?? []).map(({ attributes }) => {
        const name = nameOfMember(attributes);
        const filter = new URLSearchParams({ name });
        return { href: `${addresses.inOrganization(path.organization, 'members')}?${filter}`, label: name };
      }),
    },
    {
      title: 'Policy sets',
      places: (policySets.data?.data ?? []).map(({ id, attributes }) => inSection('policy-sets', id, attributes.name)),
    },
    {
      title: 'Organizations',
      places: (organizations.data?.data ?? []).map(({ attributes: { name } }) => ({
        href: addresses.home(name),
        label: name,
      })),
    },
  ];
  const reads = [workspaces, teams, people, policySets, organizations];
  return { groups: groups.filter(({ places }) => places.length > 0), isPending: reads.some((one) => one.isLoading) };
}

/** The run of this id, if the text is one and the person may read it. */
function useRunPlaces(text: string): readonly Place[] {
  const { data } = useMaybeRead('/runs/{id}', { path: { id: text } }, { enabled: isRunId(text) });
  const workspace = useMaybeRead(
    '/workspaces/{id}',
    { path: { id: data?.data.relationships.workspace.data.id ?? '' }, query: { include: ['organization'] } },
    { enabled: data !== undefined },
  ).data;
  if (data === undefined || workspace === undefined) return [];
  const { name } = workspace.data.attributes;
  const organization = workspace.data.relationships.organization.data.id;
  return [
    {
      href: addresses.run(organization, name, data.data.id),
      label: `${name}: ${data.data.attributes.message || text}`,
    },
  ];
}
