import { describe, expect, it } from '@jest/globals';
import { isPublicAddress } from '../../src/adapters/version-control/public-addresses.js';
import { fc, runs } from '../support/properties.js';

/** Each range by its first and its last address; the addresses next to it are public unless said otherwise. */
const closedRanges: readonly [
  what: string,
  first: string,
  last: string,
  before: string | undefined,
  after: string | undefined,
][] = [
  ['this network', '0.0.0.0', '0.255.255.255', undefined, '1.0.0.0'],
  ['private, the large one', '10.0.0.0', '10.255.255.255', '9.255.255.255', '11.0.0.0'],
  ['shared with a provider', '100.64.0.0', '100.127.255.255', '100.63.255.255', '100.128.0.0'],
  ['loopback', '127.0.0.0', '127.255.255.255', '126.255.255.255', '128.0.0.0'],
  ['the services of Azure', '168.63.129.16', '168.63.129.16', '168.63.129.15', '168.63.129.17'],
  ['link-local', '169.254.0.0', '169.254.255.255', '169.253.255.255', '169.255.0.0'],
  ['private, the middle one', '172.16.0.0', '172.31.255.255', '172.15.255.255', '172.32.0.0'],
  ['protocol assignments', '192.0.0.0', '192.0.0.255', '191.255.255.255', '192.0.1.0'],
  ['documentation, the first', '192.0.2.0', '192.0.2.255', '192.0.1.255', '192.0.3.0'],
  ['relays of 6to4', '192.88.99.0', '192.88.99.255', '192.88.98.255', '192.88.100.0'],
  ['private, the small one', '192.168.0.0', '192.168.255.255', '192.167.255.255', '192.169.0.0'],
  ['benchmarks', '198.18.0.0', '198.19.255.255', '198.17.255.255', '198.20.0.0'],
  ['documentation, the second', '198.51.100.0', '198.51.100.255', '198.51.99.255', '198.51.101.0'],
  ['documentation, the third', '203.0.113.0', '203.0.113.255', '203.0.112.255', '203.0.114.0'],
  ['multicast', '224.0.0.0', '239.255.255.255', '223.255.255.255', undefined],
  ['reserved, and broadcast', '240.0.0.0', '255.255.255.255', undefined, undefined],
  ['all of IPv6 below what is given out', '::', '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', undefined, '2000::'],
  ['protocol assignments, Teredo', '2001::', '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff', '2000:ffff::', '2001:200::'],
  ['documentation', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', '2001:db7:ffff::', '2001:db9::'],
  ['6to4', '2002::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '2001:ffff::', '2003::'],
  ['documentation, the new one', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff', '3ffe:ffff::', '3fff:1000::'],
  ['all above what is given out', '4000::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', '3fff:ffff::', undefined],
];

describe('an address', () => {
  it.each(closedRanges)('is not public: %s', (_what, first, last, before, after) => {
    expect([first, last].filter(isPublicAddress)).toEqual([]);
    for (const neighbour of [before, after]) expect(neighbour === undefined || isPublicAddress(neighbour)).toBe(true);
  });

  it.each([
    ['loopback', '::1'],
    ['unspecified', '::'],
    ['unique-local', 'fc00::1'],
    ['unique-local, the metadata of a cloud', 'fd00:ec2::254'],
    ['link-local', 'fe80::1'],
    ['link-local with its link', 'fe80::1%eth0'],
    ['public but for a link', '2606:4700::1111%eth0'],
    ['site-local', 'fec0::1'],
    ['multicast', 'ff02::1'],
    ['discarding', '100::1'],
    ['segment routing', '5f00::1'],
    ['mapped loopback', '::ffff:127.0.0.1'],
    ['mapped loopback in hexadecimal', '::ffff:7f00:1'],
    ['mapped loopback in full', '0:0:0:0:0:FFFF:7F00:0001'],
    ['mapped metadata', '::ffff:169.254.169.254'],
    ['translated as SIIT does', '::ffff:0:8.8.8.8'],
    ['compatible, the old form', '::8.8.8.8'],
    ['private through NAT64', '64:ff9b::10.0.0.1'],
    ['metadata through NAT64', '64:ff9b::a9fe:a9fe'],
    ['a NAT64 of its own', '64:ff9b:1::8.8.8.8'],
    ['private through 6to4', '2002:7f00:1::'],
    ['public through 6to4', '2002:808:808::1'],
    ['Teredo', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
    ['a name', 'localhost'],
    ['nothing', ''],
    ['short for loopback', '127.1'],
    ['a number', '2130706433'],
    ['hexadecimal', '0x7f.0.0.1'],
    ['octal', '0177.0.0.1'],
    ['bracketed', '[2606:4700::1111]'],
    ['blank before it', ' 8.8.8.8'],
  ])('is not public: %s (%s)', (_what, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '140.82.121.4',
    '93.184.216.34',
    '2606:4700:4700::1111',
    '2a00:1450:4001:81b::200e',
    '2620:1ec:c11::200',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('is public: %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  const quad = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16);

  it('that carries an IPv4 address is judged as that is, in either spelling', () => {
    fc.assert(
      fc.property(
        quad,
        fc.constantFrom('::ffff:', '64:ff9b::', '0:0:0:0:0:ffff:', '64:FF9B:0:0:0:0:'),
        (bytes, prefix) => {
          const [a, b, c, d] = bytes;
          const expected = isPublicAddress(bytes.join('.'));
          expect(isPublicAddress(`${prefix}${bytes.join('.')}`)).toBe(expected);
          expect(isPublicAddress(`${prefix}${hex(a, b)}:${hex(c, d)}`)).toBe(expected);
        },
      ),
    );
  });

  it('of a closed IPv4 range is never public', () => {
    const number = (address: string) => address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
    const closed = closedRanges
      .filter(([, first]) => first.includes('.'))
      .map(([, first, last]) => [number(first), number(last)] as const);
    fc.assert(
      fc.property(quad, (bytes) => {
        const value = number(bytes.join('.'));
        const inside = closed.some(([first, last]) => value >= first && value <= last);
        expect(isPublicAddress(bytes.join('.'))).toBe(!inside);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('of IPv6 is public between 2000:: and 3fff:: only', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const first = Number.parseInt(/^[0-9a-f]*/i.exec(address)?.[0] || '0', 16);
        const carrier = /^(?:0*:)*:?(?:0*:)*ffff:/i.test(address) || /^0*64:ff9b:/i.test(address);
        if (!carrier && (first < 0x2000 || first > 0x3fff)) expect(isPublicAddress(address)).toBe(false);
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is judged without throwing, whatever it is', () => {
    fc.assert(fc.property(fc.string(), (text) => typeof isPublicAddress(text) === 'boolean'));
  });
});
