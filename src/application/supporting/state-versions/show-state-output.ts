import { type Actor, authorized, DomainError, type StateVersionOutputId } from '../../../domain/index.js';
import { openedWith, type SecretBox } from '../../ports/outside/secret-box.js';
import type { UnitOfWork } from '../../ports/repositories/unit-of-work.js';
import { type ShownOutput, withValue } from './shown-output.js';

/** GET /state-version-outputs/:id: the only endpoint that returns a sensitive value. */
export class ShowStateOutput {
  constructor(
    private readonly unitOfWork: UnitOfWork<'stateOutputs'>,
    private readonly box: SecretBox,
  ) {}

  /** Also throws `resource/not-found` for a value sealed with a lost signing secret. */
  async execute(actor: Actor, id: StateVersionOutputId): Promise<ShownOutput> {
    const seen = await this.unitOfWork.read((tx) => tx.stateOutputs.findFor(actor, id));
    const output = authorized(seen, 'state-version-outputs/read');
    const value = output.sensitive ? openedWith(this.box, output.value) : output.value;
    if (value === undefined)
      throw new DomainError('resource/not-found', 'the value cannot be decrypted with any signing secret');
    return withValue(output, value);
  }
}
