import { useSyncExternalStore } from 'react';
import { Button } from './button.tsx';

/** How long a message stays. */
const milliseconds = 8_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const show = (text: string): void => {
  message = text;
  for (const listener of listeners) listener();
};

/** Shows a message in a corner and reads it to screen readers. */
export const announce = (text: string): void => {
  clearTimeout(timer);
  timer = setTimeout(() => show(''), milliseconds);
  show(text);
};

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function Announcements() {
  const text = useSyncExternalStore(subscribe, () => message);
  return (
    <div className="toast-place">
      <div role="status">{text !== '' && <p className="toast">{text}</p>}</div>
      {text !== '' && (
        <Button onPress={() => show('')} aria-label="Dismiss the message">
          ×
        </Button>
      )}
    </div>
  );
}
