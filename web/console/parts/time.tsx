const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** An instant in the reader's time zone; the exact one is in its title. */
export const Time = ({ at }: { readonly at: string | null | undefined }) =>
  at === null || at === undefined ? (
    <span className="quiet">never</span>
  ) : (
    <time dateTime={at} title={at}>
      {format.format(new Date(at))}
    </time>
  );
