import type { ClientHttp2Session } from 'node:http2';
import type { Hands } from './client.ts';
import { frame, getHeaders, literal, preface } from './frames.ts';
import { heavyBodies } from './heavy-bodies.ts';

export interface Assault {
  readonly name: string;
  /** Resolves with how many things it tried. Throws a sentence when something was answered as it must not be. */
  run(hands: Hands): Promise<number>;
}

const configmaps = '/api/v1/namespaces/default/configmaps';
/** Filled by the attack before: an answer of several megabytes. */
const large = '/api/v1/namespaces/large/configmaps';

async function unfinishedBodies(hands: Hands): Promise<number> {
  const { begin, session, times, wait } = hands;
  const sessions = Array.from({ length: times(4) }, () => session());
  for (const over of sessions)
    for (let index = 0; index < 240; index++)
      begin(over, { ':method': 'POST', ':path': configmaps, 'content-type': 'application/json' }).write('{');
  await wait(1_100);
  return sessions.length * 240;
}

async function trickle(hands: Hands): Promise<number> {
  const count = hands.times(40);
  const sockets = await Promise.all(Array.from({ length: count }, () => hands.socket()));
  for (const { socket } of sockets)
    socket.write(
      `POST ${configmaps} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n\r\n`,
    );
  for (let round = 0; round < 11; round++) {
    for (const { socket } of sockets) if (socket.writable) socket.write(' ');
    await hands.wait(100);
  }
  return count;
}

/** Each byte of a body as a chunk, or a frame, of its own. */
async function crumbs(hands: Hands): Promise<number> {
  const { socket } = await hands.socket();
  socket.write(
    `POST ${configmaps} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`,
  );
  const piece = '1\r\n \r\n'.repeat(10_000);
  for (let round = 0; round < hands.times(10); round++) {
    if (!socket.writable) break;
    socket.write(piece);
    await hands.wait(20);
  }
  return hands.times(10);
}

async function slowHeaders(hands: Hands): Promise<number> {
  const count = hands.times(60);
  const sockets = await Promise.all(Array.from({ length: count }, () => hands.socket()));
  for (const { socket } of sockets) socket.write('GET /api HTTP/1.1\r\nHost: a\r\nX-');
  await hands.wait(500);
  return count;
}

