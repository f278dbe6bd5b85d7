import { DoorRefusal } from './refusal.ts';

/** What a path of the door asks for. */
export type DoorRequest =
  | { readonly asks: 'health' | 'pods' | 'summary' | 'resource' | 'cadvisor' | 'metrics' }
  | ({ readonly asks: 'log' | 'exec' | 'attach' | 'run' } & PodRequest & { readonly container: string })
  | ({ readonly asks: 'portForward' } & PodRequest)
  | ({ readonly asks: 'proxy'; readonly scheme: string; readonly port: number; readonly path: string } & PodRequest);

interface PodRequest {
  readonly namespace: string;
  readonly pod: string;
}

const plain: ReadonlyMap<string, DoorRequest> = new Map(
  Object.entries({
    healthz: { asks: 'health' },
    pods: { asks: 'pods' },
    runningpods: { asks: 'pods' },
    'stats/summary': { asks: 'summary' },
    'metrics/resource': { asks: 'resource' },
    'metrics/cadvisor': { asks: 'cadvisor' },
    metrics: { asks: 'metrics' },
  } as const),
);

const ofContainer = { containerLogs: 'log', exec: 'exec', attach: 'attach', run: 'run' } as const;

/** `rawPath` is not decoded. Throws 404 for what means nothing. */
export function doorRequest(rawPath: string): DoorRequest {
  const raw = rawPath.slice(1).replace(/\/$/, '');
  const known = plain.get(raw);
  if (known !== undefined) return known;
  const [what = '', namespace = '', pod = '', ...rest] = decoded(raw.split('/').slice(0, 5));
  const [third = '', fourth = ''] = rest;
  if (namespace !== '' && pod !== '') {
    const segments = raw.split('/').length;
    if (isOfContainer(what) && third !== '' && segments <= 5) {
      // Older clients name the uid before the container.
      return { asks: ofContainer[what], namespace, pod, container: fourth === '' ? third : fourth };
    }
    if (what === 'portForward' && segments <= 4) return { asks: 'portForward', namespace, pod };
    const port = Number(fourth);
    if (what === 'proxy' && ['http', 'https'].includes(third) && Number.isInteger(port) && port > 0 && port < 65_536)
      return { asks: 'proxy', namespace, pod, scheme: third, port, path: `/${rawPath.split('/').slice(6).join('/')}` };
  }
  throw new DoorRefusal(404, '404 page not found');
}

function isOfContainer(what: string): what is keyof typeof ofContainer {
  return Object.hasOwn(ofContainer, what);
}

function decoded(segments: readonly string[]): readonly string[] {
  try {
    return segments.map(decodeURIComponent);
  } catch (cause) {
    throw new DoorRefusal(400, `the path cannot be decoded: ${(cause as Error).message}`);
  }
}
