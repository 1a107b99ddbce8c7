import { useState } from 'react';
import { Button } from './button.tsx';
import { copied } from './copy.tsx';
import { Lines } from './lines.tsx';
import { type TokenUse, tokenLines } from './token-lines.ts';

interface Props {
  readonly label: string;
  readonly value: string;
  /** The kind of programs that use it, if it is a token. */
  readonly use?: TokenUse;
}

/** A secret that is shown once, with a button that copies it, and the lines that use it. */
export function Secret({ label, value, use }: Props) {
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
      {use !== undefined &&
        tokenLines(use, location, value).map(({ program, text }) => (
          <div key={program}>
            <p className="secret-use">With {program}:</p>
            <Lines label={`the lines for ${program}`} text={text} />
          </div>
        ))}
    </div>
  );
}
