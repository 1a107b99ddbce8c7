import { type ChangeEvent, type ReactNode, useContext, useId } from 'react';
import {
  FieldError,
  FormValidationContext,
  Input,
  Label,
  Text,
  TextArea,
  TextField,
  type TextFieldProps,
} from 'react-aria-components';

interface Props extends Omit<TextFieldProps, 'className' | 'style' | 'children'> {
  readonly label: string;
  readonly description?: ReactNode;
  readonly rows?: number;
  readonly placeholder?: string;
  /** Texts that the browser proposes while a person types. */
  readonly suggestions?: readonly string[];
}

/** A labelled text field with its description, and the error of its form about it. */
export const Field = ({ label, description, rows, placeholder, suggestions, ...props }: Props) => (
  <TextField {...props} className="field">
    <Label>{label}</Label>
    {rows === undefined ? (
      <SuggestingInput placeholder={placeholder} suggestions={suggestions} />
    ) : (
      <TextArea rows={rows} placeholder={placeholder} />
    )}
    {description !== undefined && (
      <Text slot="description" className="quiet">
        {description}
      </Text>
    )}
    <FieldError className="field-error" />
  </TextField>
);

function SuggestingInput({ placeholder, suggestions }: Pick<Props, 'placeholder' | 'suggestions'>) {
  const id = useId();
  if (suggestions === undefined) return <Input placeholder={placeholder} />;
  return (
    <>
      <Input placeholder={placeholder} list={id} autoComplete="off" />
      <datalist id={id}>
        {suggestions.map((text) => (
          <option key={text} value={text} />
        ))}
      </datalist>
    </>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  readonly label: string;
  readonly name?: string;
  /** Without `onChange`, the value that the field begins with. */
  readonly value: string;
  readonly choices: readonly Choice[];
  readonly onChange?: (value: string) => void;
  /** Whether the empty value is refused. */
  readonly isRequired?: boolean;
}

/** The error of the form about a field that is the browser's own. */
function useErrorOf(name: string | undefined) {
  const id = useId();
  const errors = useContext(FormValidationContext);
  const error = name === undefined ? undefined : errors[name];
  return {
    described: error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': id },
    shown: error !== undefined && (
      <span id={id} className="field-error">
        {error}
      </span>
    ),
  };
}

/** The browser's own list box, which every device shows in its own way. */
export function SelectField({ label, name, value, choices, onChange, isRequired }: SelectProps) {
  const id = useId();
  const { described, shown } = useErrorOf(name);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        required={isRequired}
        {...described}
        {...(onChange === undefined
          ? { defaultValue: value }
          : { value, onChange: ({ target }: ChangeEvent<HTMLSelectElement>) => onChange(target.value) })}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      {shown}
    </div>
  );
}

interface CheckProps {
  readonly label: string;
  readonly name: string;
  readonly isChecked?: boolean;
}

/** Its form gets `on` under its name while it is checked, and otherwise nothing. */
export function CheckField({ label, name, isChecked = false }: CheckProps) {
  const { described, shown } = useErrorOf(name);
  return (
    <div className="check">
      <label>
        <input type="checkbox" name={name} defaultChecked={isChecked} {...described} /> {label}
      </label>
      {shown}
    </div>
  );
}
