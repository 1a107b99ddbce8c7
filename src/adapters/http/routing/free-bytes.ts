/**
 * Frees the memory of bytes that own all of it, and must not be used again. Garbage collection comes late to it, and
 * searches the whole heap for every 10 MB or so that pass: without this, 8 downloads of 200 MB at once take twice the
 * processor time and 60 MB more.
 */
export const freeBytes = ({ byteLength, buffer }: Uint8Array): void => {
  if (byteLength === buffer.byteLength && buffer instanceof ArrayBuffer) buffer.transfer(0);
};
