/** The length of the suffix by which a secret is found. */
const width = 12;
const filterBits = 20;
const radix = 257;

const places = (hash) => Math.imul(hash, 0x9e3779b1) >>> (32 - filterBits);

/**
 * The secrets that occur anywhere in `text`, found in one pass with a rolling hash however many secrets there are.
 */
function secretsIn(text, secrets) {
  const bytes = Buffer.from(text);
  const byHash = new Map();
  const filter = new Uint8Array(1 << filterBits);
  for (const secret of secrets) {
    const sought = Buffer.from(secret);
    if (sought.length < width) throw new Error(`a secret of ${sought.length} bytes cannot be told from other words`);
    let hash = 0;
    for (const byte of sought.subarray(-width)) hash = (Math.imul(hash, radix) + byte) | 0;
    byHash.set(hash, [...(byHash.get(hash) ?? []), { secret, sought }]);
    filter[places(hash)] = 1;
  }
  let highest = 1;
  for (let power = 0; power < width; power += 1) highest = Math.imul(highest, radix);
  const found = new Set();
  let hash = 0;
  for (let end = 0; end < bytes.length; end += 1) {
    hash = (Math.imul(hash, radix) + bytes[end]) | 0;
    if (end >= width) hash = (hash - Math.imul(highest, bytes[end - width])) | 0;
    if (end < width - 1 || filter[places(hash)] === 0) continue;
    for (const { secret, sought } of byHash.get(hash) ?? []) {
      const start = end + 1 - sought.length;
      if (start >= 0 && bytes.subarray(start, end + 1).equals(sought)) found.add(secret);
    }
  }
  return [...found];
}

module.exports = { secretsIn };
