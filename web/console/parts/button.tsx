import { type ReactNode, useId } from 'react';
import { Button as AriaButton, type ButtonProps } from 'react-aria-components';

interface Props extends Omit<ButtonProps, 'className' | 'style' | 'isPending'> {
  readonly kind?: 'main' | 'plain' | 'danger' | 'menu' | 'quiet' | 'chip';
  /** While its request runs it keeps the focus, and ignores further presses. */
  readonly isPending?: boolean;
}

// The library's own `isPending` announces itself through elements that axe objects to.
export const Button = ({ kind = 'plain', isPending = false, onPress, type, ...props }: Props) => (
  <AriaButton
    {...props}
    {...(isPending ? { 'data-pending': true } : { onPress, type })}
    className={`button button-${kind}`}
  />
);

/** A button for what cannot be done now, with the reason next to it. */
export function DisabledButton({ because, children }: { readonly because: string; readonly children: ReactNode }) {
  const id = useId();
  return (
    <span className="unusable">
      <Button isDisabled aria-describedby={id}>
        {children}
      </Button>
      <span id={id} className="quiet">
        {because}
      </span>
    </span>
  );
}

/** Says that a request runs, next to the button that sent it. */
export const Sending = ({ isPending }: { readonly isPending: boolean }) => (
  <p role="status" className="sending">
    {isPending && 'Waiting for the service…'}
  </p>
);

/** Sends its form. */
export const SubmitButton = ({
  isPending,
  isMain = true,
  children,
}: {
  readonly isPending: boolean;
  readonly isMain?: boolean;
  readonly children: ReactNode;
}) => (
  <Button kind={isMain ? 'main' : 'plain'} type="submit" isPending={isPending}>
    {children}
  </Button>
);
