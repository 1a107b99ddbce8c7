import { announce } from './announce.tsx';
import { Button } from './button.tsx';

/** Puts a text on the clipboard. Returns a sentence that says whether it is there. */
export async function copied(text: string): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return 'Copied.';
  } catch {
    // Without HTTPS, browsers give no access to the clipboard.
    return 'The browser does not allow copying here. Select the text instead.';
  }
}

/** An id, with a button that copies it. */
export const Id = ({ id }: { readonly id: string }) => (
  <span className="copied">
    <code>{id}</code>
    <Button kind="quiet" aria-label={`Copy ${id}`} onPress={() => void copied(id).then((done) => announce(done))}>
      Copy
    </Button>
  </span>
);