async function slowReaders(hands: Hands): Promise<number> {
  const count = hands.times(10);
  for (let index = 0; index < count; index++) {
    const over = hands.session({ initialWindowSize: 0 });
    for (let each = 0; each < 5; each++) hands.begin(over, { ':path': large }).pause();
    const { socket } = await hands.socket();
    socket.pause();
    socket.write(`GET ${large} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(5));
  }
  await hands.wait(600);
  return count * 10;
}

async function pipelines(hands: Hands): Promise<number> {
  const count = hands.times(200);
  const { socket, closed } = await hands.socket();
  socket.write(`GET ${configmaps}?limit=1 HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count));
  // Half closed: what was asked is answered all the same, or not; nobody waits for it.
  socket.end('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
  await closed(1_000);
  return count;
}

/** What a careless server in front would take for one request, and this one for two, or the other way round. */
async function smuggling(hands: Hands): Promise<number> {
  const inner = 'GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n';
  const post = `POST ${configmaps} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`;
  const probes = [
    `${post}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Content-Length: 0\r\nContent-Length: ${inner.length}\r\n\r\n${inner}`,
    `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Transfer-Encoding:\tchunked\x0b\r\n\r\n0\r\n\r\n${inner}`,
    `${post}Content-Length: +0\r\n\r\n${inner}`,
    `${post}Content-Length: 0x0\r\n\r\n${inner}`,
    `${post}X: a\rContent-Length: 0\r\n\r\n${inner}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n0;a=b\nX\r\n\r\n${inner}`,
    `${post}Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${inner}`,
    `GET /api HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
    'GET /api HTTP/1.1\r\n\r\n',
    'GET http://b/api HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET /api HTTP/9.9\r\nHost: a\r\n\r\n',
    ' GET /api HTTP/1.1\r\nHost: a\r\n\r\n',
  ];
  await Promise.all(
    probes.map(async (probe) => {
      const { socket, text, closed } = await hands.socket();
      socket.write(probe, 'latin1');
      await closed(400);
      const statuses = [...text().matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, code]) => code);
      if (statuses.some((code) => code?.startsWith('2')) || statuses.length > 1)
        throw new Error(`${JSON.stringify(probe)} was answered with ${statuses.join(', ')}`);
    }),
  );
  return probes.length;
}

async function noise(hands: Hands): Promise<number> {
  const count = hands.times(30);
  for (let index = 0; index < count; index++) {
    const isH2 = index % 2 === 0;
    const { socket } = await hands.socket(isH2 ? 'h2' : 'http/1.1');
    const bytes = Buffer.from(Array.from({ length: 300 }, () => hands.random.below(256)));
    socket.on('error', () => undefined);
    socket.write(isH2 ? Buffer.concat([preface, frame({ type: 'settings' }), bytes]) : bytes);
  }
  await hands.wait(300);
  return count;
}

async function badFrames(hands: Hands): Promise<number> {
  const block = getHeaders('/healthz');
  const open = frame({ type: 'headers', flags: 4, stream: 1, payload: block });
  const cases = [
    frame({ type: 'data', stream: 0, payload: Buffer.from('x') }),
    frame({ type: 'data', stream: 5, payload: Buffer.from('x') }),
    frame({ type: 'headers', flags: 5, stream: 2, payload: block }),
    frame({ type: 'headers', flags: 5, stream: 1, payload: Buffer.from([0xff, 0xff, 0xff, 0xff]) }),
    frame({ type: 'continuation', flags: 4, stream: 1, payload: block }),
    frame({ type: 'settings', payload: Buffer.alloc(5) }),
    frame({ type: 'settings', flags: 1, payload: Buffer.alloc(6) }),
    frame({ type: 'windowUpdate', payload: Buffer.alloc(4) }),
    frame({ type: 'windowUpdate', payload: Buffer.from([0x7f, 0xff, 0xff, 0xff]) }),
    frame({ type: 'reset', stream: 9, payload: Buffer.alloc(4) }),
    frame({ type: 'ping', payload: Buffer.alloc(3) }),
    frame({ type: 'headers', flags: 0x0c, stream: 1, payload: Buffer.from([200, 0x82]) }),
    frame({ type: 'data', stream: 1, length: 0xffffff }),
    frame({ type: 0xee, flags: 0xff, stream: 7, payload: Buffer.alloc(100) }),
    Buffer.concat([open, open]),
    frame({ type: 'headers', flags: 5, stream: 1, payload: Buffer.concat([block, literal('UPPER', 'x')]) }),
    frame({ type: 'headers', flags: 5, stream: 1, payload: Buffer.concat([block, literal('connection', 'close')]) }),
    frame({ type: 'headers', flags: 5, stream: 1, payload: Buffer.concat([block, literal('a', 'x'.repeat(60_000))]) }),
  ];
  for (const bytes of cases) {
    const { socket } = await hands.socket('h2');
    socket.on('error', () => undefined);
    socket.write(Buffer.concat([preface, frame({ type: 'settings' }), bytes]));
  }
  await hands.wait(500);
  return cases.length;
}

async function frameFloods(hands: Hands): Promise<number> {
  const count = hands.times(10_000);
  const floods = [
    frame({ type: 'ping', payload: Buffer.alloc(8) }),
    frame({ type: 'settings', payload: Buffer.from([0, 4, 0, 0, 0, 1]) }),
    frame({ type: 'settings' }),
    frame({ type: 'priority', stream: 3, payload: Buffer.alloc(5) }),
    frame({ type: 'windowUpdate', payload: Buffer.from([0, 0, 0, 1]) }),
    frame({ type: 'data', stream: 1, payload: Buffer.alloc(0) }),
    frame({ type: 0xee, payload: Buffer.alloc(1) }),
  ];
  for (const each of floods) {
    const { socket } = await hands.socket('h2');
    socket.on('error', () => undefined);
    socket.write(Buffer.concat([preface, frame({ type: 'settings' })]));
    const piece = Buffer.concat(Array.from({ length: 1_000 }, () => each));
    for (let sent = 0; sent < count && socket.writable; sent += 1_000) socket.write(piece);
  }
  // Headers that go on and on.
  const { socket } = await hands.socket('h2');
  socket.on('error', () => undefined);
  socket.write(Buffer.concat([preface, frame({ type: 'settings' })]));
  socket.write(frame({ type: 'headers', flags: 1, stream: 1, payload: getHeaders('/healthz') }));
  const more = frame({ type: 'continuation', stream: 1, payload: literal('a', 'x'.repeat(1_000)) });
  for (let sent = 0; sent < count / 20 && socket.writable; sent++) socket.write(more);
  await hands.wait(500);
  return count * floods.length;
}

async function rapidReset(hands: Hands): Promise<number> {
  const count = hands.times(3_000);
  const over = hands.session();
  for (let index = 0; index < count && !over.destroyed; index++) {
    hands.begin(over, { ':path': configmaps }).close(8);
    if (index % 200 === 0) await hands.wait(5);
  }
  return count;
}

async function manyStreams(hands: Hands): Promise<number> {
  const sessions = Array.from({ length: hands.times(3) }, () => hands.session());
  // Not finished, and waiting for a version that never comes.
  for (const over of sessions)
    for (let index = 0; index < 240; index++)
      hands.begin(over, {
        ':path': index % 2 === 0 ? `${configmaps}?watch=true` : `${configmaps}?resourceVersion=999999999`,
      });
  await hands.wait(1_100);
  return sessions.length * 240;
}

async function absurdPaths(hands: Hands): Promise<number> {
  const over = hands.session();
  const pieces = [
    '/',
    '//',
    '/..',
    '/%2e%2e',
    '/%00',
    '/api',
    '/v1',
    '/namespaces',
    '/é',
    '/%ff',
    '/%',
    '?a',
    '&b=',
    '=',
    '%20',
    ';',
    '#',
  ];
  const fixed = [
    `/${'a/'.repeat(3_000)}`,
    `${configmaps}?${'labelSelector=a&'.repeat(500)}`,
    `${configmaps}?labelSelector=${'a,'.repeat(4_000)}`,
    `${configmaps}?fieldSelector=${'metadata.name=a,'.repeat(500)}`,
    `${configmaps}?labelSelector=${'('.repeat(8_000)}`,
    `${configmaps}?limit=${'9'.repeat(400)}`,
    `${configmaps}?continue=${'A'.repeat(8_000)}`,
    `${configmaps}?resourceVersion=-1`,
    `${configmaps}?timeoutSeconds=1e99&watch=1`,
    '/openapi/v3/apis/../../x',
    '/apis/__proto__/constructor/toString',
    '/api/v1/namespaces/__proto__/pods/constructor',
  ];
  const count = hands.times(300);
  const drawn = Array.from({ length: count }, () =>
    Array.from({ length: 1 + hands.random.below(8) }, () => pieces[hands.random.below(pieces.length)]).join(''),
  );
  await inTurns(over, [...fixed, ...drawn], (path) =>
    hands.ask(over, { path: path.startsWith('/') ? path : `/${path}` }),
  );
  return count + fixed.length;
}

async function inTurns<T>(
  over: ClientHttp2Session,
  all: readonly T[],
  work: (one: T) => Promise<unknown>,
): Promise<void> {
  for (let start = 0; start < all.length && !over.destroyed; start += 20)
    await Promise.all(all.slice(start, start + 20).map(work));
}

async function manyConnections(hands: Hands): Promise<number> {
  const count = hands.times(60);
  await Promise.all(Array.from({ length: count }, () => hands.socket().catch(() => undefined)));
  return count;
}

async function heavy(hands: Hands): Promise<number> {
  const over = hands.session();
  for (const { name, path, body, contentType, method = 'POST' } of heavyBodies(configmaps)) {
    const code = await hands.ask(over, { method, path, body, contentType });
    if (code < 200 || code >= 500) throw new Error(`the body ${name} was answered with ${code}`);
  }
  return heavyBodies(configmaps).length;
}

export const assaults: readonly Assault[] = [
  { name: 'unfinished bodies', run: unfinishedBodies },
  { name: 'bodies that trickle', run: trickle },
  { name: 'bodies in crumbs', run: crumbs },
  { name: 'slow headers', run: slowHeaders },
  { name: 'slow readers', run: slowReaders },
  { name: 'pipelines', run: pipelines },
  { name: 'smuggling', run: smuggling },
  { name: 'noise', run: noise },
  { name: 'bad frames', run: badFrames },
  { name: 'floods of frames', run: frameFloods },
  { name: 'rapid resets', run: rapidReset },
  { name: 'many streams', run: manyStreams },
  { name: 'absurd paths', run: absurdPaths },
  { name: 'many connections', run: manyConnections },
  { name: 'heavy bodies', run: heavy },
];
