import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between a browser and a service, which can stop in the middle of uploads and break. */
export class Network {
  /** The bytes of each upload that pass; the rest waits. */
  passing = Number.POSITIVE_INFINITY;
  private isBroken = false;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    private readonly port: number,
  ) {
    server.on('connection', (near) => this.join(near));
  }

  static async open(port: number): Promise<Network> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Network(server, port);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends all connections, and new ones until `mend`. */
  break(): void {
    this.isBroken = true;
    for (const socket of this.sockets) socket.destroy();
  }

  mend(): void {
    this.isBroken = false;
    this.passing = Number.POSITIVE_INFINITY;
  }

  async close(): Promise<void> {
    this.break();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    if (this.isBroken) {
      near.destroy();
      return;
    }
    const far = connect(this.port, '127.0.0.1');
    for (const [from, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        this.sockets.delete(from);
        other.destroy();
      });
    }
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
