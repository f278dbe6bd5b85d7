/**
 * The agent's doors for what runs inside: one leads to the API server, one to what egress names. Both are sockets in a folder that
 * only the node's own processes can open.
 */
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { doorPath } from '../protocol/door.ts';
import { type EgressTarget, parseTarget, readLine } from '../protocol/egress.ts';
import { apiDoor, egressDoor } from '../protocol/places.ts';
import { splice } from '../protocol/splice.ts';

export interface DoorsOptions {
  /** The folder of the sockets. */
  readonly folder: string;
  /** As this machine reaches the API server. */
  readonly api: EgressTarget;
  /** All that may be dialled besides. */
  readonly egress: readonly EgressTarget[];
  /** As whom the process inside runs, where that is somebody else. */
  readonly owner?: { readonly uid: number; readonly gid: number } | undefined;
}

export interface Doors {
  /** No new connections; those that are go on. */
  close(): Promise<void>;
}

export async function openDoors({ folder, api, egress, owner }: DoorsOptions): Promise<Doors> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const allowed = new Set(egress.map(textOf));
  const opened = [
    await openDoor({ folder, name: apiDoor, owner }, (client) => void lead(client, api)),
    await openDoor({ folder, name: egressDoor, owner }, async (client) => {
      const line = (await readLine(client)) ?? '';
      const target = parseTarget(line);
      if (target === undefined || !allowed.has(textOf(target)))
        return void client.end(`${line} is not what --egress names\n`);
      await lead(client, target, 'ok\n');
    }),
  ];
  return {
    async close() {
      for (const door of opened) door.close();
    },
  };
}

function textOf({ host, port }: EgressTarget): string {
  return `${host.toLowerCase()}:${port}`;
}

type Serve = (client: Socket) => Promise<void> | void;

interface DoorPlace extends Pick<DoorsOptions, 'folder' | 'owner'> {
  readonly name: string;
}

async function openDoor({ folder, name, owner }: DoorPlace, serve: Serve): Promise<{ close(): void }> {
  rmSync(join(folder, name), { force: true });
  const door = doorPath(folder, name);
  const server: Server = createServer({ allowHalfOpen: true, pauseOnConnect: true }, (client) => {
    client.on('error', () => client.destroy());
    void serve(client);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(door.path, resolve);
  });
  chmodSync(join(folder, name), 0o600);
  if (owner !== undefined) chownSync(join(folder, name), owner.uid, owner.gid);
  return {
    close() {
      server.close();
      door.release();
    },
  };
}

/** `greeting`: what is said once it is connected; then also a word is said when it is not. */
function lead(client: Socket, to: EgressTarget, greeting?: string): Promise<void> {
  return new Promise((resolve) => {
    const outside = connect({ ...to, allowHalfOpen: true, noDelay: true });
    outside.once('error', (error: NodeJS.ErrnoException) => {
      resolve();
      if (greeting === undefined) client.destroy();
      else client.end(`${textOf(to)}: ${error.code ?? error.message}\n`);
    });
    outside.once('connect', () => {
      outside.removeAllListeners('error');
      if (greeting !== undefined) client.write(greeting);
      splice(client, outside);
      resolve();
    });
  });
}
