import { memo, useEffect, useRef } from 'react';
import { ProblemView } from '../../parts/problem-view.tsx';
import type { Segment } from './ansi.ts';
import { useLog } from './use-log.ts';

const Piece = memo(({ segments }: { readonly segments: readonly Segment[] }) =>
  segments.map(({ text, classes }, index) =>
    classes === '' ? (
      text
    ) : (
      // Segments of a piece never change.
      // biome-ignore lint/suspicious/noArrayIndexKey: see above
      <span key={index} className={classes}>
        {text}
      </span>
    ),
  ),
);

interface Props {
  readonly label: string;
  readonly url: string;
  readonly hasBegun: boolean;
}

/** A log that grows. It stays at its end for as long as the reader does. */
export function LogView({ label, url, hasBegun }: Props) {
  const { pieces, state, problem } = useLog(url, hasBegun);
  const box = useRef<HTMLPreElement>(null);
  const atEnd = useRef(true);
  const length = pieces.length;
  useEffect(() => {
    const element = box.current;
    if (length > 0 && element !== null && atEnd.current) element.scrollTop = element.scrollHeight;
  }, [length]);
  const look = (): void => {
    const element = box.current;
    if (element !== null) atEnd.current = element.scrollTop + element.clientHeight >= element.scrollHeight - 40;
  };
  if (!hasBegun) return <p className="quiet">The log begins when an agent claims the run.</p>;
  return (
    <>
      {problem !== undefined && <ProblemView problem={problem} />}
      {/* It scrolls, so the keyboard must reach it; reading each line aloud would drown everything else. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: see above */}
      <pre ref={box} className="log" role="log" aria-label={label} aria-live="off" tabIndex={0} onScroll={look}>
        {pieces.map((segments, index) => (
          // Pieces are only ever appended.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Piece key={index} segments={segments} />
        ))}
      </pre>
      <p className="quiet" role="status">
        {state === 'complete'
          ? 'The log is complete.'
          : state === 'cut'
            ? 'The log is longer than this page shows.'
            : 'Following the log…'}
      </p>
    </>
  );
}
