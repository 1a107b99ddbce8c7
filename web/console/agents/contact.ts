import { useEffect, useState } from 'react';
import type { Schemas } from '../api/client.ts';

/** Agents ask at least every minute, and the time of the last use is accurate to one more. */
const silence = 3 * 60_000;

/** How often a page with agents asks whether they are in contact, in milliseconds. */
export const contactInterval = 60_000;

/** Whether an agent has used the token just now. */
export const isInContact = (
  { attributes: { 'last-used-at': last } }: Schemas['client.AgentToken'],
  now: number,
): boolean => last !== null && now - Date.parse(last) < silence;

/** The time, which moves on although the reads of the tokens of a silent agent are all the same. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), contactInterval);
    return () => clearInterval(timer);
  }, []);
  return now;
}
