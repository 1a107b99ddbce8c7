import { useState } from 'react';
import { Button } from './button.tsx';
import { copied } from './copy.tsx';

/** A secret that is shown once, with a button that copies it. */
export function Secret({ label, value }: { readonly label: string; readonly value: string }) {
  const [result, setResult] = useState<string>();
  return (
    <div className="secret">
      <p>
        <strong>{label}</strong> It is shown only once. Keep it like a password.
      </p>
      <div className="secret-line">
        <code>{value}</code>
        <Button onPress={() => void copied(value).then(setResult)}>Copy</Button>
      </div>
      <p role="status">{result}</p>
    </div>
  );
}
