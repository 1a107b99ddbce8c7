import { shared } from './shared.ts';

/** Whether the service has stopped responding. */
export const isLost = shared(false);

/** Asks whether the service responds, whatever it says. */
export async function serviceResponds(): Promise<boolean> {
  const came = await fetch('/healthz', { cache: 'no-store' }).then(
    () => true,
    () => false,
  );
  isLost.set(!came);
  return came;
}

/** Resolves once the service responds. */
export async function whenServiceResponds(): Promise<void> {
  if (await serviceResponds()) return;
  await new Promise<void>((resolve) => {
    const unsubscribe = isLost.subscribe(() => {
      unsubscribe();
      resolve();
    });
  });
}
