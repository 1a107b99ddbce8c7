import { useEffect } from 'react';
import { isLost, serviceResponds } from '../api/connection.ts';
import { queries } from '../api/reading.ts';
import { Button } from '../parts/button.tsx';

/** Milliseconds between questions whether the service is back. */
const pause = 5_000;

const look = async (): Promise<void> => {
  if (await serviceResponds()) await queries.invalidateQueries();
};

/** Says that the service does not respond, asks until it does, and then has the page read again. */
export function ConnectionNotice() {
  const isAway = isLost.useValue();
  useEffect(() => {
    // The browser knows first.
    const ask = (): void => void look();
    addEventListener('online', ask);
    addEventListener('offline', ask);
    const timer = isAway ? setInterval(ask, pause) : undefined;
    return () => {
      removeEventListener('online', ask);
      removeEventListener('offline', ask);
      clearInterval(timer);
    };
  }, [isAway]);
  return (
    <div className="connection">
      <div role="status">
        {isAway && (
          <p className="notice">The service does not respond. This page may be outdated, and changes cannot be sent.</p>
        )}
      </div>
      {isAway && <Button onPress={() => void look()}>Retry now</Button>}
    </div>
  );
}
