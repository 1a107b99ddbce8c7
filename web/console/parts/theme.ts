import { shared } from '../api/shared.ts';

/** `system` follows the browser. */
export type Theme = 'system' | 'light' | 'dark';

const kept = 'gatehouse-theme';

const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark' || value === 'system';

function storedTheme(): Theme {
  const stored = localStorage.getItem(kept);
  return isTheme(stored) ? stored : 'system';
}

/** The colours of the pages in this browser. */
export const theme = shared<Theme>('system');

/** Before the first page is shown, so that none appears in other colours first. */
export function beginTheme(): void {
  const apply = () => {
    document.documentElement.dataset.theme = theme.get();
  };
  theme.set(storedTheme());
  apply();
  theme.subscribe(() => {
    localStorage.setItem(kept, theme.get());
    apply();
  });
}
