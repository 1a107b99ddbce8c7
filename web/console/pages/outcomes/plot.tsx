import { statusWords } from '../../parts/status-words.ts';
import { type DayOfOutcomes, type Outcome, outcomes, partsOf, type Sums, sumOf, totalOf } from './counts.ts';

/** The fills of the parts. Each has a pattern of its own, since colours alone do not tell them apart for everyone. */
export const Patterns = () => (
  <svg className="unseen" aria-hidden="true" focusable="false">
    <defs>
      <pattern id="plot-passed" width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" className="plot-passed" />
      </pattern>
      <pattern id="plot-failed" width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" className="plot-failed" />
        <path d="M-2 10 L10 -2 M-2 2 L2 -2 M6 10 L10 6" className="plot-mark" />
      </pattern>
      <pattern id="plot-overridden" width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" className="plot-overridden" />
        <path d="M0 2 H8 M0 6 H8" className="plot-mark" />
      </pattern>
      <pattern id="plot-errored" width="8" height="8" patternUnits="userSpaceOnUse">
        <rect width="8" height="8" className="plot-errored" />
        <path d="M2 0 V8 M6 0 V8 M0 2 H8 M0 6 H8" className="plot-mark" />
      </pattern>
    </defs>
  </svg>
);

export const labelOf = (outcome: Outcome): string => statusWords.evaluation[outcome][0];

const fillOf = (outcome: Outcome): string => `url(#plot-${outcome})`;

const dayText = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });

/** A day of the service, which counts in UTC. */
export const dayIn = (day: string): string => dayText.format(new Date(day));

/** The name of each fill, with its total. */
const Legend = ({ sums }: { readonly sums: Sums }) => (
  <ul className="plot-legend" aria-label="Totals">
    {outcomes.map((outcome) => (
      <li key={outcome}>
        <svg className="plot-swatch" viewBox="0 0 16 16" aria-hidden="true" focusable="false">
          <rect width="16" height="16" fill={fillOf(outcome)} />
        </svg>{' '}
        {labelOf(outcome)} <strong className="number">{sums[outcome]}</strong>
      </li>
    ))}
  </ul>
);

/** The width of the drawing, which is stretched to that of the page. */
const width = 900;

/** One bar for each day. The table of the days has the same numbers, so screen readers pass it over. */
export function DayPlot({ days }: { readonly days: readonly DayOfOutcomes[] }) {
  const most = Math.max(0, ...days.map(({ sums }) => totalOf(sums)));
  const step = width / days.length;
  const bar = Math.min(step * 0.8, 40);
  const [first, last] = [days[0], days.at(-1)];
  return (
    <figure className="plot">
      <figcaption>
        <Legend sums={sumOf(days.map(({ sums }) => sums))} />
      </figcaption>
      <div aria-hidden="true">
        <p className="plot-most quiet">{most} on the busiest day</p>
        <svg
          className="plot-days"
          viewBox={`0 0 ${width} 100`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          {days.map(({ day, sums }, index) => (
            <g key={day}>
              <title>{`${dayIn(day)}: ${inWords(sums)}`}</title>
              {partsOf(sums, most).map(({ outcome, start, length }) => (
                <rect
                  key={outcome}
                  x={index * step + (step - bar) / 2}
                  y={100 - start - length}
                  width={bar}
                  height={length}
                  fill={fillOf(outcome)}
                />
              ))}
            </g>
          ))}
        </svg>
        <p className="plot-ends quiet">
          <span>{first && dayIn(first.day)}</span>
          <span>{last && dayIn(last.day)}</span>
        </p>
      </div>
    </figure>
  );
}

const inWords = (sums: Sums): string =>
  outcomes.map((outcome) => `${labelOf(outcome).toLowerCase()} ${sums[outcome]}`).join(', ');

/** The shares of the outcomes of a row. */
export const RowBar = ({ sums }: { readonly sums: Sums }) => (
  <svg className="plot-row" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
    {partsOf(sums, totalOf(sums)).map(({ outcome, start, length }) => (
      <rect key={outcome} x={start} width={length} height="8" fill={fillOf(outcome)} />
    ))}
  </svg>
);
