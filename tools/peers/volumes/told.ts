/** All that is to be seen of volumes, as lines that two clusters can share. */
import {
  type Client,
  type KubeObject,
  nodes,
  persistentvolumeclaims,
  pods,
  type ResourceType,
  sleep,
  systemClock,
} from '@signalbox/cluster';
import { events, persistentvolumes, volumeattachments } from '../../../packages/cluster/src/api/generated/kinds.ts';

const { signal } = new AbortController();

type Fields = Readonly<Record<string, unknown>>;

const calmMs = 3_500;
const msMax = 30_000;

/** Looks until nothing has changed for a while. */
export async function quiet(client: Client): Promise<readonly string[]> {
  const endMs = systemClock.nowMs() + msMax;
  let lines = await seen(client);
  let sinceMs = systemClock.nowMs();
  while (systemClock.nowMs() < endMs && systemClock.nowMs() - sinceMs < calmMs) {
    await sleep(systemClock, 200, { signal });
    const next = await seen(client);
    if (next.join('\n') !== lines.join('\n')) sinceMs = systemClock.nowMs();
    lines = next;
  }
  return lines;
}

async function seen(client: Client): Promise<readonly string[]> {
  const uids = new Map<string, string>();
  const list = async <T extends KubeObject>(type: ResourceType<T>): Promise<readonly T[]> =>
    (await client.list(type, { signal })).items as readonly T[];
  const claims = await list(persistentvolumeclaims);
  for (const { metadata } of claims) uids.set(metadata.uid, `<${metadata.name}>`);
  const lines = [
    ...claims.map((each) => line('claim', each, { ...(each.spec as Fields), status: each.status })),
    ...(await list(persistentvolumes)).map((each) => {
      const { lastPhaseTransitionTime: _when, ...status } = (each.status ?? {}) as Fields;
      const { claimRef, ...spec } = each.spec;
      const reference = claimRef && `${claimRef.namespace}/${claimRef.name} ${claimRef.uid === undefined ? '' : 'uid'}`;
      return line('volume', each, { ...spec, claimRef: reference, status });
    }),
    ...(await list(volumeattachments)).map((each) => line('attachment', each, { ...each.spec, status: each.status })),
    ...(await list(nodes)).map(({ metadata, status }) =>
      say('node', metadata.name, {
        attached: status.volumesAttached?.map(({ name }) => name).sort(),
        inUse: status.volumesInUse,
      }),
    ),
    ...(await list(pods)).map((each) => line('pod', each, { phase: each.status.phase })),
    ...(await list(events)).map(eventLine).filter((text) => text !== undefined),
  ];
  const told = lines.map((text) => [...uids].reduce((all, [uid, name]) => all.replaceAll(uid, name), text));
  return [...new Set(told)].sort();
}

function line(kind: string, { metadata }: KubeObject, fields: Fields): string {
  const { annotations, finalizers, deletionTimestamp } = metadata;
  const isGoing = deletionTimestamp !== undefined ? true : undefined;
  return say(kind, metadata.name, { annotations, finalizers: finalizers?.toSorted(), isGoing, ...fields });
}

function say(kind: string, name: string, fields: Fields): string {
  return `${kind} ${name} ${JSON.stringify(sorted(fields))}`;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, each]) => [key, sorted(each)]));
}

/** What nodes say of themselves and of their containers is ours on both sides. */
function eventLine(event: KubeObject): string | undefined {
  const { type, reason, message, involvedObject, source, reportingComponent } = event as unknown as EventFields;
  const component = source?.component ?? reportingComponent ?? '';
  if (involvedObject.kind === 'Node' || component === 'kubelet') return undefined;
  return `event ${involvedObject.kind} ${involvedObject.name} ${component} ${type} ${reason}: ${message}`;
}

interface EventFields {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly kind: string; readonly name: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}
