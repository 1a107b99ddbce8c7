import type { ReactNode } from 'react';
import { FieldError, Input, Label, Text, TextArea, TextField, type TextFieldProps } from 'react-aria-components';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly description?: ReactNode;
  readonly rows?: number;
  readonly placeholder?: string;
}

/** A labelled text field with its description, and the error of its form about it. */
export const Field = ({ label, description, rows, placeholder, ...props }: Props) => (
  <TextField {...props} className="field">
    <Label>{label}</Label>
    {rows === undefined ? <Input placeholder={placeholder} /> : <TextArea rows={rows} placeholder={placeholder} />}
    {description !== undefined && (
      <Text slot="description" className="quiet">
        {description}
      </Text>
    )}
    <FieldError className="field-error" />
  </TextField>
);

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  readonly name?: string;
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange: (value: string) => void;
}

/** The browser's own list box, which every device shows in its own way. */
export const SelectField = ({ label, name, value, choices, onChange }: SelectProps) => (
  <label className="field">
    <span>{label}</span>
    <select name={name} value={value} onChange={(event) => onChange(event.target.value)}>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </select>
  </label>
);

interface CheckboxProps {
  readonly label: string;
  readonly name: string;
  readonly isChecked?: boolean;
}

/** A box whose value in the form is `on` if it is checked. */
export const CheckboxField = ({ label, name, isChecked = false }: CheckboxProps) => (
  <label className="check">
    <input type="checkbox" name={name} defaultChecked={isChecked} /> {label}
  </label>
);
