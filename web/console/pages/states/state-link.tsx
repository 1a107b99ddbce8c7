import { Link } from 'wouter';
import { Time } from '../../parts/time.tsx';
import { type StateVersion, titleOf } from './state-version.ts';

export const StateLink = ({ href, version }: { readonly href: string; readonly version: StateVersion }) => (
  <>
    <Link href={href}>{titleOf(version)}</Link> (<Time at={version.attributes['created-at']} />)
  </>
);
