import { useRef, useState } from 'react';
import { ComboBox, FieldError, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import type { Choice } from './field.tsx';
import { useLater } from './later.ts';

interface Props {
  readonly label: string;
  /** The name of the value in the form. */
  readonly name?: string;
  /** The results of the service for `search`, one page of them; undefined while it is asked. */
  readonly choices: readonly Choice[] | undefined;
  /** Whether the service has more than it returned. */
  readonly isCut: boolean;
  readonly onSearch: (text: string) => void;
  /** The initial choice. */
  readonly chosen?: Choice | undefined;
  readonly isRequired?: boolean;
  readonly onChoose?: (value: string) => void;
  /** Whether the list opens with the focus, before a person types. */
  readonly opensOnFocus?: boolean;
  /** For a field that takes the place of one that had the focus. */
  readonly autoFocus?: boolean;
}

/** A field that searches on the service as one types, however much there is to choose from. */
export function Picker({
  label,
  name,
  choices,
  isCut,
  onSearch,
  chosen,
  isRequired = false,
  onChoose,
  opensOnFocus = true,
  autoFocus = false,
}: Props) {
  const [selected, setSelected] = useState(chosen);
  const [text, setText] = useState(chosen?.label ?? '');
  const last = useRef<readonly Choice[]>([]);
  const { later, cancel } = useLater();
  // While the service is asked, the last results stay.
  if (choices !== undefined) last.current = choices;
  const found = last.current;
  const isListed = selected === undefined || found.some(({ value }) => value === selected.value);
  const items = isListed ? found : [selected, ...found];
  const typed = (next: string): void => {
    setText(next);
    later(() => onSearch(next === selected?.label ? '' : next));
  };
  const choose = (value: unknown): void => {
    const choice = items.find((one) => one.value === value);
    setSelected(choice);
    setText(choice?.label ?? '');
    cancel();
    onSearch('');
    onChoose?.(choice?.value ?? '');
  };
  return (
    <ComboBox
      className="field"
      items={items.map(({ value, label: words }) => ({ id: value, words }))}
      inputValue={text}
      onInputChange={typed}
      selectedKey={selected?.value ?? null}
      onSelectionChange={choose}
      menuTrigger={opensOnFocus ? 'focus' : 'input'}
      autoFocus={autoFocus}
      allowsEmptyCollection
      isRequired={isRequired}
      {...(name !== undefined && { name })}
    >
      <Label>{label}</Label>
      <Input placeholder="Type to search" />
      <FieldError className="field-error" />
      <Popover className="popover">
        <ListBox
          className="menu"
          renderEmptyState={() => (
            <p className="menu-item">{choices === undefined ? 'Searching…' : 'Nothing matches.'}</p>
          )}
        >
          {({ id, words }: { id: string; words: string }) => (
            <ListBoxItem id={id} textValue={words} className="menu-item">
              {words}
            </ListBoxItem>
          )}
        </ListBox>
        {isCut && <p className="menu-more quiet">There are more. Type a part of the name.</p>}
      </Popover>
    </ComboBox>
  );
}

interface NamesProps {
  readonly label: string;
  /** The result of the last search; undefined until then. */
  readonly found:
    | {
        readonly data: readonly { readonly attributes: { readonly name: string } }[];
        readonly meta: { readonly pagination: { readonly 'next-page': number | null } };
      }
    | undefined;
  readonly chosen: readonly string[];
  readonly onSearch: (text: string) => void;
  readonly onChoose: (name: string) => void;
}

/** A field for one more name that is not among the chosen ones. */
export const PickerOfNames = ({ found, chosen, ...props }: NamesProps) => (
  <PickerOfMore
    {...props}
    choices={found?.data
      .map(({ attributes }) => attributes.name)
      .filter((name) => !chosen.includes(name))
      .map((name) => ({ value: name, label: name }))}
    isCut={(found?.meta.pagination['next-page'] ?? null) !== null}
  />
);

/** The same, emptied once something was chosen, for the next. */
export function PickerOfMore({ onChoose, ...props }: Props) {
  const [count, setCount] = useState(0);
  const choose = (value: string): void => {
    if (value === '') return;
    onChoose?.(value);
    setCount(count + 1);
  };
  return <Picker key={count} {...props} onChoose={choose} opensOnFocus={false} autoFocus={count > 0} />;
}
