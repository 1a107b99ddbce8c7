import { type Choice, SelectField } from './field.tsx';
import { FilterField } from './filters.tsx';

interface Props {
  readonly label: string;
  /** The name of the value in the form. */
  readonly name: string;
  /** The results of the service, at most one page. */
  readonly choices: readonly Choice[];
  /** Whether the service has more than it returned. */
  readonly isCut: boolean;
  readonly search: string;
  readonly onSearch: (text: string) => void;
}

/** A list box of what may be more than one page; then a search field narrows it. */
export const SearchSelect = ({ label, name, choices, isCut, search, onSearch }: Props) => (
  <div className="field-row">
    {(isCut || search !== '') && (
      <FilterField label={`Search for ${label.toLowerCase()}`} value={search} onChange={onSearch} />
    )}
    <SelectField label={label} name={name} value="" choices={[{ value: '', label: 'Choose' }, ...choices]} isRequired />
  </div>
);
