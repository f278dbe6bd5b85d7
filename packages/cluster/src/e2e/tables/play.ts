/** Plays the tables against a server, wherever it is. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, AskOptions } from '../served-cluster.ts';
import {
  crd,
  crds,
  daemonsets,
  deployments,
  maps,
  pods,
  post,
  type Row,
  secrets,
  selector,
  services,
  template,
  widgets,
} from './requests.ts';
import { saidByTheListener, tables } from './tables.ts';

/** A server with nobody else on it. */
export interface Judged {
  readonly hasListener: boolean;
  ask(path: string, options?: AskOptions): Promise<Answer>;
  /** What it has reported as wrong with itself. */
  readonly problems: readonly string[];
  close(): Promise<void>;
}

const everywhere = [maps, secrets, pods, daemonsets, deployments, services, crds, widgets];

export function playTables(open: () => Promise<Judged>): void {
  let judged: Judged;

  beforeAll(async () => {
    judged = await open();
    const { ask } = judged;
    await ask(maps, post({ metadata: { name: 'kept' }, data: { a: '1' } }));
    await ask(secrets, post({ metadata: { name: 'fixed' }, immutable: true, type: 'Opaque', data: { a: 'MQ==' } }));
    await ask(daemonsets, post({ metadata: { name: 'kept' }, spec: { selector, template } }));
    const made = await ask(crds, {
      ...crd({
        name: 'widgets.example.com',
        spec: { names: { plural: 'widgets', kind: 'Widget', singular: 'widget', listKind: 'WidgetList' } },
        schema: { required: ['size'], properties: { size: { type: 'integer', maximum: 9 } } },
      }),
    });
    expect(made.code).toBe(201);
  });

  afterAll(async () => {
    const { problems } = judged;
    await judged.close();
    expect(problems).toEqual([]);
  });

  async function everything(): Promise<string> {
    const paths = [...everywhere, '/api/v1/nodes', '/api/v1/namespaces'];
    const answers = await Promise.all(paths.map((path) => judged.ask(path)));
    return JSON.stringify(answers.map(({ body }) => body?.['items']));
  }

  describe.each(Object.entries(tables))('%s', (_, rows) => {
    test('each with its code, its reason and where it is wrong, and nothing changes', async () => {
      const before = await everything();
      const wrong: string[] = [];
      for (const row of rows) {
        const [what, path, options] = row;
        if (!judged.hasListener && saidByTheListener.has(what)) continue;
        const answer = await judged.ask(path, options);
        if (!holdsTo(answer, row)) wrong.push(described(what, answer));
      }
      expect(wrong).toEqual([]);
      expect(await everything()).toBe(before);
    });
  });

  test('the rest of a list cannot be asked for at another version, nor of another collection', async () => {
    const { body } = await judged.ask('/api/v1/namespaces?limit=1');
    const { continue: rest = '' } = (body?.['metadata'] ?? {}) as { readonly continue?: string };
    expect(rest).not.toBe('');
    const query = new URLSearchParams({ continue: rest, resourceVersion: '5' });
    expect(await judged.ask(`/api/v1/namespaces?${query.toString()}`)).toMatchObject({
      code: 400,
      body: { message: expect.stringContaining('specifying resource version is not allowed when using continue') },
    });
    expect(await judged.ask(`${maps}?continue=${encodeURIComponent(rest)}`)).toMatchObject({ code: 400 });
  });

  test('nobody without credentials gets anything', async () => {
    expect((await judged.ask(maps, { anonymous: true })).code).toBe(401);
  });
}

function holdsTo({ code, body }: Answer, [, , , expected, reason, says]: Row): boolean {
  const details = (body?.['details'] ?? {}) as { readonly causes?: readonly { readonly field?: string }[] };
  const fields = (details.causes ?? []).map(({ field }) => field);
  const isStatus = body?.['kind'] === 'Status' && body['status'] === 'Failure' && body['reason'] === reason;
  return code === expected && isStatus && (fields.includes(says) || String(body['message']).includes(says));
}

function described(what: string, { code, body }: Answer): string {
  const { message, reason, details } = (body ?? {}) as Readonly<Record<string, unknown>>;
  return `${what}: ${code} ${String(reason)} ${String(message)} ${JSON.stringify(details)}`;
}
