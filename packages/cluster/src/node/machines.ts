import type { Node, Pod } from '../api/generated/core-v1.ts';
import { nodes as nodesType } from '../api/generated/kinds.ts';
import type { Passed, Passing } from '../api/passing.ts';
import { badRequest, failure, internalError, type Status, StatusError } from '../api/status.ts';
import { apiServer } from '../api/system-identities.ts';
import { createClient } from '../client/create-client.ts';
import type { Component, Platform } from '../runtime/component.ts';
import { driverOf, isStopped, type LogQuery, type NodeDriver } from './driver.ts';
import { callKubelet, failureText, type KubeletCredentials } from './kubelet/call.ts';
import { addressOf, type Door, doorOf, kubeletAnnotation } from './kubelet/door.ts';
import { logPath } from './kubelet/log-path.ts';
import { passToKubelet } from './kubelet/pass.ts';
import { createMeasures, type Measures } from './metering/measures.ts';
import { createMeter } from './metering/meter.ts';

/** The machines of the cluster, as the rest of the plane reaches them: by the node that a pod is on, never by a guess. */
export interface Machines {
  /** What a container has written, as it comes. Throws as upstream's server does when the pod's node is not there or does not answer. */
  logs(pod: Pod, query: LogQuery, waiting: { readonly signal: AbortSignal }): Promise<AsyncIterable<string>>;
  /** Hands a request to the kubelet of a node. Throws the refusal of a node that has none, and of one that does not answer. */
  pass(to: MachineRequest, passing: Passing): Promise<Passed>;
  readonly measures: Measures;
  /** Reads what nodes of others say that their pods use. */
  readonly meter: Component;
}

export interface MachineRequest {
  readonly node: string;
  /** With its query: `/exec/default/web/main?command=ls`. */
  readonly path: string;
  /** What is asked for, as clients call it: `pods/exec`, `nodes/proxy`. */
  readonly what: string;
  /** What is told besides the client's own headers: who asks. */
  readonly adds?: Readonly<Record<string, string | readonly string[]>>;
}

export interface MachinesOptions extends Pick<Platform, 'transport' | 'informers' | 'clock' | 'report'> {
  /** Those of the agent that runs now. */
  readonly drivers: () => readonly NodeDriver[];
  /** By what kubelets and the server know each other. */
  readonly credentials?: KubeletCredentials | undefined;
}

export function createMachines(options: MachinesOptions): Machines {
  const { transport, drivers, credentials } = options;
  const client = createClient(transport, apiServer.user);
  const answering = (node: Node): NodeDriver | undefined => (isStopped(node) ? undefined : driverOf(node, drivers()));
  // Throws 404 for a node that is not there: a pod may name any.
  const nodeNamed = (name: string, signal: AbortSignal): Promise<Node> => client.get(nodesType, { name, signal });
  /** Of a node that somebody else runs. */
  const doorIn = (node: Node): Door | undefined =>
    isStopped(node) || driverOf(node, drivers()) !== undefined ? undefined : doorOf(node);
  const meter = createMeter({ ...options, credentials, doorOf: doorIn });
  return {
    measures: createMeasures({ ...options, meter, driverIn: answering }),
    meter: meter.component,
    async logs(pod, query, { signal }) {
      const node = await nodeNamed(pod.spec.nodeName ?? '', signal);
      const driver = answering(node);
      if (driver !== undefined) return driver.logs(pod, query, { signal });
      const door = doorIn(node);
      const path = logPath(pod, query);
      if (door === undefined) throw unreached(unanswered(node, path));
      return doorLogs(door, path, { credentials, signal });
    },
    async pass({ node: name, path, what, adds }, passing) {
      const node = await nodeNamed(name, passing.signal);
      if (answering(node) !== undefined) throw new StatusError(simulated(node, what));
      const door = doorIn(node);
      if (door === undefined) throw unreached(unanswered(node, path));
      if (!door.isOwn && path.startsWith('/proxy/')) throw new StatusError(noWay(node, what));
      try {
        return await passToKubelet({ door, path, credentials, adds }, passing);
      } catch (error) {
        if (error instanceof StatusError || passing.signal.aborted) throw error;
        throw unreached(`error dialing backend: ${failureText(error, door)}`, error);
      }
    },
  };
}

interface Reaching {
  readonly credentials: KubeletCredentials | undefined;
  readonly signal: AbortSignal;
}

async function doorLogs(door: Door, path: string, { credentials, signal }: Reaching): Promise<AsyncIterable<string>> {
  const called = await callKubelet(door, { method: 'GET', path, headers: {}, signal }, credentials).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      throw unreached(`Get "https://${addressOf(door)}${path}": ${failureText(error, door)}`, error);
    },
  );
  const { response } = called;
  const { statusCode = 502 } = response;
  // Bytes of a character may come in two parts.
  response.setEncoding('utf8');
  if (statusCode === 200) return response as AsyncIterable<string>;
  let text = '';
  for await (const part of response as AsyncIterable<string>) text = (text + part).slice(0, 10_000);
  throw new StatusError(kubeletRefusal(statusCode, text.trim()));
}

function kubeletRefusal(code: number, text: string): Status {
  if (code === 400) return badRequest(text);
  if (code === 500) return internalError(text);
  return code === 404 ? failure(404, 'NotFound', text) : failure(code, 'InternalError', text);
}

/** Upstream gives these no reason. */
function unreached(message: string, cause?: unknown): StatusError {
  const { reason: _unknown, ...status } = failure(500, 'InternalError', message);
  return new StatusError(status, { cause });
}

/** Nothing is executed on a simulated node. */
function simulated({ metadata }: Node, what: string): Status {
  const mend =
    what === 'pods/exec' || what === 'pods/attach' || what === 'pods/portforward'
      ? 'what a container writes is in its log'
      : 'what is known of it is in its status';
  return failure(
    405,
    'MethodNotAllowed',
    `this server cannot open a stream into a pod of a simulated node (${what}, node ${metadata.name}), because nothing is executed there; ${mend}`,
  );
}

function noWay({ metadata }: Node, what: string): Status {
  return failure(
    503,
    'ServiceUnavailable',
    `${what} leads to pods by way of their node, and node ${metadata.name} names no way (annotation ${kubeletAnnotation}); use port-forward`,
  );
}

const kubeletPort = 10_250;

/** Clients show this as it is, as upstream's server shows what its own request to the kubelet met. */
function unanswered({ status }: Node, path: string): string {
  const address = status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
  if (address === undefined) return 'no preferred addresses found; known addresses: []';
  const at = `${address}:${kubeletPort}`;
  return `Get "https://${at}${path}": dial tcp ${at}: i/o timeout`;
}
