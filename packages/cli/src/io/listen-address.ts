/** Where a command serves. */
export interface ListenAddress {
  /** Empty: on all addresses of the machine. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** `:8080`, `127.0.0.1:8080`, `[::1]:8080`; undefined: it is none. */
export function listenAddressFrom(text: string): ListenAddress | undefined {
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) };
}

export function formatListenAddress({ host, port }: ListenAddress): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
