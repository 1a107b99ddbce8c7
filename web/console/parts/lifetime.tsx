import { SelectField } from './field.tsx';
import { Badge } from './status.tsx';
import { Time } from './time.tsx';

const day = 24 * 3600_000;

/** The number of days that counts as soon. */
export const soon = 30;

const lifetimes = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: 'One year' },
  { value: '', label: 'Unlimited' },
];

/** How long a new token is valid; its form gets the days, for `expiryOf`. */
export const LifetimeField = ({ label = 'Valid for' }: { readonly label?: string }) => (
  <SelectField label={label} name="lifetime" value="90" choices={lifetimes} />
);

/** The `expired-at` of a token that is issued now. */
export const expiryOf = (days = ''): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * day).toISOString();

/** When a token expires, and whether that is soon or over. */
export function Expiry({ at }: { readonly at: string | null }) {
  const left = at === null ? Number.POSITIVE_INFINITY : Date.parse(at) - Date.now();
  return (
    <>
      <Time at={at} />
      {left <= 0 && <Badge tone="bad">expired</Badge>}
      {left > 0 && left <= soon * day && <Badge tone="warn">soon</Badge>}
    </>
  );
}
