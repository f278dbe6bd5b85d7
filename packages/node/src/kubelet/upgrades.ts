/** Connections that become streams into a pod: WebSocket, and SPDY for older clients. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { ExecSession } from '../protocol/inside.ts';
import { uidOf } from './containers.ts';
import type { DoorContext } from './door.ts';
import { DoorRefusal } from './refusal.ts';
import type { DoorRequest } from './requests.ts';
import { type Channels, type Wanted, wantedOf } from './streams/channels.ts';
import { forwardChannels, portsOf, portsProtocol } from './streams/port-channels.ts';
import { forwardPorts, forwardProtocol, tunnelProtocol } from './streams/port-forward.ts';
import { runSession } from './streams/session.ts';
import { spdyChannels, spdyProtocols } from './streams/spdy-channels.ts';
import { webChannels, webProtocols } from './streams/web-channels.ts';

export interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
  readonly query: URLSearchParams;
}

/** A message is a piece of input at most; clients send 32 KiB. */
const messageBytesMax = 4 << 20;
const forwardProtocols: readonly string[] = [tunnelProtocol, portsProtocol];
const [sessionSockets, forwardSockets] = [webProtocols, forwardProtocols].map(
  (spoken) =>
    new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: messageBytesMax,
      handleProtocols: (offered) => spoken.find((known) => offered.has(known)) ?? false,
    }),
) as [WebSocketServer, WebSocketServer];

/** Takes the connection over, or throws a `DoorRefusal` while it still speaks HTTP. Resolves when the client has gone. */
export async function takeUpgrade(asked: DoorRequest, upgrade: UpgradeRequest, context: DoorContext): Promise<void> {
  switch (asked.asks) {
    case 'exec':
    case 'attach':
      return runInContainer(asked, upgrade, context);
    case 'portForward':
      return forward(asked, upgrade, context);
    default:
      throw new DoorRefusal(400, 'this path takes no other protocol than HTTP');
  }
}

async function runInContainer(
  { asks, namespace, pod: name, container }: Extract<DoorRequest, { readonly container: string }>,
  upgrade: UpgradeRequest,
  { containers, inside, clock, closing }: DoorContext,
): Promise<void> {
  const wanted = wantedOf(upgrade.query);
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr)
    throw new DoorRefusal(400, 'you must specify at least 1 of stdin, stdout, stderr');
  const argv = upgrade.query.getAll('command');
  if (asks === 'exec' && argv.length === 0) throw new DoorRefusal(400, 'you must specify a command');
  const state = await containers.running(containers.find(namespace, name), container);
  const channels = await openChannels(upgrade, { wanted, clock });
  const { signal } = channels;
  const open = (): Promise<ExecSession> =>
    asks === 'exec'
      ? inside.exec(state, { argv, stdin: wanted.stdin, tty: wanted.tty }, { signal })
      : attached(inside.attach(state, { signal }));
  await runSession(channels, { open, closing });
}

/** How a container that was attached to ended is told by its status. */
async function attached(opening: Promise<ExecSession>): Promise<ExecSession> {
  const session = await opening;
  return { ...session, resize: (size) => session.resize(size), ended: session.ended.then(() => 0) };
}

async function openChannels(
  upgrade: UpgradeRequest,
  { wanted, clock }: { readonly wanted: Wanted; readonly clock: DoorContext['clock'] },
): Promise<Channels> {
  const { request, socket } = upgrade;
  if (isWebSocket(request)) {
    need(offeredBy(request, 'sec-websocket-protocol'), webProtocols);
    return webChannels(await openWebSocket(upgrade, sessionSockets), wanted, clock);
  }
  openSpdy(upgrade, need(offeredBy(request, 'x-stream-protocol-version'), spdyProtocols));
  return spdyChannels(socket, wanted, clock);
}

async function forward(
  { namespace, pod: name }: Extract<DoorRequest, { readonly asks: 'portForward' }>,
  upgrade: UpgradeRequest,
  { containers, inside, closing }: DoorContext,
): Promise<void> {
  const { metadata } = containers.find(namespace, name);
  const uid = uidOf(metadata);
  const forwarding = {
    pod: { name, uid },
    closing,
    dial: (port: number, signal: AbortSignal) => inside.dial({ pod: uid, port }, { signal }),
  };
  const { request, socket } = upgrade;
  if (isWebSocket(request)) {
    const protocol = need(offeredBy(request, 'sec-websocket-protocol'), forwardProtocols);
    const ports = portsOf(upgrade.query);
    if (protocol === portsProtocol && ports === undefined)
      throw new DoorRefusal(400, 'query parameter "port" is required, and has to be a port');
    const opened = await openWebSocket(upgrade, forwardSockets);
    if (opened.protocol === tunnelProtocol) return forwardPorts(createWebSocketStream(opened), forwarding);
    return forwardChannels(opened, { ...forwarding, ports: ports ?? [] });
  }
  openSpdy(upgrade, need(offeredBy(request, 'x-stream-protocol-version'), [forwardProtocol]));
  return forwardPorts(socket, forwarding);
}

function isWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** A header may come several times, or with several values. */
function offeredBy({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
  return values.flatMap((value) => value.split(',')).map((value) => value.trim());
}

function need(offered: readonly string[], spoken: readonly string[]): string {
  const found = spoken.find((protocol) => offered.includes(protocol));
  if (found !== undefined) return found;
  throw new DoorRefusal(
    400,
    `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${spoken.join(' ')}]`,
  );
}

function openWebSocket({ request, socket, head }: UpgradeRequest, sockets: WebSocketServer): Promise<WebSocket> {
  return new Promise((resolve) => sockets.handleUpgrade(request, socket, head, resolve));
}

function openSpdy({ request, socket, head }: UpgradeRequest, protocol: string): void {
  if (request.headers.upgrade?.toLowerCase() !== 'spdy/3.1')
    throw new DoorRefusal(
      400,
      `unable to upgrade: missing upgrade headers in request: websocket and SPDY/3.1 are spoken here`,
    );
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
}
