import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** Carries connections on loopback to another address, as its subclass does. */
export abstract class TcpProxy {
  /** Whether it ends new connections at once. */
  protected isRefusing = false;
  private readonly sockets = new Set<Socket>();

  protected constructor(
    private readonly server: Server,
    private readonly to: { readonly hostname: string; readonly port: number },
  ) {
    server.on('connection', (near) => this.join(near));
  }

  protected static async listen(): Promise<Server> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return server;
  }

  protected abstract carry(near: Socket, far: Socket): void;

  protected get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Ends all connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.isRefusing = true;
    this.cut();
    if (this.server.listening) await new Promise((resolve) => this.server.close(resolve));
  }

  private join(near: Socket): void {
    if (this.isRefusing) {
      near.destroy();
      return;
    }
    const far = connect(this.to.port, this.to.hostname);
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
    this.carry(near, far);
  }
}
