import type { Transaction, UnitOfWork } from '../../src/application/index.js';

/** A unit of work in which another transaction has committed this change by the time that a workspace's row is locked. */
export const turnComesAfter = (unitOfWork: UnitOfWork, changed: (tx: Transaction) => Promise<unknown>): UnitOfWork => ({
  read: (work) => unitOfWork.read(work),
  run: (work) =>
    unitOfWork.run((tx) => {
      const workspaces = Object.assign(Object.create(tx.workspaces), {
        lockRow: async (id: string) => {
          await changed(tx);
          await tx.workspaces.lockRow(id);
        },
      });
      return work({ ...tx, workspaces });
    }),
});
