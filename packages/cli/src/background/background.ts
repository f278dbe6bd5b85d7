/** The side of `up --detach` that stays: a process of its own, which tells the one that started it how far things are. */
import type { Clock } from '@signalbox/cluster';
import type { Background, BackgroundMessage } from '../io/background.ts';
import type { Output } from '../io/io.ts';
import { openLogFile } from './log-file.ts';

/** Set for the process in the background: the path of its log. */
export const backgroundVariable = 'SIGNALBOX_BACKGROUND_LOG';

/** The way to whoever started this process. */
export interface Channel {
  /** Resolves when it is on its way, also when nobody is there any more. */
  send(message: BackgroundMessage): Promise<void>;
  close(): void;
}

export const logBytesMax: number = 5 * 1024 * 1024;

export function openBackground(log: string, channel: Channel, { clock }: { readonly clock: Clock }): Background {
  const file = openLogFile(log, { bytesMax: logBytesMax, clock });
  let sent: Promise<void> = Promise.resolve();
  let isSettled = false;
  const send = (message: BackgroundMessage): void => {
    const before = sent;
    const now = channel.send(message);
    sent = before.then(() => now);
  };
  const output = (to: 'stdout' | 'stderr'): Output => ({
    write(text, form) {
      file.write(text, form);
      if (!isSettled) send({ is: 'text', to, text });
    },
    isTerminal: false,
  });
  return {
    log,
    stdout: output('stdout'),
    stderr: output('stderr'),
    settle(code) {
      if (isSettled) return;
      send({ is: 'settled', code });
      isSettled = true;
      void sent.then(() => channel.close());
    },
    flushed: () => sent,
  };
}
