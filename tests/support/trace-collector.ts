import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

/** A span as it is sent. */
export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2 is of a server, 3 of a client. */
  readonly kind: number;
  readonly attributes: readonly Attribute[];
  readonly events?: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[];
  readonly status?: { readonly code?: number };
}

/** By name, as text. */
export const attributesOf = ({ attributes }: { readonly attributes: readonly Attribute[] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(value.stringValue ?? value.intValue)]));

/** Receives spans by OTLP over HTTP as JSON, and keeps them. */
export class TraceCollector {
  private constructor(
    private readonly server: Server,
    private readonly bodies: string[],
    /** The method, URL and tenant of each request. */
    readonly paths: readonly string[],
  ) {}

  static async start(): Promise<TraceCollector> {
    const bodies: string[] = [];
    const paths: string[] = [];
    const server = createServer(async (request, response) => {
      paths.push(`${request.method} ${request.url} ${request.headers['x-tenant']}`);
      bodies.push(await text(request));
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TraceCollector(server, bodies, paths);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** All request bodies, verbatim. */
  get sent(): string {
    return this.bodies.join('\n');
  }

  get resources(): readonly Readonly<Record<string, string>>[] {
    return this.parts.map(({ resource }) => attributesOf(resource));
  }

  get spans(): readonly SentSpan[] {
    return this.parts.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  private get parts() {
    interface Part {
      readonly resource: { readonly attributes: readonly Attribute[] };
      readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
    }
    return this.bodies.flatMap(
      (body) => (JSON.parse(body) as { readonly resourceSpans: readonly Part[] }).resourceSpans,
    );
  }
}
