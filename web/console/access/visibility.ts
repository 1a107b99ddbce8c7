import type { Team } from '../parts/team-parts.tsx';

export type Visibility = Team['attributes']['visibility'];

export const visibilityLabels: Readonly<Record<Visibility, string>> = {
  secret: 'Its members',
  organization: 'Every member',
};

export const visibilities = Object.entries(visibilityLabels).map(([value, label]) => ({ value, label }));
