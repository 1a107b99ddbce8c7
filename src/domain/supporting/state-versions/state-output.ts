import type { StateVersionId, StateVersionOutputId } from '../../shared/id.js';
import { isOutputType } from './output-type.js';

/** An output value of a state, as an agent reports it or as the state has it. Both texts are JSON without whitespace. */
export interface ReportedOutput {
  readonly name: string;
  /** A type of the configuration language: `"string"`, `["list","number"]`, `["object",{"a":"bool"}]`. */
  readonly type: string;
  readonly value: string;
  readonly sensitive: boolean;
}

/** A stored output. */
export interface StateOutput {
  readonly id: StateVersionOutputId;
  readonly stateVersionId: StateVersionId;
  /** Unique within its state version, whose outputs are ordered by it. */
  readonly name: string;
  /** As JSON. Never parsed here: a type may be as long as a value. */
  readonly type: string;
  /** The value as JSON; for a sensitive output, sealed. */
  readonly value: string;
  readonly sensitive: boolean;
}

/** The limits of the stored outputs of one state. Lengths are in characters. */
export const maxOutputs = {
  count: 1000,
  /** The JSON of one value and its type together. */
  length: 1024 * 1024,
  /** The JSON of all values and types together, with the names and `overhead` for each. */
  lengthInAll: 16 * 1024 * 1024,
  overhead: 256,
  nameLength: 255,
  /** Levels of nesting in a value or a type. */
  levels: 512,
} as const;

/** Why outputs are not stored, in the words of a warning. */
const leftOutBecause = {
  count: `beyond the first ${maxOutputs.count}`,
  name: `with a duplicate name, or one that is empty, longer than ${maxOutputs.nameLength} characters or not valid text`,
  form: 'with an unknown type, or without the form of an output',
  size: `with a value longer than ${maxOutputs.length} characters, nested deeper than ${maxOutputs.levels} levels, or beyond ${maxOutputs.lengthInAll} characters in all`,
} as const;

export type LeftOutReason = keyof typeof leftOutBecause;
const reasons = ['count', 'name', 'form', 'size'] as const satisfies readonly LeftOutReason[];

/**
 * Chooses the outputs to store, in the given order, as they come: a state must not be lost because of its outputs, and
 * memory is bounded however many there are.
 */
export class OutputSelection {
  private chosen: ReportedOutput[] = [];
  private chosenLength = 0;
  private readonly names = new Set<string>();
  private readonly counts: Record<LeftOutReason, number> = { count: 0, name: 0, form: 0, size: 0 };
  private left: number = maxOutputs.lengthInAll;

  get isFull(): boolean {
    return this.names.size >= maxOutputs.count;
  }

  /** The number of characters that the next value and its type may have together. */
  get room(): number {
    return Math.max(0, Math.min(maxOutputs.length, this.left - maxOutputs.overhead));
  }

  get leftOut(): number {
    return reasons.reduce((sum, reason) => sum + this.counts[reason], 0);
  }

  /** A sentence for each reason for which outputs are left out. */
  get warnings(): readonly string[] {
    return reasons
      .filter((reason) => this.counts[reason] > 0)
      .map((reason) => `${outputsLeftOut(this.counts[reason])}: ${leftOutBecause[reason]}`);
  }

  /** The length of the outputs that `take` returns. */
  get length(): number {
    return this.chosenLength;
  }

  /** The outputs chosen since the last call. */
  take(): readonly ReportedOutput[] {
    const taken = this.chosen;
    this.chosen = [];
    this.chosenLength = 0;
    return taken;
  }

  add(output: ReportedOutput): void {
    const reason = this.reasonAgainst(output);
    if (reason !== undefined) {
      this.leaveOut(reason);
      return;
    }
    const length = lengthOf(output) + output.name.length + maxOutputs.overhead;
    this.left -= length;
    this.chosenLength += length;
    this.names.add(output.name);
    this.chosen.push(output);
  }

  leaveOut(reason: LeftOutReason): void {
    this.counts[reason] += 1;
  }

  /** Why no output of this name can be added. */
  reasonAgainstName(name: string): LeftOutReason | undefined {
    if (this.isFull) return 'count';
    return isOutputName(name) && !this.names.has(name) ? undefined : 'name';
  }

  private reasonAgainst(output: ReportedOutput): LeftOutReason | undefined {
    const reason = this.reasonAgainstName(output.name);
    if (reason !== undefined) return reason;
    if (lengthOf(output) + output.name.length > this.room) return 'size';
    return isOutputType(output.type) ? undefined : 'form';
  }
}

const lengthOf = ({ type, value }: ReportedOutput): number => type.length + value.length;

const outputsLeftOut = (count: number): string =>
  count === 1 ? '1 output is left out' : `${count} outputs are left out`;

// Databases disagree about NUL, and treat all unpaired surrogates as the same.
const isOutputName = (name: string): boolean =>
  name.length > 0 && name.length <= maxOutputs.nameLength && !name.includes('\0') && name.isWellFormed();
