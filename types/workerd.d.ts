/** What workers among the JavaScript files import that no package has. */

declare module 'cloudflare:workers' {
  /** The worker's variables. */
  export const env: Record<string, unknown>;
}

declare module 'cloudflare:sockets' {
  export function connect(address: { hostname: string; port: number }): {
    readable: ReadableStream<Uint8Array>;
    writable: WritableStream<Uint8Array>;
    close(): Promise<void>;
  };
}
