/** A session with a process inside, as it is served: exec and attach. */
import type { Duplex } from 'node:stream';
import { encodeFailure } from './failure.ts';
import { channels, createFrameReader, type Frame, jsonOf, sendFrame, sendJson } from './frames.ts';
import type { ExecCommand, ExecSession, Waiting } from './inside.ts';
import type { SessionStreams } from './session-client.ts';

/** `begin` gets the command, undefined for attach, and a signal that aborts when the client has gone. */
export function serveSession(
  socket: Duplex,
  begin: (command: ExecCommand | undefined, waiting: Waiting) => Promise<ExecSession>,
): void {
  const gone = new AbortController();
  const read = createFrameReader();
  let session: ExecSession | undefined;
  const start = async (frame: Frame): Promise<void> => {
    try {
      const command = (jsonOf(frame) ?? undefined) as ExecCommand | undefined;
      session = await begin(command, { signal: gone.signal });
      await carry(session, socket);
    } catch (error) {
      sendJson(socket, channels.failed, encodeFailure(error).body);
    }
    socket.end();
  };
  socket.on('data', (bytes: Buffer) => {
    for (const frame of read(bytes)) {
      if (frame.channel === channels.command) void start(frame);
      else if (session !== undefined) take(session, { frame, socket });
    }
  });
  // Standard input ends with a frame: who ends the connection has gone.
  socket.on('end', () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('close', () => gone.abort(new Error('the client hung up')));
}

async function carry(session: ExecSession, socket: Duplex): Promise<void> {
  const streams: SessionStreams = { stdin: session.stdin !== undefined, stderr: session.stderr !== undefined };
  session.stdin?.on('error', () => undefined);
  sendJson(socket, channels.begun, streams);
  const outputs = [
    forward(session.stdout, socket, channels.stdout),
    ...(session.stderr === undefined ? [] : [forward(session.stderr, socket, channels.stderr)]),
  ];
  const code = await session.ended;
  // Whoever inherited the streams and lives on does not keep the session open.
  for (const stop of outputs) stop();
  sendJson(socket, channels.ended, code);
}

/** Returns how to stop; what has been read by then is sent. */
function forward(
  from: NodeJS.ReadableStream,
  to: Duplex,
  channel: typeof channels.stdout | typeof channels.stderr,
): () => void {
  const send = (bytes: Buffer): void => {
    if (sendFrame(to, channel, bytes)) return;
    from.pause();
    to.once('drain', () => from.resume());
  };
  from.on('data', send);
  return () => {
    from.off('data', send);
    for (let rest = from.read(); rest !== null; rest = from.read()) sendFrame(to, channel, Buffer.from(rest));
  };
}

function take(session: ExecSession, { frame, socket }: { readonly frame: Frame; readonly socket: Duplex }): void {
  if (frame.channel === channels.stdinEnd) session.stdin?.end();
  else if (frame.channel === channels.resize)
    session.resize(jsonOf(frame) as { readonly columns: number; readonly rows: number });
  else if (frame.channel === channels.stdin && session.stdin?.write(frame.payload) === false) {
    socket.pause();
    session.stdin.once('drain', () => socket.resume());
  }
}
