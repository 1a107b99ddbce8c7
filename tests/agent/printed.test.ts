import { describe, expect, it } from '@jest/globals';
import { firstErrorIn, Tail } from '../../src/agent/programs/terraform.js';

const told = (text: string): string | undefined => {
  const tail = new Tail();
  tail.add(Buffer.from(text));
  return firstErrorIn(tail);
};

describe('what terraform printed', () => {
  it('yields its first error, on one line', () => {
    expect(told('Planning...\n\nError: Unsupported argument\n\n  on main.tf\n\nError: Another\n')).toBe(
      'Error: Unsupported argument',
    );
    expect(told('╷\n│ Error: Framed\n│\n╵\n')).toBe('Error: Framed');
    expect(told('Success!')).toBeUndefined();
  });

  it('yields the error that an earlier one only announces', () => {
    const announced = 'Error: Terraform encountered problems during initialisation, including problems\nwith it.\n';
    expect(told(`${announced}\nError: Invalid block definition\n`)).toBe('Error: Invalid block definition');
    expect(told(announced)).toBe('Error: Terraform encountered problems during initialisation, including problems');
  });
});
