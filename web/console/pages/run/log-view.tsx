import { useIsFetching } from '@tanstack/react-query';
import { memo, type UIEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { useChange } from '../../parts/change.ts';
import { Field } from '../../parts/field.tsx';
import { ProblemView } from '../../parts/problem-view.tsx';
import { saveFile } from '../../parts/save-file.ts';
import { useHash } from './hash.ts';
import { type LogLine, type Match, matchesIn, partsOf } from './log-lines.ts';
import { rawLog, useLog } from './use-log.ts';

/** Lines that are drawn at once, in chunks that the browser draws when they come into view; matches that are shown. */
const step = 1_000;
const chunkLength = 250;
const maxMatches = 200;

interface Props {
  /** `plan` or `apply`: lines are linked as `#plan-L12`. */
  readonly name: string;
  readonly url: string;
  readonly hasBegun: boolean;
}

const hashOf = (name: string, line: number): string => `#${name}-L${line}`;

/** The line of this log that the address names. */
export function useLinkedLine(name: string): number | undefined {
  const [, of, line] = /^#(\w+)-L(\d{1,9})$/.exec(useHash()) ?? [];
  return of === name ? Number(line) : undefined;
}

/** A log that grows. It stays at its end until the reader scrolls up. */
export function LogView({ name, url, hasBegun }: Props) {
  const { lines, state, problem } = useLog(url, hasBegun);
  const linked = useLinkedLine(name);
  const [isFollowed, setFollowed] = useState(linked === undefined);
  const [isWrapped, setWrapped] = useState(true);
  const [sought, setSought] = useState('');
  const text = useDeferredValue(sought.trim());
  if (!hasBegun) return <p className="quiet">The log begins when an agent claims the run.</p>;
  const isOver = state === 'complete' || state === 'cut';
  const matches = text === '' ? undefined : matchesIn(lines, text);
  return (
    <>
      {problem !== undefined && <ProblemView problem={problem} />}
      <div className="filters">
        <Field label={`Search the log of the ${name}`} type="search" value={sought} onChange={setSought} />
        {!isOver && <Check label="Follow" isChecked={isFollowed} onChange={setFollowed} />}
        <Check label="Wrap lines" isChecked={isWrapped} onChange={setWrapped} />
        <Download name={name} url={url} />
      </div>
      {matches === undefined ? (
        <Lines
          name={name}
          lines={lines}
          linked={linked}
          isWrapped={isWrapped}
          isFollowed={isFollowed && !isOver}
          onFollow={setFollowed}
        />
      ) : (
        <Matches name={name} matches={matches} sought={text} onFollow={() => setSought('')} />
      )}
      <p className="quiet" role="status">
        {matches !== undefined && `${matches.length} of ${lines.length} lines match. `}
        {state === 'complete'
          ? 'The log is complete.'
          : state === 'cut'
            ? 'The log is longer than this page shows. Download it to read the rest.'
            : 'Following the log…'}
      </p>
    </>
  );
}

interface CheckProps {
  readonly label: string;
  readonly isChecked: boolean;
  readonly onChange: (isChecked: boolean) => void;
}

const Check = ({ label, isChecked, onChange }: CheckProps) => (
  <label>
    <input type="checkbox" checked={isChecked} onChange={({ target }) => onChange(target.checked)} /> {label}
  </label>
);

/** The log as it was written, in a file. */
function Download({ name, url }: { readonly name: string; readonly url: string }) {
  const download = useChange(async () => saveFile(await rawLog(url), `${name}.log`), {
    done: 'The log was downloaded.',
    outdates: [],
  });
  return (
    <>
      <Button isPending={download.isPending} onPress={() => void download.run(undefined).catch(() => undefined)}>
        Download raw log
      </Button>
      {download.problem !== undefined && !download.isPending && <ProblemView problem={download.problem} />}
    </>
  );
}

interface LinesProps {
  readonly name: string;
  readonly lines: readonly LogLine[];
  readonly linked: number | undefined;
  readonly isWrapped: boolean;
  readonly isFollowed: boolean;
  /** Called with false when the reader scrolls up, and with true at the end. */
  readonly onFollow: (isFollowed: boolean) => void;
}

function Lines({ name, lines, linked, isWrapped, isFollowed, onFollow }: LinesProps) {
  const box = useRef<HTMLPreElement>(null);
  const [drawn, setDrawn] = useState(step);
  const count = lines.length;
  const last = Math.max(0, count - drawn);
  const first = Math.min(last, linked === undefined ? last : Math.max(0, linked - 1 - chunkLength));
  // Chunks begin at multiples of their length, so that those that are complete stay as they are.
  const start = first - (first % chunkLength);
  useEffect(() => {
    const element = box.current;
    if (isFollowed && count > 0 && element !== null) element.scrollTop = element.scrollHeight;
  }, [isFollowed, count]);
  // Later responses would move the line away: the changes are above the log.
  const isReady = useIsFetching() === 0 && linked !== undefined && linked <= count;
  const reached = useRef<number>(undefined);
  useEffect(() => {
    if (!isReady || reached.current === linked) return;
    reached.current = linked;
    document.getElementById(hashOf(name, linked).slice(1))?.scrollIntoView({ block: 'center' });
  }, [isReady, linked, name]);
  const look = ({ currentTarget: { scrollTop, clientHeight, scrollHeight } }: UIEvent): void =>
    onFollow(scrollTop + clientHeight >= scrollHeight - 40);
  const chunks = Array.from({ length: Math.ceil((count - start) / chunkLength) }, (_, index) => {
    const from = start + index * chunkLength;
    return { from, lines: lines.slice(from, from + chunkLength) };
  });
  return (
    <>
      {start > 0 && (
        <p>
          <Button onPress={() => setDrawn(count - start + step)}>Show {Math.min(start, step)} earlier lines</Button>
        </p>
      )}
      {/* It scrolls, so the keyboard must reach it; reading each line aloud would drown everything else. */}
      <pre
        ref={box}
        className={isWrapped ? 'log' : 'log log-wide'}
        role="log"
        aria-label={`Log of the ${name}`}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
        tabIndex={0}
        onScroll={look}
      >
        {chunks.map((chunk) => (
          <Chunk
            key={chunk.from}
            name={name}
            {...chunk}
            linked={
              linked !== undefined && linked > chunk.from && linked <= chunk.from + chunkLength ? linked : undefined
            }
          />
        ))}
      </pre>
    </>
  );
}

interface ChunkProps {
  readonly name: string;
  /** The number of lines before it. */
  readonly from: number;
  readonly lines: readonly LogLine[];
  readonly linked: number | undefined;
}

const Chunk = memo(
  ({ name, from, lines, linked }: ChunkProps) => (
    <div className="log-chunk">
      {lines.map((line, index) => {
        const number = from + index + 1;
        return (
          <div
            key={number}
            id={hashOf(name, number).slice(1)}
            className="log-line"
            aria-current={linked === number || undefined}
          >
            {/* Thousands of stops would keep the keyboard in the log: the search leads to a line. */}
            <a href={hashOf(name, number)} aria-label={`Line ${number}`} tabIndex={-1}>
              {number}
            </a>
            <span>
              {line.map(({ text, classes }, at) => (
                // A segment keeps its place.
                // biome-ignore lint/suspicious/noArrayIndexKey: see above
                <span key={at} className={classes === '' ? undefined : classes}>
                  {text}
                </span>
              ))}
            </span>
          </div>
        );
      })}
    </div>
  ),
  (before, after) =>
    before.name === after.name &&
    before.linked === after.linked &&
    before.lines.length === after.lines.length &&
    before.lines.at(-1) === after.lines.at(-1),
);

interface MatchesProps {
  readonly name: string;
  readonly matches: readonly Match[];
  readonly sought: string;
  /** Called when the link of a line is followed. */
  readonly onFollow: () => void;
}

/** The lines that match, each a link to its place in the log. */
const Matches = ({ name, matches, sought, onFollow }: MatchesProps) => (
  <>
    <ol className="log log-matches" aria-label={`Matches in the log of the ${name}`}>
      {matches.slice(0, maxMatches).map(({ number, text }) => (
        <li key={number} className="log-line">
          <a href={hashOf(name, number)} aria-label={`Line ${number}`} onClick={onFollow}>
            {number}
          </a>
          <span>
            {partsOf(text, sought).map((part, index) =>
              // biome-ignore lint/suspicious/noArrayIndexKey: every second part is the sought text.
              index % 2 === 1 ? <mark key={index}>{part}</mark> : part,
            )}
          </span>
        </li>
      ))}
    </ol>
    {matches.length > maxMatches && (
      <p className="quiet">Only the first {maxMatches} matches are shown. Search for more of the line.</p>
    )}
  </>
);
