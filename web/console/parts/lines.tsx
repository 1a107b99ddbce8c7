import { announce } from './announce.tsx';
import { Button } from './button.tsx';
import { copied } from './copy.tsx';

interface Props {
  /** Names the lines, and the button that copies them. */
  readonly label: string;
  readonly text: string;
}

/** Lines for a file or a terminal, with a button that copies them. */
export const Lines = ({ label, text }: Props) => (
  <figure className="copied-lines" aria-label={label}>
    <pre className="lines">{text}</pre>
    <Button kind="quiet" aria-label={`Copy ${label}`} onPress={() => void copied(text).then((done) => announce(done))}>
      Copy
    </Button>
  </figure>
);
