import type { Socket } from 'node:net';
import { TcpProxy } from './tcp-proxy.js';

/** A network between a browser and a service, which can stop in the middle of uploads and break. */
export class Network extends TcpProxy {
  /** The bytes of each upload that pass; the rest waits. */
  passing = Number.POSITIVE_INFINITY;

  static async open(port: number): Promise<Network> {
    return new Network(await TcpProxy.listen(), { hostname: '127.0.0.1', port });
  }

  get url(): string {
    return `http://${this.host}`;
  }

  /** Ends all connections, and new ones until `mend`. */
  break(): void {
    this.isRefusing = true;
    this.cut();
  }

  mend(): void {
    this.isRefusing = false;
    this.passing = Number.POSITIVE_INFINITY;
  }

  protected carry(near: Socket, far: Socket): void {
    far.pipe(near);
    let left: number | undefined;
    near.on('data', (bytes) => {
      if (bytes.toString('latin1', 0, 4) === 'PUT ') left = this.passing;
      far.write(left === undefined ? bytes : bytes.subarray(0, left));
      if (left === undefined) return;
      left -= bytes.byteLength;
      if (left <= 0) near.pause();
    });
  }
}
