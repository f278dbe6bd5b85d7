/**
 * Upstream's control plane in a folder, on ports of its own: etcd, kube-apiserver and, as is asked for, its controllers and
 * its scheduler. It has no nodes; `fleet.ts` has some. For tests of ours beside upstream's.
 */
import { createPublicKey } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Connection,
  type FurtherCertificate,
  loadServingPki,
  type PemPair,
  type Pki,
  sleep,
  systemClock,
  writeKubeconfig,
} from '@signalbox/cluster';
import { freePorts } from '@signalbox/cluster/testing';
import { type AuditRecord, parseAudit } from './audit.ts';
import {
  type AlsoOn,
  apiServerFlags,
  auditPolicyText,
  controllerManagerFlags,
  etcdFlags,
  type SchedulerFlags,
  schedulerFlags,
} from './flags.ts';
import { type Running, start } from './processes.ts';
import type { Programs } from './programs.ts';
import { createRequests, type Requests } from './requests.ts';

export interface ControlPlane {
  /** `https://127.0.0.1:41234` */
  readonly server: string;
  /** The path of the administrator's. */
  readonly kubeconfig: string;
  /** The administrator's. */
  readonly connection: Connection;
  /** By the administrator. */
  readonly requests: Requests;
  readonly pki: Pki;
  /** Begins a part that was left out until now. */
  begin(part: Part): Promise<void>;
  /** Ends a part, if it runs. */
  end(part: Part): Promise<void>;
  /** Every request that was answered until now. */
  audited(): readonly AuditRecord[];
  /** Ends all parts. */
  close(): Promise<void>;
}

export type Part = 'kube-controller-manager' | 'kube-scheduler';
const allParts: readonly Part[] = ['kube-controller-manager', 'kube-scheduler'];

export interface ControlPlaneOptions {
  readonly programs: Programs;
  /** Empty; removed by whoever made it. */
  readonly folder: string;
  /** What runs besides the API. The default is both. */
  readonly parts?: readonly Part[];
  /** Which of upstream's controllers run; the default is all that run by themselves. */
  readonly controllers?: readonly string[];
  /** What its controller manager is told besides: `--node-monitor-grace-period=10s`. */
  readonly managerFlags?: readonly string[];
  /** Rules of admission that are left out. */
  readonly withoutAdmission?: readonly string[];
  /** What its API server serves besides. */
  readonly alsoOn?: AlsoOn;
}

/** How long a part may take until it answers. A machine that has much else to do needs most of it. */
const readyMsMax = 90_000;
const lookEveryMs = 100;

/** Resolves when the API answers that it is ready. Rejects with the end of the log of what failed; then nothing runs. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const { programs, folder, parts = allParts, controllers, managerFlags, withoutAdmission, alsoOn } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const pki = (await loadServingPki({ folder, further: allParts.map(certificateOf) })).current();
  const places = { folder, pki: join(folder, 'pki') };
  const running: Running[] = [];
  const close = async (): Promise<void> => {
    // The API before its store, and who asks the API before it.
    for (const each of running.splice(0).reverse()) await each.end();
  };
  try {
    const [client = 0, peer = 0, port = 0] = await freePorts(3);
    running.push(await run({ programs, folder, name: 'etcd' }, etcdFlags(places, { client, peer })));
    const [auditPolicy, auditLog] = [join(folder, 'audit-policy.yaml'), join(folder, 'audit.log')];
    writeFileSync(auditPolicy, auditPolicyText);
    // It reads no public key out of a private one.
    writeFileSync(join(places.pki, 'sa.pub'), createPublicKey(pki.tokenKey).export({ type: 'spki', format: 'pem' }));
    const flags = apiServerFlags({
      ...places,
      port,
      etcdPort: client,
      auditPolicy,
      auditLog,
      withoutAdmission,
      alsoOn,
    });
    running.push(await run({ programs, folder, name: 'kube-apiserver' }, flags));
    const server = `https://127.0.0.1:${port}`;
    const requests = createRequests({ server, ca: pki.ca, client: pki.admin });
    await untilReady(requests, running);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeKubeconfig(kubeconfig, { server, ca: pki.ca, client: pki.admin });
    const begun = new Map<Part, Running>();
    const begin = async (part: Part): Promise<void> => {
      const started = await startPart(part, { programs, folder, server, pki, controllers, managerFlags });
      begun.set(part, started);
      running.push(started);
    };
    const end = async (part: Part): Promise<void> => begun.get(part)?.end();
    for (const part of parts) await begin(part);
    return {
      ...{ begin, end },
      ...{ server, kubeconfig, requests, pki },
      connection: connectionBy(pki.admin, { server, ca: pki.ca }),
      audited: () => parseAudit(readFileSync(auditLog, 'utf8')),
      async close() {
        requests.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

export interface PartOptions {
  readonly programs: Programs;
  /** Its kubeconfig and log are written there; certificates lie in `pki` below it, as `serveCluster` keeps them. */
  readonly folder: string;
  /** Of upstream's API server, or of ours. */
  readonly server: string;
  /** Loaded with {@link certificateOf} the part among `further`. */
  readonly pki: Pki;
  readonly controllers?: readonly string[] | undefined;
  readonly scheduling?: SchedulerFlags | undefined;
  readonly managerFlags?: readonly string[] | undefined;
}

/** A part of upstream's control plane on any API server. */
export async function startPart(
  part: Part,
  { programs, folder, server, pki, controllers, managerFlags, scheduling }: PartOptions,
): Promise<Running> {
  const kubeconfig = join(folder, `${part}.kubeconfig`);
  const client = pki.further[part];
  if (client === undefined)
    throw new Error(`there is no certificate for ${part}: load them with certificateOf('${part}')`);
  await writeKubeconfig(kubeconfig, { server, ca: pki.ca, client });
  const flags = { pki: join(folder, 'pki'), kubeconfig, ...(controllers && { controllers }) };
  return run(
    { programs, folder, name: part },
    part === 'kube-scheduler'
      ? schedulerFlags(flags, scheduling)
      : controllerManagerFlags({ ...flags, ...(managerFlags && { further: managerFlags }) }),
  );
}

/** By which a part says who it is. */
export function certificateOf(part: Part): FurtherCertificate {
  return { file: part, usage: 'client', names: [], subject: { commonName: `system:${part}`, organizations: [] } };
}

function run(
  { programs, folder, name }: Pick<PartOptions, 'programs' | 'folder'> & { readonly name: keyof Programs },
  flags: readonly string[],
): Promise<Running> {
  return start({ program: programs[name], flags, log: join(folder, `${name}.log`) });
}

function connectionBy(
  certificate: PemPair,
  { server, ca }: { readonly server: string; readonly ca: string },
): Connection {
  return { server, tls: { ca }, credentials: { get: () => Promise.resolve({ certificate }) } };
}

async function untilReady(requests: Requests, running: readonly Running[]): Promise<void> {
  const { signal } = new AbortController();
  const untilMs = systemClock.nowMs() + readyMsMax;
  for (;;) {
    const dead = running.find((each) => each.over() !== undefined);
    if (dead !== undefined) throw new Error(`${dead.over()}: ${dead.tail()}`);
    const said = await requests.ask({ method: 'GET', path: '/readyz' }).catch((error: unknown) => error);
    if (said instanceof Object && 'code' in said && said.code === 200) return;
    if (systemClock.nowMs() > untilMs)
      throw new Error(`it is not ready within ${readyMsMax / 1_000} s: ${running.at(-1)?.tail()}`);
    await sleep(systemClock, lookEveryMs, { signal });
  }
}
