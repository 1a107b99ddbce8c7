import { describe, expect, it } from '@jest/globals';
import { ConfigError, helpPage, loadConfig, settingRows } from '../../src/infrastructure/config.js';

const faultsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigError).faults;
  }
};

describe('the configuration', () => {
  it('is complete without any variable', () => {
    expect(loadConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8080,
      TRUSTED_PROXIES: [],
      MAX_ARCHIVE_BYTES: 104857600,
      MAX_UNPACKED_BYTES: 536870912,
      MAX_ARCHIVE_ENTRIES: 100000,
      UPLOAD_URL_SECONDS: 90000,
      DOWNLOAD_URL_SECONDS: 300,
      RATE_LIMIT_PER_SECOND: 30,
      LOG_LEVEL: 'info',
    });
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ PORT: '', PUBLIC_URL: '' })).toMatchObject({ PORT: 8080 });
  });

  it('lists every fault in one message', () => {
    const faults = faultsOf({ PORT: 'eighty', MAX_ARCHIVE_BYTES: '0', LOG_LEVEL: 'loud', ADMIN_TOKEN: 'short' });
    expect(faults.map((fault) => fault.split(':')[0])).toEqual([
      'PORT',
      'ADMIN_TOKEN',
      'MAX_ARCHIVE_BYTES',
      'LOG_LEVEL',
    ]);
    expect(new ConfigError(faults).message.split('\n')).toHaveLength(5);
  });

  it('takes a signing secret of any words, and several with commas between', () => {
    const [one, other] = ['a passphrase of many words that is long enough', 'b'.repeat(32)];
    expect(loadConfig({ SIGNING_SECRET: one }).SIGNING_SECRET).toEqual([one]);
    expect(loadConfig({ SIGNING_SECRET: ` ${one} , ${other},` }).SIGNING_SECRET).toEqual([one, other]);
    for (const fault of [',', 'short', `${other},short`]) expect(faultsOf({ SIGNING_SECRET: fault })).toHaveLength(1);
  });

  it.each(['1', '2', '3', '-1', '1.5'])('refuses a rate limit of %s, which would lock clients out', (limit) => {
    expect(faultsOf({ RATE_LIMIT_PER_SECOND: limit })).toHaveLength(1);
  });

  it.each(['0', '4', '30'])('takes a rate limit of %s', (limit) => {
    expect(faultsOf({ RATE_LIMIT_PER_SECOND: limit })).toEqual([]);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com'])('asks for PUBLIC_URL when it listens on %s', (host) => {
    expect(faultsOf({ HOST: host })).toEqual(['PUBLIC_URL: required if HOST is not a loopback address']);
    expect(loadConfig({ HOST: host, PUBLIC_URL: 'https://gatehouse.example/' })).toMatchObject({
      PUBLIC_URL: 'https://gatehouse.example',
    });
  });

  it.each(['localhost', '127.0.0.1', '127.8.8.8', '::1'])('knows %s for a loopback address', (host) => {
    expect(faultsOf({ HOST: host })).toEqual([]);
  });

  it('takes no database but SQLite and Postgres', () => {
    expect(faultsOf({ DATABASE_URL: 'mysql://localhost/x' })).toEqual(['DATABASE_URL: must be a postgres:// URL']);
    expect(faultsOf({ DATABASE_URL: 'postgres://localhost/x' })).toEqual([]);
    const direct = { DATABASE_DIRECT_URL: 'postgres://localhost/x' };
    expect(faultsOf(direct)).toEqual(['DATABASE_URL: required with DATABASE_DIRECT_URL']);
    expect(faultsOf({ ...direct, DATABASE_URL: 'postgres://localhost:6432/x' })).toEqual([]);
  });

  it('is printed by --help with every default', () => {
    for (const [name, value] of settingRows()) {
      expect(helpPage()).toMatch(new RegExp(`^  ${name} +${value.replaceAll(/[.*+?]/g, '\\$&')} +`, 'm'));
    }
  });
});
