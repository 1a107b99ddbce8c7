/** The codes of Postgres and SQLite for a write where none is accepted. */
const readOnlyCode = /^(25006|SQLITE_READONLY.*)$/;

/** Whether the database was refused for accepting no writes; any other refusal is passed on. */
export const isRefusedAsReadOnly = (ping: Promise<void>): Promise<boolean> =>
  ping.then(
    () => false,
    (error: Error) => {
      const { code = '' } = (error.cause ?? {}) as { readonly code?: string };
      if (readOnlyCode.test(code)) return true;
      throw error;
    },
  );
