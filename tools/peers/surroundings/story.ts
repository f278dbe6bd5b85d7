/** What happens in a story, asked of any server, and what is there at its end. */
import { type KubeObject, sleep, systemClock } from '@signalbox/cluster';
import type { Answered, Requests } from '../plane/requests.ts';
import { toMicroTime } from './moments.ts';

export interface Story {
  /** Its namespace is called so, and what belongs to none begins with it. */
  readonly name: string;
  readonly tells: string;
  /** Which lists are compared at the end, besides events: `apis/policy/v1/poddisruptionbudgets` of the namespace, `/api/v1/nodes` of the cluster. */
  readonly compares: readonly string[];
  /** About which kinds events are compared; the default is all. */
  readonly hears?: readonly string[];
  play(stage: Stage): Promise<void>;
}

export interface Stage {
  readonly name: string;
  /** `/api/v1/namespaces/NAME/pods` of `api/v1/pods`. */
  within(resource: string): string;
  /** Fails where it is refused. */
  post(path: string, body: object): Promise<KubeObject>;
  /** A strategic or, for kinds of others, a merge patch. Fails where it is refused. */
  patch(path: string, body: object, type?: 'strategic' | 'merge'): Promise<KubeObject>;
  delete(path: string): Promise<void>;
  get(path: string): Promise<KubeObject | undefined>;
  list(path: string): Promise<readonly KubeObject[]>;
  /** Asks for something whose answer is a part of what is compared. */
  tell(
    called: string,
    asked: { readonly method: string; readonly path: string; readonly body?: object },
  ): Promise<void>;
  /** How something is at this moment is a part of what is compared; `of` it what is picked. */
  show(called: string, path: string, of?: (object: Seen) => unknown): Promise<void>;
  /** Waits until the object is as it should be; fails after a while. */
  until(path: string, is: (object: Seen) => boolean): Promise<void>;
  /** Waits for pods with the label `app`, or another one. */
  podsOf(app: string, count: number, label?: string): Promise<readonly KubeObject[]>;
  pause(ms: number): Promise<void>;
  /** Goes on until the story is over. */
  beat(node: string): Promise<void>;
  /** The node's lease is renewed no more. */
  silence(node: string): void;
}

/** What stories look at. */
export interface Seen {
  readonly metadata: KubeObject['metadata'] & { readonly deletionGracePeriodSeconds?: number };
  readonly spec?: {
    readonly podCIDR?: string;
    readonly podCIDRs?: readonly string[];
    readonly taints?: readonly { readonly key: string; readonly effect: string }[];
  };
  readonly status?: SeenStatus;
  readonly data?: Readonly<Record<string, string>>;
}

export interface SeenStatus {
  readonly observedGeneration?: number;
  readonly phase?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly used?: Readonly<Record<string, string>>;
  readonly currentHealthy?: number;
  readonly expectedPods?: number;
  readonly disruptionsAllowed?: number;
}

export interface Played {
  readonly answers: readonly KubeObject[];
  readonly problem?: string;
  /** What is there now. */
  look(): Promise<readonly KubeObject[]>;
}

const patchTypes = { strategic: 'application/strategic-merge-patch+json', merge: 'application/merge-patch+json' };
const patienceMs = 100_000;

