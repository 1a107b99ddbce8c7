import { DomainError, type Phase } from '../../../domain/index.js';
import type { SecretGenerator } from '../../ports/outside/secret-generator.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type LeaseHolder, lockedLeasedRun } from './lease-holder.js';

/** The maximum bytes stored of a phase's log. */
export const maxLogBytes = 64 * 1024 * 1024;

/** PUT /agent/v1/runs/:id/log. */
export class AppendRunLog {
  constructor(
    private readonly unitOfWork: UnitOfWork<'workspaces' | 'runs' | 'runLogs'>,
    private readonly secrets: SecretGenerator,
  ) {}

  /**
   * Returns the new size. Stored bytes may be sent again after a lost response; a gap, or a log beyond the limit,
   * throws `agent-report/invalid`. Throws `lease/lost`.
   */
  execute(holder: LeaseHolder, offset: number, bytes: Uint8Array): Promise<number> {
    return this.unitOfWork.run(async (tx) => {
      const { state } = await lockedLeasedRun(tx, this.secrets, holder);
      const { id } = state;
      const phase: Phase = state.status === 'applying' ? 'apply' : 'plan';
      const size = await tx.runLogs.size(id, phase);
      if (offset > size) throw invalid(`Offset must be ${size}, the current size of the log`);
      if (offset + bytes.byteLength > maxLogBytes)
        throw invalid(`Log is too long (the maximum is ${maxLogBytes} bytes)`);
      const rest = bytes.subarray(Math.min(size - offset, bytes.byteLength));
      await tx.runLogs.append(state, phase, size, rest);
      return size + rest.byteLength;
    });
  }
}

const invalid = (sentence: string): DomainError =>
  new DomainError('agent-report/invalid', sentence, { parameter: 'offset' });
