import { describe, expect, it } from '@jest/globals';
import { variableLimits } from '../../src/domain/index.js';
import {
  changedVariable,
  checkRoom,
  checkValue,
  checkVariable,
} from '../../src/domain/supporting/variables/variable.js';
import { aVariable } from '../support/builders.js';
import { thrownBy } from './samples.js';

const variable = aVariable({ id: 'ws-1' }, { key: 'region' });
const ofEnvironment = { ...variable, category: 'env' } as const;

const invalid = (attribute: string, message: unknown = expect.any(String)) => ({
  code: 'attribute/invalid',
  message,
  details: { attribute },
});

describe('the key of a variable', () => {
  const longest = 'k'.repeat(variableLimits.key);

  it.each(['region', '_r', 'r2-d2', '2regions', 'größe', '変数', longest])('%j names one of Terraform', (key) => {
    expect(checkVariable({ ...variable, key })).toEqual({ ...variable, key });
  });

  it.each(['-r', 'a b', 'a.b', 'a=b', ' a', '€'])('%j does not', (key) => {
    expect(thrownBy(() => checkVariable({ ...variable, key }))).toMatchObject(invalid('key'));
  });

  it.each(['PATH', '_x', 'tf_var_2', '2', longest])('%j names one of the environment', (key) => {
    expect(checkVariable({ ...ofEnvironment, key })).toEqual({ ...ofEnvironment, key });
  });

  it.each(['a=b', 'a.b', 'a b', 'a-b', 'größe', '$x'])('%j does not', (key) => {
    const message = 'Key of an environment variable must consist of letters A to Z, digits and underscores';
    expect(thrownBy(() => checkVariable({ ...ofEnvironment, key }))).toMatchObject(invalid('key', message));
  });

  it('of an earlier release stays, until it or the category changes', () => {
    const old = { ...ofEnvironment, key: 'a.b' };
    expect(changedVariable(old, { description: 'still' })).toMatchObject({ key: 'a.b', description: 'still' });
    expect(thrownBy(() => changedVariable(old, { key: 'b.a' }))).toMatchObject(invalid('key'));
    expect(thrownBy(() => changedVariable(old, { category: 'terraform' }))).toMatchObject(invalid('key'));
  });

  it.each([
    ['', "Key can't be blank"],
    [`${longest}k`, 'Key is too long (the maximum is 255)'],
    ...['a\nb', 'a\rb', 'a\0b', 'a\tb', 'a\u2028b'].map((key) => [
      key,
      'Key must not contain line breaks or control characters',
    ]),
  ])('is never %j', (key = '', message = '') => {
    for (const one of [variable, ofEnvironment]) {
      expect(thrownBy(() => checkVariable({ ...one, key }))).toMatchObject(invalid('key', message));
    }
  });
});

describe('the value of a variable', () => {
  it('is as long as its bytes in UTF-8', () => {
    for (const text of ['', 'eu', 'ä', '€', '𝄞', 'a\nb', 'zß水🍌'])
      expect(checkValue(text)).toBe(Buffer.byteLength(text));
  });

  it('is bounded in bytes, and has no NUL', () => {
    const max = variableLimits.value;
    expect(checkValue('a'.repeat(max))).toBe(max);
    const tooLong = invalid('value', `Value is too long (the maximum is ${max} bytes)`);
    for (const text of ['a'.repeat(max + 1), 'ä'.repeat(max / 2 + 1)]) {
      expect(thrownBy(() => checkValue(text))).toMatchObject(tooLong);
    }
    expect(thrownBy(() => checkValue('a\0'))).toMatchObject(invalid('value'));
  });

  it('of the environment fits into what Linux gives a program, with its key, an equals sign and an end', () => {
    const size = variableLimits.environmentText - ofEnvironment.key.length - 2;
    expect(checkVariable({ ...ofEnvironment, size })).toMatchObject({ size });
    expect(checkVariable({ ...variable, size: variableLimits.value })).toMatchObject({ size: variableLimits.value });
    expect(thrownBy(() => checkVariable({ ...ofEnvironment, size: size + 1 }))).toMatchObject(invalid('value'));
    const key = 'region22';
    expect(checkVariable({ ...ofEnvironment, key, size: size - 2 })).toMatchObject({ key });
    expect(thrownBy(() => checkVariable({ ...ofEnvironment, key, size: size - 1 }))).toMatchObject(invalid('value'));
  });

  it('is an expression of Terraform variables alone', () => {
    expect(checkVariable({ ...variable, hcl: true })).toMatchObject({ hcl: true });
    expect(thrownBy(() => checkVariable({ ...ofEnvironment, hcl: true }))).toMatchObject(
      invalid('hcl', 'Hcl must be false for an environment variable'),
    );
  });
});

describe('a change of a variable', () => {
  const sensitive = { ...variable, sensitive: true };

  it('leaves what it does not name, and is checked as a whole', () => {
    expect(changedVariable(variable, { description: 'where' })).toEqual({
      ...variable,
      description: 'where',
      revision: 1,
    });
    expect(changedVariable(variable, { key: 'PATH', category: 'env', sensitive: true })).toMatchObject({
      key: 'PATH',
      category: 'env',
      sensitive: true,
    });
    expect(thrownBy(() => changedVariable({ ...variable, hcl: true }, { category: 'env' }))).toMatchObject(
      invalid('hcl'),
    );
    expect(thrownBy(() => changedVariable({ ...variable, size: 200_000 }, { category: 'env' }))).toMatchObject(
      invalid('value'),
    );
  });

  it('never makes a sensitive one readable again, nor moves it to where it might be read', () => {
    const change = { sealedValue: 'another', size: 9, description: 'd', hcl: true, sensitive: true, key: 'region' };
    expect(changedVariable(sensitive, { ...change, category: 'terraform' })).toEqual({
      ...sensitive,
      ...change,
      revision: 1,
    });
    const refusals = [
      [
        { sensitive: false },
        'sensitive',
        'Sensitive cannot be changed to false. Delete the variable and create it again',
      ],
      [{ key: 'another' }, 'key', 'Key of a sensitive variable cannot be changed'],
      [{ category: 'env' }, 'category', 'Category of a sensitive variable can be changed only together with its value'],
    ] as const;
    for (const [change, attribute, message] of refusals) {
      expect(thrownBy(() => changedVariable(sensitive, change))).toMatchObject(invalid(attribute, message));
    }
    const anew = { sealedValue: 'another', size: 9 };
    expect(changedVariable(sensitive, { category: 'env', ...anew })).toMatchObject({ category: 'env', ...anew });
    expect(thrownBy(() => changedVariable(sensitive, { key: 'another', ...anew }))).toMatchObject(invalid('key'));
  });
});

describe('the variables of a workspace', () => {
  const { count, bytes } = variableLimits.ofWorkspace;

  it('are bounded in number and in bytes', () => {
    expect(() => checkRoom({ count, bytes })).not.toThrow();
    expect(thrownBy(() => checkRoom({ count: count + 1, bytes }))).toMatchObject({
      code: 'attribute/invalid',
      message: 'A workspace can have at most 1000 variables',
      details: {},
    });
    expect(thrownBy(() => checkRoom({ count, bytes: bytes + 1 }))).toMatchObject(
      invalid('value', `Value is too long (the maximum is ${bytes} bytes for all variables of a workspace)`),
    );
  });
});
