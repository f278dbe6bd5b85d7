import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import type { ExecSession } from '../../protocol/inside.ts';
import type { Channels } from './channels.ts';

/**
 * Joins a session with its client until it has ended and all of its output is sent; says its exit code as upstream does. A door
 * that closes before, by `closing`, says so.
 */
export async function runSession(
  channels: Channels,
  { open, closing }: { readonly open: () => Promise<ExecSession>; readonly closing: AbortSignal },
): Promise<void> {
  const leave = (): void => channels.finish(failureOf(closing.reason));
  // While the client was waited for.
  if (closing.aborted) return leave();
  closing.addEventListener('abort', leave, { once: true });
  try {
    await joinSession(channels, open);
  } finally {
    closing.removeEventListener('abort', leave);
  }
}

async function joinSession(channels: Channels, open: () => Promise<ExecSession>): Promise<void> {
  try {
    const session = await open();
    channels.onResize((size) => session.resize(size));
    joinInput(channels.stdin, session.stdin);
    const [exitCode] = await Promise.all([
      session.ended,
      output(session.stdout as Readable, channels.stdout),
      output(session.stderr as Readable | undefined, channels.stderr),
    ]);
    channels.finish(statusOf(exitCode));
  } catch (error) {
    channels.finish(failureOf(error));
  }
}

function joinInput(from: Readable | undefined, to: NodeJS.WritableStream | undefined): void {
  if (from === undefined || to === undefined) return void from?.resume();
  // A process may end, or close its input, while the client still types.
  to.on('error', () => from.resume());
  from.pipe(to);
}

async function output(from: Readable | undefined, to: Writable | undefined): Promise<void> {
  if (from === undefined) return;
  if (to === undefined) {
    from.resume();
    return finished(from);
  }
  // Who listens no more does not end the process.
  await pipeline(from, to).catch(() => from.resume());
}

function statusOf(exitCode: number): object {
  if (exitCode === 0) return { metadata: {}, status: 'Success' };
  return {
    metadata: {},
    status: 'Failure',
    message: `command terminated with non-zero exit code: exit status ${exitCode}`,
    reason: 'NonZeroExitCode',
    details: { causes: [{ reason: 'ExitCode', message: String(exitCode) }] },
  };
}

function failureOf(error: unknown): object {
  const message = error instanceof Error ? error.message : String(error);
  return {
    metadata: {},
    status: 'Failure',
    message: `Internal error occurred: ${message}`,
    reason: 'InternalError',
    code: 500,
  };
}
