import { Button } from './button.tsx';

interface Props {
  readonly texts: readonly string[];
  /** Shown instead of an empty list. */
  readonly none?: string;
}

/** Short texts next to each other. */
export const Chips = ({ texts, none }: Props) =>
  texts.length === 0 ? (
    <span className="quiet">{none}</span>
  ) : (
    <span className="chips">
      {texts.map((text) => (
        <span key={text} className="chip">
          {text}
        </span>
      ))}
    </span>
  );

interface FilterProps {
  /** The kind of the names, such as `tag`. */
  readonly what: string;
  readonly names: readonly string[];
  readonly onRemove: (name: string) => void;
}

/** The names that a list is filtered by, each with a button that removes it. */
export const FilterChips = ({ what, names, onRemove }: FilterProps) =>
  names.map((name) => (
    <Button
      key={name}
      kind="chip"
      aria-label={`Remove the ${what} ${name} from the filters`}
      onPress={() => onRemove(name)}
    >
      {name} <span aria-hidden="true">×</span>
    </Button>
  ));
