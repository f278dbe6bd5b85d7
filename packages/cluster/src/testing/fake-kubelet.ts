/** Somebody behind a node's door: shows what it is asked, by whom, and echoes what is upgraded. */
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { systemClock } from '../base/clock.ts';
import { makeAuthority } from '../server/auth/certificates.ts';

export interface FakeKubelet {
  /** For the node's annotation. */
  readonly url: string;
  /** `GET /healthz kube-apiserver-kubelet-client`, in order; but for what {@link measured} counts. */
  readonly asked: readonly string[];
  /** By whom it was asked for its measures, in order. */
  readonly measured: readonly string[];
  close(): void;
}

export interface FakeKubeletOptions {
  /** What `/metrics/resource` answers; the default is a 404. */
  measures?(): string;
}

export async function createFakeKubelet({ measures }: FakeKubeletOptions = {}): Promise<FakeKubelet> {
  const asked: string[] = [];
  const measured: string[] = [];
  const nowMs = systemClock.nowMs();
  const tls = await makeAuthority({ commonName: 'kubelet', notBeforeMs: nowMs - 1_000, notAfterMs: nowMs + 3_600_000 });
  const callerOf = (request: IncomingMessage): string =>
    String((request.socket as TLSSocket).getPeerCertificate().subject?.CN);
  const note = (request: IncomingMessage): void => {
    asked.push(`${request.method} ${request.url} ${callerOf(request)}`);
  };
  const server = createServer({ ...tls, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    if (request.url === '/metrics/resource') {
      measured.push(callerOf(request));
      response.writeHead(measures === undefined ? 404 : 200).end(measures?.());
      return;
    }
    note(request);
    if (request.url?.includes('/broken/') === true) {
      response.writeHead(400).end('container "main" in pod "broken" is waiting to start: ContainerCreating');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/x-echo', 'x-credentials': String(request.headers.authorization) });
    request.pipe(response);
    if (request.method === 'GET') response.write('one\ntwo\n');
  });
  server.on('upgrade', (request: IncomingMessage, socket, head: Buffer) => {
    note(request);
    const { upgrade = '', 'sec-websocket-protocol': protocol = '' } = request.headers;
    socket.on('error', () => undefined);
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\nX-Spoken: ${protocol}\r\n\r\n`,
    );
    socket.write(head);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    measured,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A container as `/metrics/resource` shows it. */
export interface ShownContainer {
  readonly pod: string;
  readonly container: string;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
  readonly startedMs: number;
}

/** What a kubelet says that it measured, of the namespace `default`. */
export function resourceText(containers: readonly ShownContainer[], nowMs: number): string {
  const sum = (of: (each: ShownContainer) => number): number => containers.reduce((all, each) => all + of(each), 0);
  const rows = containers.flatMap(({ pod, container, cpuSeconds, memoryBytes, startedMs }) => {
    const labels = `{container="${container}",namespace="default",pod="${pod}"}`;
    return [
      `container_cpu_usage_seconds_total${labels} ${cpuSeconds} ${nowMs}`,
      `container_memory_working_set_bytes${labels} ${memoryBytes} ${nowMs}`,
      `container_start_time_seconds${labels} ${startedMs / 1_000}`,
    ];
  });
  const whole = [
    '# TYPE node_cpu_usage_seconds_total counter',
    `node_cpu_usage_seconds_total ${sum(({ cpuSeconds }) => cpuSeconds)} ${nowMs}`,
    `node_memory_working_set_bytes ${sum(({ memoryBytes }) => memoryBytes)} ${nowMs}`,
  ];
  return `${[...rows, ...whole].join('\n')}\n`;
}
