import { createHash } from 'node:crypto';
import type { TLSSocket } from 'node:tls';
import { type Client, type Clock, subjectaccessreviews, tokenreviews, type User } from '@signalbox/cluster';

export interface DoorJudge {
  /** Who may: undefined. Else the code and the words of the refusal. */
  refusal(asked: Asked): Promise<Refusal | undefined>;
}

export interface Asked {
  readonly socket: TLSSocket;
  readonly authorization: string | undefined;
  readonly method: string;
  readonly path: string;
}

export interface Refusal {
  readonly code: 401 | 403;
  readonly message: string;
}

export interface JudgeOptions {
  readonly nodeName: string;
  /** As the node: it may ask who shows a token, and what they may. */
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

const apiServerName = 'kube-apiserver-kubelet-client';
const mastersGroup = 'system:masters';
/** How long a yes is kept: agents that scrape ask often. */
const keepMs = 10_000;
const keptMax = 1_000;

/** The API server and administrators by their certificates; everybody else as the API server says. */
export function createJudge({ nodeName, client, clock, signal }: JudgeOptions): DoorJudge {
  const allowed = new Map<string, number>();
  const userOf = async ({ socket, authorization }: Asked): Promise<User | undefined> => {
    if (socket.authorized) return certificateUser(socket);
    const token = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) return undefined;
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {}, spec: { token } };
    const { status } = await client.create(tokenreviews, review as never, { signal });
    const user = status?.authenticated === true ? status.user : undefined;
    return user?.username === undefined ? undefined : { name: user.username, groups: user.groups ?? [] };
  };
  const ask = async (user: User, { verb, subresource }: NodeAccess): Promise<boolean> => {
    const spec = {
      user: user.name,
      groups: user.groups,
      resourceAttributes: { verb, version: 'v1', resource: 'nodes', subresource, name: nodeName },
    };
    const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', metadata: {}, spec };
    return (await client.create(subjectaccessreviews, review as never, { signal })).status?.allowed === true;
  };
  return {
    async refusal(asked) {
      const access = accessOf(asked);
      const key = keyOf(asked, access);
      if ((allowed.get(key) ?? 0) > clock.nowMs()) return undefined;
      const user = await userOf(asked);
      if (user === undefined) return { code: 401, message: 'Unauthorized' };
      if (!isTrusted(user) && !(await ask(user, access)))
        return { code: 403, message: forbidden(user, access, nodeName) };
      if (allowed.size >= keptMax) allowed.clear();
      allowed.set(key, clock.nowMs() + keepMs);
      return undefined;
    },
  };
}

function certificateUser(socket: TLSSocket): User | undefined {
  const { CN, O } = (socket.getPeerCertificate().subject ?? {}) as {
    readonly CN?: string;
    readonly O?: string | readonly string[];
  };
  if (CN === undefined) return undefined;
  return { name: CN, groups: O === undefined ? [] : typeof O === 'string' ? [O] : O };
}

function isTrusted({ name, groups }: User): boolean {
  return name === apiServerName || groups.includes(mastersGroup);
}

interface NodeAccess {
  readonly verb: string;
  readonly subresource: string;
}

const verbs: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** What the path is called where roles are written. */
function accessOf({ method, path }: Asked): NodeAccess {
  const [, first = ''] = path.split('/');
  const known: Readonly<Record<string, string>> = {
    stats: 'stats',
    metrics: 'metrics',
    logs: 'log',
    pods: 'pods',
    healthz: 'healthz',
  };
  return { verb: verbs[method] ?? method.toLowerCase(), subresource: known[first] ?? 'proxy' };
}

/** A hash: tokens are not kept. */
function keyOf({ socket, authorization = '' }: Asked, { verb, subresource }: NodeAccess): string {
  const who = socket.authorized ? socket.getPeerCertificate().fingerprint256 : authorization;
  return createHash('sha256').update(`${verb} ${subresource} ${who}`).digest('base64');
}

function forbidden({ name }: User, { verb, subresource }: NodeAccess, node: string): string {
  return `Forbidden (user=${name}, verb=${verb}, resource=nodes, subresource(s)=[${subresource}], node=${node})`;
}
