import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isWebAddress } from '../../web/console/parts/web-address.js';

const root = 'web/console';

/** Each place of the console with a link whose address is neither written out nor a page of the console. */
const computed: Readonly<Record<string, string>> = {
  'parts/outside-link.tsx': 'any address; it checks the scheme',
  'parts/save-file.ts': 'content that the page holds',
  'pages/configuration-versions/actions.tsx': 'a capability URL that the service signed',
  'pages/run/log-view.tsx': 'a line on the same page',
  'run/stage-links.tsx': 'a part of the same page',
  'pages/states/state.tsx': 'capability URLs that the service signed',
  'shell/sign-in.tsx': 'a page of the service',
};

describe('a link of the console', () => {
  it.each(['https://example.com', 'HTTP://example.com/a?b#c'])('leads to %s', (address) => {
    expect(isWebAddress(address)).toBe(true);
  });

  it.each([
    'javascript:alert(1)',
    'JavaScript:alert(1)//https://example.com',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    '//example.com',
    '/app',
    'https:example.com',
    'https:///',
    '',
  ])('never leads to %j, which stays text', (address) => {
    expect(isWebAddress(address)).toBe(false);
  });

  it('with an address from data goes through OutsideLink', () => {
    const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name));
    const withComputed = files.filter((name) => {
      const text = readFileSync(join(root, name), 'utf8');
      return /<(?:a|area|form|iframe|object|embed)\b[^>]*?\s(?:href|action|src|data)=\{|\.(?:href|src|action) = |window\.open|location\.(?:assign|replace)/.test(
        text,
      );
    });
    expect(withComputed.sort()).toEqual(Object.keys(computed).sort());
  });
});
