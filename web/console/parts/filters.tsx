import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useAddressValues } from './address-values.ts';
import { Button } from './button.tsx';
import { Field } from './field.tsx';
import { useLater } from './later.ts';
import { localText } from './local-text.ts';
import { enterRows } from './table.tsx';

interface Props {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

interface BarProps {
  /** The name of the list. */
  readonly of: string;
  /** Fields whose values are in the address; the search field first. */
  readonly children: ReactNode;
}

/** The filters of a list, which one button clears. */
export function FilterBar({ of, children }: BarProps) {
  const [values, change] = useAddressValues();
  const set = Object.keys(values).filter((name) => name !== 'page');
  return (
    <search className="filters" aria-label={of}>
      {children}
      {set.length > 0 && (
        <Button kind="quiet" onPress={() => change(Object.fromEntries(set.map((name) => [name, undefined])))}>
          Clear filters
        </Button>
      )}
    </search>
  );
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
      // Its style depends on whether this is shown.
      placeholder=" "
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