export async function playOn(
  requests: Requests,
  story: Story,
  { signal, leaseSeconds }: { readonly signal: AbortSignal; readonly leaseSeconds: number },
): Promise<Played> {
  const { name } = story;
  const answers: KubeObject[] = [];
  const beating = new Set<string>();
  const json = (body: object | undefined, type = 'application/json') =>
    body === undefined ? {} : { headers: { 'content-type': type }, body: JSON.stringify(body) };
  const ok = async (asked: Parameters<Requests['ask']>[0]): Promise<KubeObject> => {
    for (let tries = 1; ; tries++) {
      const { code, text } = await requests.ask(asked);
      if (code < 300) return JSON.parse(text) as KubeObject;
      if (tries > 40 || (code !== 409 && code !== 429) || text.includes('AlreadyExists'))
        throw new Error(`${asked.method} ${asked.path}: ${code} ${text}`);
      await sleep(systemClock, 100, { signal });
    }
  };
  const get = async (path: string): Promise<KubeObject | undefined> => {
    const { code, text } = await requests.ask({ method: 'GET', path });
    if (code === 404) return undefined;
    if (code !== 200) throw new Error(`GET ${path}: ${code} ${text}`);
    return JSON.parse(text) as KubeObject;
  };
  const list = async (path: string): Promise<readonly KubeObject[]> => {
    const found = (await get(path)) as
      | { readonly kind: string; readonly apiVersion: string; readonly items: readonly KubeObject[] }
      | undefined;
    const { kind = '', apiVersion = '', items = [] } = found ?? {};
    return items.map((item) => ({ ...item, apiVersion, kind: kind.replace(/List$/, '') }));
  };
  const stage: Stage = {
    name,
    within(resource) {
      const [, place, rest] = /^(api\/v1|apis\/[^/]+\/[^/]+)\/(.*)$/.exec(resource) ?? [];
      return `/${place}/namespaces/${name}/${rest}`;
    },
    post: (path, body) => ok({ method: 'POST', path, ...json(body) }),
    patch: (path, body, type = 'strategic') => ok({ method: 'PATCH', path, ...json(body, patchTypes[type]) }),
    async delete(path) {
      await ok({ method: 'DELETE', path });
    },
    get,
    list,
    async tell(called, { method, path, body }) {
      const answer = await requests.ask({
        method,
        path,
        ...json(body, method === 'PATCH' ? patchTypes.strategic : undefined),
      });
      answers.push(toldOf(called, answer));
    },
    async show(called, path, of = (seen) => seen) {
      const object = of((await get(path)) as Seen);
      answers.push({ apiVersion: '', kind: 'Shown', metadata: { name: called } as never, object } as KubeObject);
    },
    async until(path, is) {
      const endMs = systemClock.nowMs() + patienceMs;
      for (;;) {
        const found = await get(path);
        if (found !== undefined && is(found as Seen)) return;
        if (systemClock.nowMs() > endMs) throw new Error(`waited in vain for ${path}: ${JSON.stringify(found)}`);
        await sleep(systemClock, 100, { signal });
      }
    },
    async podsOf(app, count, label = 'app') {
      const path = `/api/v1/namespaces/${name}/pods?labelSelector=${label}%3D${app}`;
      for (let tries = 0; tries < 300; tries++) {
        const found = await list(path);
        if (found.length === count) return found;
        await sleep(systemClock, 100, { signal });
      }
      throw new Error(`waited in vain for ${count} pods of ${app}`);
    },
    pause: (ms) => sleep(systemClock, ms, { signal }),
    async beat(node) {
      const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
      const spec = { holderIdentity: node, leaseDurationSeconds: leaseSeconds };
      beating.add(node);
      await ok({
        method: 'POST',
        path,
        ...json({ metadata: { name: node }, spec: { ...spec, renewTime: microtime() } }),
      });
      void (async () => {
        while (beating.has(node) && !signal.aborted) {
          await sleep(systemClock, 2_000, { signal });
          if (beating.has(node))
            await ok({
              method: 'PATCH',
              path: `${path}/${node}`,
              ...json({ spec: { renewTime: microtime() } }, patchTypes.merge),
            });
        }
      })().catch(() => undefined);
    },
    silence: (node) => beating.delete(node),
  };
  const look = async (): Promise<readonly KubeObject[]> => {
    const lists = await Promise.all(
      story.compares.map(async (resource) => {
        const all = await list(resource.startsWith('/') ? resource : stage.within(resource));
        return resource.startsWith('/') ? all.filter(({ metadata }) => metadata.name.startsWith(name)) : all;
      }),
    );
    const events = [
      ...(await list(stage.within('api/v1/events'))),
      ...(await list('/api/v1/namespaces/default/events')),
    ];
    return [...lists.flat(), ...saidOf(events, story)];
  };
  try {
    await stage.post('/api/v1/namespaces', { metadata: { name } });
    await stage.until(stage.within('api/v1/serviceaccounts/default'), () => true);
    await story.play(stage);
    return { answers, look };
  } catch (error) {
    return { answers, look, problem: String(error) };
  }
}

const microtime = (): string => toMicroTime(systemClock.nowMs());

function toldOf(name: string, { code, headers, text }: Answered): KubeObject {
  const retryAfter = headers['retry-after'];
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {}
  return { apiVersion: '', kind: 'Answer', metadata: { name } as never, code, retryAfter, body } as KubeObject;
}

interface Said {
  readonly type: string;
  readonly reason: string;
  readonly message?: string;
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly namespace?: string };
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
}

/** What was said, word for word; how often is a matter of chance. */
function saidOf(events: readonly KubeObject[], { name: story, hears }: Story): readonly KubeObject[] {
  const lines = (events as unknown as readonly Said[])
    .filter(({ involvedObject }) => involvedObject.namespace === story || involvedObject.name.startsWith(story))
    .filter(({ involvedObject }) => hears?.includes(involvedObject.kind) ?? true)
    .map(({ type, reason, message, involvedObject, source, reportingComponent }) => {
      const { kind, name } = involvedObject;
      const component = source?.component ?? reportingComponent;
      // Names that a controller has chosen.
      const said = message?.replace(/((?:Created|Deleted) pod: \S+-)[a-z0-9]{5}$/, '$1<any>');
      return `${type} ${reason} of ${kind} ${name} by ${component}: ${said}`;
    });
  return [...new Set(lines)].map((name) => ({ apiVersion: 'v1', kind: 'Said', metadata: { name } as never }));
}
