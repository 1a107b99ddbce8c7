import { describe, expect, it } from '@jest/globals';
import { satisfies } from '../../src/agent/programs/version-constraints.js';

describe('constraints on a version', () => {
  it.each([
    ['1.11.4', '~> 1.11.0'],
    ['1.11.0', '~> 1.11.0'],
    ['1.99.0', '~> 1.11'],
    ['1.99.0', '~> 1'],
    ['1.5.0', '>= 1.5'],
    ['1.11.4', '>= 1.5, < 2.0'],
    ['1.11.4', '>=1.5,<2'],
    ['1.11.4', '!= 1.11.3'],
    ['1.11.4', '= 1.11.4'],
    ['1.5.0', '= 1.5'],
    ['1.11.4', '> 1.9.9'],
    ['1.12.0-beta2', '~> 1.12.0-beta1'],
    ['1.12.0-rc10', '>= 1.12.0-rc2'],
    ['1.12.0', '>= 1.12.0-rc2'],
    ['1.12.0-rc1', '!= 1.12.0'],
  ])('are satisfied by %s: %s', (version, constraints) => {
    expect(satisfies(version, constraints)).toBe(true);
  });

  it.each([
    ['1.12.0', '~> 1.11.0'],
    ['1.10.9', '~> 1.11.0'],
    ['2.0.0', '~> 1.11'],
    ['2.0.0', '~> 1'],
    ['1.4.9', '>= 1.5'],
    ['2.0.0', '>= 1.5, < 2.0'],
    ['1.4.0', '>= 1.5, < 2.0'],
    ['1.11.3', '!= 1.11.3'],
    ['1.11.3', '= 1.11.4'],
    ['1.9.9', '> 1.9.9'],
    ['1.12.0-beta1', '>= 1.5'],
    ['1.12.0-beta1', '>= 1.11.0-beta1'],
    ['1.12.0-beta1', '~> 1.12.0-beta2'],
    ['1.12.0-rc1', '= 1.12.0'],
  ])('are not satisfied by %s: %s', (version, constraints) => {
    expect(satisfies(version, constraints)).toBe(false);
  });
});
