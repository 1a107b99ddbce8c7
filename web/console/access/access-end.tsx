import { useState } from 'react';
import type { FormValues } from '../parts/entry-form.tsx';
import { SelectField } from '../parts/field.tsx';
import { Time } from '../parts/time.tsx';

/** The end of an access, and what the team has from then on. */
interface Ending {
  readonly 'expires-at': string | null;
  /** Null without an end. */
  readonly then: string | null;
}

/** Computed: a linter takes objects with this name for promises. */
const fallback = 'then';

const hour = 3600_000;

const lengths = [
  { value: '8', label: '8 hours from now' },
  { value: '24', label: 'One day from now' },
  { value: '168', label: '7 days from now' },
  { value: '720', label: '30 days from now' },
];

const afterwards = [
  { value: 'previous', label: 'The access that it had before' },
  { value: 'none', label: 'None' },
];

const unchanged = 'unchanged';

/** The attributes that the values of the fields name; none where the end stays as it is. */
export const attributesOfEnd = ({ ends = unchanged, [fallback]: then = 'previous' }: FormValues) => {
  if (ends === unchanged) return {};
  if (ends === '') return { 'expires-at': null };
  return {
    'expires-at': new Date(Date.now() + Number(ends) * hour).toISOString(),
    [fallback]: then as 'previous' | 'none',
  };
};

/** For how long a team gets the access. `held` is its present one. */
export function EndFields({ held }: { readonly held?: Ending | undefined }) {
  const isTemporary = held !== undefined && held['expires-at'] !== null;
  const [ends, setEnds] = useState(isTemporary ? unchanged : '');
  return (
    <>
      <SelectField
        label="Ends"
        name="ends"
        value={ends}
        choices={[
          ...(isTemporary ? [{ value: unchanged, label: 'As it does now' }] : []),
          { value: '', label: 'Never' },
          ...lengths,
        ]}
        onChange={setEnds}
      />
      {ends !== '' && ends !== unchanged && (
        <SelectField label="Access afterwards" name={fallback} value="previous" choices={afterwards} />
      )}
    </>
  );
}

/** When the access of a team ends, and what is in force then. */
export const End = ({ ending }: { readonly ending: Ending }) =>
  ending['expires-at'] === null ? (
    <span className="quiet">never</span>
  ) : (
    <>
      <Time at={ending['expires-at']} />
      <span className="quiet">, then {ending.then ?? 'none'}</span>
    </>
  );
