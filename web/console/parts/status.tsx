import type { ReactNode } from 'react';
import { type StatusOf, type Subject, statusWords, type Tone } from './status-words.ts';

const marks: Readonly<Record<Tone, string>> = { good: '✓', bad: '✕', warn: '!', busy: '●', idle: '○' };

/** Words with a colour and a mark. */
export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) => (
  <span className={`badge badge-${tone}`}>
    <span aria-hidden="true">{marks[tone]}</span> {children}
  </span>
);

/** A status in words. */
export function StatusBadge<S extends Subject>({ of, status }: { readonly of: S; readonly status: StatusOf<S> }) {
  const words: Readonly<Record<PropertyKey, readonly [string, Tone]>> = statusWords[of];
  const [label, tone] = words[status] ?? [String(status), 'idle'];
  return <Badge tone={tone}>{label}</Badge>;
}
