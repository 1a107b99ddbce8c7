import { useMemo, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { attributeLines, type Line } from './attribute-lines.ts';
import { type Diff, diffOf } from './line-diff.ts';
import type { Change } from './plan-changes.ts';

/** Lines that are drawn at once, and the characters that are shown of one. */
const step = 200;
const longest = 2_000;

const sides = {
  before: ['−', 'removed'],
  after: ['+', 'added'],
  both: [' ', ''],
} as const;

/** The attributes that differ, line by line. */
export function ChangeDetails({ change }: { readonly change: Change }) {
  const { lines, unchanged } = useMemo(() => diffOf(attributeLines(change.planned)), [change]);
  const [shown, setShown] = useState(step);
  return (
    <>
      {lines.length > 0 && (
        <ul className="diff" aria-label={`Attributes of ${change.address}`}>
          {lines.slice(0, shown).map((line, index) => (
            // The lines of a plan never change.
            // biome-ignore lint/suspicious/noArrayIndexKey: see above
            <OneLine key={index} of={line} />
          ))}
        </ul>
      )}
      {shown < lines.length && (
        <p>
          <Button onPress={() => setShown(shown + step)}>Show {Math.min(step, lines.length - shown)} more lines</Button>{' '}
          <span className="quiet">
            {shown} of {lines.length} are shown.
          </span>
        </p>
      )}
      {(lines.length === 0 || unchanged > 0) && (
        <p className="quiet">
          {lines.length === 0 ? 'No attribute differs.' : `Unchanged attributes, not shown: ${unchanged}.`}
        </p>
      )}
    </>
  );
}

function OneLine({ of: diff }: { readonly of: Diff<Line>['lines'][number] }) {
  if (diff.side === 'gap') return <li className="diff-gap">{diff.count} unchanged lines</li>;
  const [sign, word] = sides[diff.side];
  const { text, forcesReplacement } = diff.line;
  return (
    <li className={`diff-${diff.side}`}>
      <span aria-hidden="true" className="sign">
        {sign}
      </span>
      <code>
        {word !== '' && <span className="unseen">{word} </span>}
        {text.slice(0, longest)}
        {text.length > longest && <em>… {text.length - longest} more characters</em>}
        {forcesReplacement && diff.side !== 'before' && <em> # forces replacement</em>}
      </code>
    </li>
  );
}
