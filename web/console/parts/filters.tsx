import { useEffect, useRef, useState } from 'react';
import { Field } from './field.tsx';
import { localText } from './local-text.ts';

/** How long typing must pause before the list is read again, in milliseconds. */
const pause = 250;

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A search field whose value is in the address. */
export function FilterField({ label, value = '', onChange }: Props) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back and Forward change the address without the field.
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const typed = (next: string): void => {
    setText(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = next;
      onChange(next);
    }, pause);
  };
  return <Field label={label} type="search" value={text} onChange={typed} />;
}

/** A field for an instant in the reader's time zone; its value is in the address as ISO 8601. */
export const InstantField = ({ label, value = '', onChange }: Props) => (
  <Field
    label={label}
    type="datetime-local"
    value={value === '' ? '' : localText(value)}
    onChange={(text) => onChange(text === '' ? '' : new Date(text).toISOString())}
  />
);
