/** Ten thousand watches that nothing happens for, of several users over few connections, and what the server holds for them. */
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import type { Figures } from './figures.ts';
import { apiOnly, pause, withCluster } from './outside.ts';
import { cpuMs, residentMb } from './process-figures.ts';
import { create, type Door, doorOf, poolOf, untilReady } from './requests.ts';

const watcherCount = 10_000;
/** As many as one connection may have. */
const watchesPerConnection = 250;
/** One alone may not take all the places. */
const users = ['ada', 'ben', 'cleo', 'dan'];
const path = '/api/v1/namespaces/default/configmaps';
/** What opening them has left behind goes back to the system within some twenty seconds. */
const settleMs = 25_000;

export function measureWatchers(): Promise<Figures> {
  return withCluster({ args: apiOnly }, async (outside) => {
    await untilReady(outside);
    const before = residentMb(outside.pid);
    const door = await doorOf(outside);
    const sessions: ClientHttp2Session[] = [];
    const pool = await poolOf(outside, 1);
    let seen = 0;
    try {
      const startMs = performance.now();
      for (let count = 0; count < watcherCount; count += watchesPerConnection) {
        const user = users[sessions.length % users.length] ?? '';
        const session = open(door);
        sessions.push(session);
        await Promise.all(
          Array.from({ length: watchesPerConnection }, () => watch(session, { user, saw: (): void => void seen++ })),
        );
      }
      const openMs = performance.now() - startMs;
      await pause(settleMs);
      const [held, cpuBeforeMs] = [residentMb(outside.pid), cpuMs(outside.pid)];
      await pause(settleMs);
      const idlePercent = ((cpuMs(outside.pid) - cpuBeforeMs) * 100) / settleMs;
      const writtenMs = performance.now();
      await create(pool, path, { metadata: { name: 'seen' } });
      for (let round = 0; round < 10_000 && seen < watcherCount; round++) await pause(1);
      if (seen < watcherCount) throw new Error(`of ${watcherCount} watchers ${seen} saw a write`);
      const seenMs = performance.now() - writtenMs;
      return { MB: held, 'MB before': before, 'idle CPU %': idlePercent, 'open ms': openMs, 'seen by all ms': seenMs };
    } finally {
      for (const session of sessions) session.destroy();
      await pool.destroy();
    }
  });
}

function open({ url, secureContext }: Door): ClientHttp2Session {
  const session = connect(url, { secureContext });
  // It breaks when the server ends, which is measured elsewhere.
  session.on('error', () => undefined);
  return session;
}

/** Resolves when the server has begun to answer; the first piece is told. */
function watch(
  session: ClientHttp2Session,
  { user, saw }: { readonly user: string; saw(): void },
): Promise<ClientHttp2Stream> {
  const headers = { ':path': `${path}?watch=true`, 'impersonate-user': user, 'impersonate-group': 'system:masters' };
  return new Promise((resolve, reject) => {
    const stream = session.request(headers);
    stream.once('data', saw).resume();
    stream.on('error', () => undefined);
    stream.once('response', ({ ':status': code }) => {
      if (code === 200) resolve(stream);
      else reject(new Error(`a watch was answered with ${code}`));
    });
  });
}
