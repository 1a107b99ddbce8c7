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
