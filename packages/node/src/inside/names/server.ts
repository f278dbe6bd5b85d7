/** The cluster's name server: the zone that it was given last, by UDP and TCP. */
import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import type { Zone } from '../../protocol/network.ts';
import { replyTo } from './reply.ts';
import { indexZone } from './zone-index.ts';

export interface Names {
  /** From one answer to the next all of it is what is asked. */
  set(zone: Zone): void;
  /** Where it answers, for those who let the system choose the port. */
  readonly port: number;
  close(): Promise<void>;
}

export interface NamesOptions {
  readonly address: string;
  /** 53; 0: any that is free. */
  readonly port: number;
  /** In [0, 1). */
  chance(): number;
}

/** Until it is told otherwise: a domain in which there is nothing. */
const emptyZone: Zone = { domain: 'cluster.local', records: [] };

/** Who asks nothing for so long is let go. */
const idleMs = 10_000;
/** More wait until others have gone. */
const connectionsMax = 500;

export async function createNames({ address, port, chance }: NamesOptions): Promise<Names> {
  let index = indexZone(emptyZone, { serverAddress: address });
  const answer = (query: Buffer, isUdp: boolean): Buffer | undefined => replyTo(query, { index, isUdp, chance });
  const { udp, tcp, bound } = await bothOn({ address, port }, answer);
  return {
    set(zone) {
      index = indexZone(zone, { serverAddress: address });
    },
    port: bound,
    async close() {
      await Promise.all([
        new Promise<void>((resolve) => udp.close(resolve)),
        new Promise<void>((resolve) => {
          tcp.server.close(() => resolve());
          for (const socket of tcp.open) socket.destroy();
        }),
      ]);
    },
  };
}

type AnswerQuery = (query: Buffer, isUdp: boolean) => ReturnType<typeof replyTo>;

async function bothOn(at: { readonly address: string; readonly port: number }, answer: AnswerQuery) {
  const tcp = tcpServer(answer);
  await new Promise<void>((resolve, reject) => {
    tcp.server.once('error', reject);
    tcp.server.listen({ host: at.address, port: at.port }, () => resolve());
  });
  const place = tcp.server.address();
  const bound = place === null || typeof place === 'string' ? at.port : place.port;
  try {
    return { tcp, udp: await udpServer({ address: at.address, port: bound }, answer), bound };
  } catch (error) {
    tcp.server.close();
    throw error;
  }
}

function udpServer(at: { readonly address: string; readonly port: number }, answer: AnswerQuery): Promise<UdpSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket({ type: 'udp4', recvBufferSize: 1 << 20 });
    socket.once('error', reject);
    socket.on('message', (query, from) => {
      const reply = answer(query, true);
      // Who asked may be gone.
      if (reply !== undefined) socket.send(reply, from.port, from.address, () => undefined);
    });
    socket.bind({ address: at.address, port: at.port }, () => {
      socket.off('error', reject).on('error', () => undefined);
      resolve(socket);
    });
  });
}

function tcpServer(answer: AnswerQuery): { readonly server: Server; readonly open: ReadonlySet<Socket> } {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    open.add(socket);
    socket.setTimeout(idleMs, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
    let rest: Buffer = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const end = 2 + rest.readUInt16BE(0);
        const reply = answer(rest.subarray(2, end), false);
        rest = rest.subarray(end);
        if (reply === undefined) return void socket.destroy();
        const length = Buffer.alloc(2);
        length.writeUInt16BE(reply.length);
        socket.write(Buffer.concat([length, reply]));
      }
      // Who asks on and does not read has to wait.
      if (socket.writableNeedDrain) {
        socket.pause();
        socket.once('drain', () => socket.resume());
      }
    });
  });
  server.maxConnections = connectionsMax;
  return { server, open };
}
