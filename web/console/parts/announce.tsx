import { shared } from '../api/shared.ts';
import { Button } from './button.tsx';

/** How long a message stays. */
const milliseconds = 8_000;

const message = shared('');
let timer: ReturnType<typeof setTimeout> | undefined;

/** Shows a message in a corner and reads it to screen readers. */
export const announce = (text: string): void => {
  clearTimeout(timer);
  timer = setTimeout(() => message.set(''), milliseconds);
  message.set(text);
};

export function Announcements() {
  const text = message.useValue();
  return (
    <div className="toast-place">
      <div role="status">{text !== '' && <p className="toast">{text}</p>}</div>
      {text !== '' && (
        <Button onPress={() => message.set('')} aria-label="Dismiss the message">
          ×
        </Button>
      )}
    </div>
  );
}
