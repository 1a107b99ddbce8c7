import { useCallback, useEffect, useRef } from 'react';

/** How long typing must pause before the service is asked, in milliseconds. */
const pause = 200;

interface Later {
  /** Acts after the pause, unless it is called again or canceled before. */
  readonly later: (act: () => void) => void;
  readonly cancel: () => void;
}

/** For fields whose text is sent while a person types. */
export function useLater(): Later {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const cancel = useCallback(() => clearTimeout(timer.current), []);
  const later = useCallback((act: () => void) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(act, pause);
  }, []);
  useEffect(() => cancel, [cancel]);
  return { later, cancel };
}
