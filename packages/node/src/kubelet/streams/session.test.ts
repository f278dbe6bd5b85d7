/** A session of a door that closes. */
import { expect, test } from 'vitest';
import type { ExecSession } from '../../protocol/inside.ts';
import type { Channels } from './channels.ts';
import { runSession } from './session.ts';

test('of a door that has closed while the client was waited for nothing is begun', async () => {
  const told: object[] = [];
  const channels: Channels = {
    ...{ stdin: undefined, stdout: undefined, stderr: undefined },
    onResize: () => undefined,
    signal: new AbortController().signal,
    finish: (status) => void told.push(status),
  };
  let opened = 0;
  const open = async (): Promise<ExecSession> => {
    opened++;
    throw new Error('it is begun');
  };
  await runSession(channels, { open, closing: AbortSignal.abort(new Error('the agent ends')) });
  expect(opened).toBe(0);
  expect(told).toMatchObject([{ status: 'Failure', message: 'Internal error occurred: the agent ends' }]);
});
