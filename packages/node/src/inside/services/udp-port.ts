/**
 * One address and UDP port of a service. Who sends gets a backend, and a socket of its own by which the answers come back, until
 * both sides have been silent for a while.
 */
import { createSocket, type Socket } from 'node:dgram';
import type { Clock } from '@signalbox/cluster';
import type { Backend } from '../../protocol/network.ts';
import { backendKey, createChooser } from './chooser.ts';
import type { OpenPort, PortTools } from './tcp-port.ts';

export interface UdpTools extends Pick<PortTools, 'chance' | 'report'> {
  readonly clock: Pick<Clock, 'nowMs' | 'after'>;
}

/** As long as the kernel remembers a stream of packets. */
export const udpIdleMs = 120_000;
/** The session that began first goes when there are more. */
const sessionsMax = 2_000;
/** Packets that wait for a socket; more are lost, as packets may be. */
const waitingMax = 64;

interface Session {
  readonly backend: string;
  send(packet: Buffer): void;
  lastMs(): number;
  close(): void;
}

type Numbered = Extract<Backend, { readonly address: string }>;

export function openUdpPort(tools: UdpTools): OpenPort {
  const { clock, report } = tools;
  const chooser = createChooser(tools);
  const sessions = new Map<string, Session>();
  let socket: Socket | undefined;
  let cancelSweep: (() => void) | undefined;
  const end = (client: string): void => {
    sessions.get(client)?.close();
    sessions.delete(client);
  };
  const sweep = (): void => {
    for (const [client, session] of sessions) if (clock.nowMs() - session.lastMs() >= udpIdleMs) end(client);
    cancelSweep = sessions.size === 0 ? undefined : clock.after(udpIdleMs / 2, sweep);
  };
  const begin = (client: string, from: { readonly address: string; readonly port: number }): Session | undefined => {
    const [backend] = chooser.order(from.address).filter((each) => 'address' in each);
    if (backend === undefined) return undefined;
    chooser.took(from.address, backend);
    const session = openSession(backend, {
      clock,
      answer: (packet) => socket?.send(packet, from.port, from.address, () => undefined),
      broken: () => end(client),
    });
    sessions.set(client, session);
    const [oldest] = sessions.keys();
    if (sessions.size > sessionsMax && oldest !== undefined) end(oldest);
    cancelSweep ??= clock.after(udpIdleMs / 2, sweep);
    return session;
  };
  const shut = async (): Promise<void> => {
    cancelSweep?.();
    cancelSweep = undefined;
    for (const client of [...sessions.keys()]) end(client);
    socket?.close();
    socket = undefined;
  };
  return {
    async update({ address, port, backends, affinitySeconds, of }) {
      chooser.update(backends, affinitySeconds);
      const known = new Set(backends.map(backendKey));
      for (const [client, session] of sessions) if (!known.has(session.backend)) end(client);
      if (backends.length === 0) return shut();
      if (socket !== undefined) return;
      const next = createSocket('udp4');
      socket = next;
      next.on('message', (packet, from) => {
        const client = `${from.address}:${from.port}`;
        (sessions.get(client) ?? begin(client, from))?.send(packet);
      });
      await bound(next, { address, port }).catch((error: unknown) => {
        socket = undefined;
        report(`${of}: nobody can listen at ${address}:${port} (UDP): ${String(error)}`);
      });
    },
    close: shut,
    bound: () => socket?.address().port,
  };
}

interface SessionEars {
  readonly clock: Pick<Clock, 'nowMs'>;
  answer(packet: Buffer): void;
  broken(): void;
}

function openSession(backend: Numbered, { clock, answer, broken }: SessionEars): Session {
  const socket = createSocket('udp4');
  let lastMs = clock.nowMs();
  let waiting: Buffer[] | undefined = [];
  let isClosed = false;
  // Refused: the next packet finds another backend.
  socket.on('error', broken);
  socket.on('message', (packet) => {
    lastMs = clock.nowMs();
    answer(packet);
  });
  socket.connect(backend.port, backend.address, () => {
    if (isClosed) return;
    for (const packet of waiting ?? []) socket.send(packet);
    waiting = undefined;
  });
  return {
    backend: backendKey(backend),
    send(packet) {
      lastMs = clock.nowMs();
      if (waiting === undefined) socket.send(packet);
      else if (waiting.length < waitingMax) waiting.push(packet);
    },
    lastMs: () => lastMs,
    close() {
      isClosed = true;
      socket.close();
    },
  };
}

function bound(socket: Socket, at: { readonly address: string; readonly port: number }): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(at, () => {
      socket.off('error', reject).on('error', () => undefined);
      resolve();
    });
  });
}
