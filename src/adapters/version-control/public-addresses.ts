import { BlockList, isIP, isIPv4 } from 'node:net';

/** Addresses that IANA lists as not globally reachable, and those that clouds answer at from inside only. */
const closedIPv4 = subnets('ipv4', [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared between a provider and its customers; the metadata of one cloud is in it
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's own services, though the address looks public
  '169.254.0.0/16', // link-local, and the metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
]);

/** All that was ever given out to be reached globally. Loopback, unique-local, link-local, multicast lie elsewhere. */
const openIPv6 = subnets('ipv6', ['2000::/3']);

const closedIPv6 = subnets('ipv6', [
  '2001::/23', // protocol assignments, among them Teredo, which may carry any IPv4 address
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which may carry any IPv4 address and is out of use
  '3fff::/20', // documentation
]);

/** Addresses that mean the IPv4 address in their last 32 bits: mapped ones, and those that NAT64 translates. */
const carriers = subnets('ipv6', ['::ffff:0:0/96', '64:ff9b::/96']);

/** Whether an address leads to the internet rather than to this machine or a network around it. */
export function isPublicAddress(address: string): boolean {
  // A zone says which link an address is meant on; what is public needs none.
  if (isIP(address) === 0 || address.includes('%')) return false;
  if (isIPv4(address)) return !closedIPv4.check(address, 'ipv4');
  if (carriers.check(address, 'ipv6')) return isPublicAddress(lastQuad(groupsOf(address)));
  return openIPv6.check(address, 'ipv6') && !closedIPv6.check(address, 'ipv6');
}

/** The eight groups of a valid IPv6 address as numbers. */
function groupsOf(address: string): readonly number[] {
  // The URL parser brings a trailing dotted quad, capitals and leading zeros into one form.
  const [head = '', tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::');
  const numbers = (text: string | undefined) =>
    text ? text.split(':').map((group) => Number.parseInt(group, 16)) : [];
  const [front, back] = [numbers(head), numbers(tail)];
  return [...front, ...Array<number>(8 - front.length - back.length).fill(0), ...back];
}

function lastQuad(groups: readonly number[]): string {
  return groups
    .slice(-2)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

function subnets(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}
