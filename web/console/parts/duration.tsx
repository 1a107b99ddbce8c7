import { useEffect, useState } from 'react';
import { duration } from './relative-time.ts';

interface Props {
  readonly from: string;
  /** Undefined while it goes on: it then counts. */
  readonly to: string | undefined;
}

/** A length of time between two instants, such as `1 m 12 s`. */
export function Duration({ from, to }: Props) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (to !== undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [to]);
  const end = to === undefined ? now : Date.parse(to);
  return <span className="number">{duration(end - Date.parse(from))}</span>;
}
