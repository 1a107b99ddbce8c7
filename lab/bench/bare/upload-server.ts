import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, fsync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import Database from 'better-sqlite3';
import { ArchiveTree } from '../../../src/adapters/files/archive-tree.js';
import { TarHeaders } from '../../../src/adapters/files/tar-headers.js';

/**
 * Takes uploads and serves downloads with nothing around it: no framework, no promise, the streams' own events. The
 * reader of tar headers is the service's: it is the strictest, and costs next to nothing. A file gets its final name at
 * once, since no client requests it before its row is committed; the directory is flushed while bytes arrive, so that two
 * flushes are left to wait for: the file's, and the commit's.
 */

/** The directory for files and database, and the number of versions that wait for an upload. */
const { DIRECTORY: directory = '.', VERSIONS: made } = process.env;
const max = { bytes: 2 ** 32, unpacked: 2 ** 34, entries: 1_000_000 };
const buffers = { chunkSize: 256 * 1024, highWaterMark: 256 * 1024 };

const kept = join(directory, 'kept');
mkdirSync(kept, { recursive: true });
const keptDirectory = openSync(kept, 'r');
fsyncSync(keptDirectory);

const database = new Database(join(directory, 'bare.db'));
for (const setting of ['journal_mode = WAL', 'synchronous = FULL']) database.pragma(setting);
database.exec('create table versions (id integer primary key, status text not null, bytes integer, sha256 text)');
const find = database.prepare<[string], { status: string; bytes: number }>(
  'select status, bytes from versions where id = ?',
);
const take = database.prepare<[number, string, string]>(
  "update versions set status = 'uploaded', bytes = ?, sha256 = ? where id = ? and status = 'pending'",
);
const add = database.prepare("insert into versions (status) values ('pending')");
database.transaction(() => {
  for (let at = 0; at < Number(made); at += 1) add.run();
})();

function receive(request: IncomingMessage, response: ServerResponse, id: string): void {
  let [packed, unpacked, entries, waiting] = [0, 0, 0, 0];
  const file = createWriteStream(join(kept, id), { flags: 'wx', flush: true, highWaterMark: buffers.highWaterMark });
  const gunzip = createGunzip(buffers);
  const hash = createHash('sha256');
  const tree = new ArchiveTree();
  const headers = new TarHeaders((entry) => {
    entries += 1;
    if (entries > max.entries) throw new Error('too many entries');
    tree.add(entry);
  });
  let failed = false;
  const fail = () => {
    if (failed) return;
    failed = true;
    file.destroy();
    gunzip.destroy();
    response.writeHead(422).end();
  };
  const orFail = (work: () => void) => {
    try {
      work();
    } catch {
      fail();
    }
  };

  if (Number(request.headers['content-length']) > max.bytes || find.get(id)?.status !== 'pending') {
    fail();
    return;
  }

  const commit = () => {
    take.run(packed, hash.digest('hex'), id);
    response.writeHead(200, { 'Content-Length': 0 }).end();
  };
  let ends = 3;
  const oneEnded = () => {
    ends -= 1;
    if (ends === 0 && !failed) orFail(commit);
  };
  const resume = () => {
    waiting -= 1;
    if (waiting === 0) request.resume();
  };
  file.on('open', () => fsync(keptDirectory, (error) => (error ? fail() : oneEnded())));
  file.on('drain', resume).on('error', fail).on('close', oneEnded);
  gunzip.on('drain', resume).on('error', fail);
  gunzip.on('data', (chunk: Buffer) =>
    orFail(() => {
      unpacked += chunk.length;
      if (unpacked > max.unpacked) throw new Error('unpacks to too much');
      headers.push(chunk);
    }),
  );
  gunzip.on('end', () =>
    orFail(() => {
      if (gunzip.bytesWritten < packed) throw new Error('has data after the end of its gzip stream');
      headers.end();
      oneEnded();
    }),
  );
  request.on('data', (chunk: Buffer) =>
    orFail(() => {
      packed += chunk.length;
      if (packed > max.bytes) throw new Error('too large');
      hash.update(chunk);
      for (const stream of [file, gunzip]) if (!stream.write(chunk)) waiting += 1;
      if (waiting > 0) request.pause();
    }),
  );
  request.on('end', () => {
    gunzip.end();
    file.end();
  });
}

function give(response: ServerResponse, id: string): void {
  const found = find.get(id);
  if (found === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': 'application/octet-stream', 'Content-Length': found.bytes });
  createReadStream(join(kept, id)).pipe(response);
}

createServer((request, response) => {
  const id = request.url?.split('/').at(-1) ?? '';
  if (request.method === 'PUT') receive(request, response, id);
  else give(response, id);
}).listen(0, '127.0.0.1', function (this: { address(): unknown }) {
  process.stderr.write(`serves at http://127.0.0.1:${(this.address() as AddressInfo).port}\n`);
});
