import { useState } from 'react';
import { Button } from './button.tsx';

/** A secret that is shown once, with a button that copies it. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const [copied, setCopied] = useState<string>();
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied('Copied.');
    } catch {
      // Without HTTPS, browsers give no access to the clipboard.
      setCopied('The browser does not allow copying here. Select the text instead.');
    }
  };
  return (
    <div className="secret">
      <p>
        <strong>{label}</strong> It is shown only once. Keep it like a password.
      </p>
      <div className="secret-line">
        <code>{value}</code>
        <Button onPress={() => void copy()}>Copy</Button>
      </div>
      <p role="status">{copied}</p>
    </div>
  );
}
