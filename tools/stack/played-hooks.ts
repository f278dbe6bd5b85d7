import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, ServedCluster } from '../../packages/cluster/src/e2e/served-cluster.ts';

/** What the pods of the chart's hook Jobs do in a real cluster. A simulated container does nothing, so the test does it for them. */
export interface PlayedHooks {
  /** What they have done, in order: `create`, `patch`. */
  readonly done: readonly string[];
  /** What went wrong. */
  readonly problems: readonly string[];
  /** Does the work of one of them now. */
  work(does: string): Promise<void>;
  /** Follows their pods, and does the work of each that runs, once. Ends when the signal aborts. */
  follow(options: { readonly signal: AbortSignal }): Promise<void>;
}

export interface HooksOptions {
  readonly served: ServedCluster;
  /** What the webhook shows, and who signed it, in PEM. */
  readonly certificate: { readonly cert: string; readonly ca: string };
}

const namespace = '/api/v1/namespaces/lookout';
const configurations = '/apis/admissionregistration.k8s.io/v1';

interface HookPod {
  readonly metadata: { readonly uid: string; readonly labels: Readonly<Record<string, string>> };
  readonly status?: { readonly phase?: string };
}

/** Everything is asked with a token of the hooks' account alone: their roles have to suffice. */
export function createPlayedHooks({ served, certificate }: HooksOptions): PlayedHooks {
  const done: string[] = [];
  const problems: string[] = [];
  const seen = new Set<string>();

  const works: Readonly<Record<string, (ask: AskAs) => Promise<void>>> = {
    async create(ask) {
      const { code } = await ask('GET', `${namespace}/secrets/lookout-admission`);
      if (code !== 404) return;
      const stringData = { ...certificate, key: 'kept by the webhook of the test' };
      const metadata = { name: 'lookout-admission', namespace: 'lookout' };
      await ask('POST', `${namespace}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata, stringData });
    },
    async patch(ask) {
      const { body } = await ask('GET', `${namespace}/secrets/lookout-admission`);
      const { ca } = (body as { readonly data: { readonly ca: string } }).data;
      for (const kind of ['mutating', 'validating'])
        await ask('PATCH', `${configurations}/${kind}webhookconfigurations/lookout`, [
          { op: 'add', path: '/webhooks/0/clientConfig/caBundle', value: ca },
          { op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Fail' },
        ]);
    },
  };

  async function work(does: string): Promise<void> {
    const token = await tokenOf(served);
    await works[does]?.(async (method, path, body) => {
      const type = method === 'PATCH' ? 'application/json-patch+json' : 'application/json';
      const headers = { authorization: `Bearer ${token}`, 'content-type': type };
      const answer = await served.ask(path, {
        ...{ method, headers, anonymous: true },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      if (answer.code >= 400 && answer.code !== 404) problems.push(`${does}: ${method} ${path}: ${answer.text}`);
      return answer;
    });
    done.push(does);
  }

  return {
    done,
    problems,
    work,
    async follow({ signal }) {
      while (!signal.aborted) {
        const { body } = await served.ask(`${namespace}/pods?labelSelector=app%3Dlookout-admission`);
        for (const { metadata, status } of (body as { readonly items?: readonly HookPod[] } | undefined)?.items ?? []) {
          if (status?.phase !== 'Running' || seen.has(metadata.uid)) continue;
          seen.add(metadata.uid);
          await work(metadata.labels['does'] ?? '');
        }
        await pause(50);
      }
    },
  };
}

type AskAs = (method: 'GET' | 'POST' | 'PATCH', path: string, body?: unknown) => Promise<Answer>;

/** As a pod has one mounted. */
async function tokenOf({ ask }: ServedCluster): Promise<string> {
  const path = `${namespace}/serviceaccounts/lookout-admission/token`;
  const { body } = await ask(path, {
    method: 'POST',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return (body as { readonly status: { readonly token: string } }).status.token;
}
