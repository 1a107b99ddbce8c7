import { useEffect, useRef, useState } from 'react';
import { Field } from './field.tsx';
import { useLater } from './later.ts';
import { localText } from './local-text.ts';
import { enterRows } from './table.tsx';

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** A search field whose value is in the address. */
export function FilterField({ label, value = '', onChange }: Props) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const { later } = useLater();
  // Back and Forward change the address without the field.
  useEffect(() => {
    if (value !== sent.current) {
      sent.current = value;
      setText(value);
    }
  }, [value]);
  const typed = (next: string): void => {
    setText(next);
    later(() => {
      sent.current = next;
      onChange(next);
    });
  };
  return (
    <Field
      label={label}
      type="search"
      value={text}
      onChange={typed}
      onKeyDown={(event) => {
        // The library keeps the event otherwise, and Escape would not close a dialog around the field.
        event.continuePropagation();
        enterRows(event);
      }}
    />
  );
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
