import { useEffect, useRef } from 'react';
import { Link } from 'wouter';

interface Props {
  readonly label: string;
  readonly links: readonly {
    readonly href: string;
    readonly label: string;
    /** `true` for a page below it. */
    readonly current: 'page' | 'true' | undefined;
  }[];
}

/** Links in one line, which scrolls on a narrow screen and then shows the current one. */
export function NavLinks({ label, links }: Props) {
  const line = useRef<HTMLElement>(null);
  const current = links.find((link) => link.current !== undefined)?.href;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the element of the current link is another one.
  useEffect(() => {
    const link = line.current?.querySelector<HTMLElement>('[aria-current]');
    if (line.current && link) line.current.scrollLeft = link.offsetLeft - line.current.offsetLeft;
  }, [current]);
  return (
    <nav ref={line} aria-label={label} className="tabs">
      {links.map(({ href, label: text, current: isCurrent }) => (
        <Link key={href} href={href} aria-current={isCurrent}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
