import type {
  HTTPGetAction,
  Lifecycle,
  LifecycleHandler,
  Probe,
  SleepAction,
} from '../../../../api/generated/core-v1.ts';
import type { Issue } from '../../../../api/issue.ts';
import { inside, type Place } from './place.ts';

export const portNumberText: string = 'must be between 1 and 65535, inclusive';
const portNameLengthMax = 15;
const portNameLetters = /^[-a-z0-9]+$/;
const someLetter = /[a-z]/;
const headerName = /^[-A-Za-z0-9]+$/;
const headerNameText =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const counts = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;
const stopSignals = /^SIG[A-Z0-9+-]{2,12}$/;

/** What is wrong with the name of a port (IANA service name); nothing when it is right. */
export function portNameFaults(name: string): readonly string[] {
  const faults: string[] = [];
  if (name.length > portNameLengthMax) faults.push(`must be no more than ${portNameLengthMax} characters`);
  if (!portNameLetters.test(name))
    faults.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  if (!someLetter.test(name)) faults.push('must contain at least one letter (a-z)');
  if (name.includes('--')) faults.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) faults.push('must not begin or end with a hyphen');
  return faults;
}

export function* validateProbe(probe: Probe, at: Place): Iterable<Issue> {
  yield* validateHandler(probe, at, {});
  for (const field of counts) {
    const count = probe[field] ?? 0;
    if (count < 0) yield at()(field).invalid(count, 'must be greater than or equal to 0');
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0)
    yield at()('terminationGracePeriodSeconds').invalid(grace, 'must be greater than 0');
}

export function* validateLifecycle(
  lifecycle: Lifecycle,
  at: Place,
  { gracePeriodSeconds }: { readonly gracePeriodSeconds: number },
): Iterable<Issue> {
  if (lifecycle.postStart !== undefined)
    yield* validateHandler(lifecycle.postStart, inside(at, 'postStart'), { gracePeriodSeconds });
  if (lifecycle.preStop !== undefined)
    yield* validateHandler(lifecycle.preStop, inside(at, 'preStop'), { gracePeriodSeconds });
  if (lifecycle.stopSignal !== undefined && !stopSignals.test(lifecycle.stopSignal))
    yield at()('stopSignal').invalid(lifecycle.stopSignal, 'must be the name of a signal, e.g. SIGTERM');
}

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'> & Pick<LifecycleHandler, 'sleep'>;

interface HandlerRules {
  readonly gracePeriodSeconds?: number;
}

function* validateHandler(handler: Handler, at: Place, rules: HandlerRules): Iterable<Issue> {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  let count = 0;
  const another = function* (field: string): Iterable<Issue> {
    count++;
    if (count > 1) yield at()(field).forbidden('may not specify more than 1 handler type');
  };
  if (exec !== undefined) {
    yield* another('exec');
    if (count === 1 && (exec.command ?? []).length === 0) yield at()('exec', 'command').required();
  }
  if (httpGet !== undefined) {
    yield* another('httpGet');
    if (count === 1) yield* validateHttpGet(httpGet, inside(at, 'httpGet'));
  }
  if (tcpSocket !== undefined) {
    yield* another('tcpSocket');
    if (count === 1) yield* validatePortReference(tcpSocket.port, inside(at, 'tcpSocket', 'port'));
  }
  if (grpc !== undefined) {
    yield* another('grpc');
    if (count === 1) yield* validatePortReference(grpc.port, inside(at, 'grpc', 'port'));
  }
  if (sleep !== undefined) {
    yield* another('sleep');
    if (count === 1) yield* validateSleep(sleep, inside(at, 'sleep'), rules);
  }
  if (count === 0) yield at().required('must specify a handler type');
}

function* validateHttpGet(action: HTTPGetAction, at: Place): Iterable<Issue> {
  if ((action.path ?? '') === '') yield at()('path').required();
  yield* validatePortReference(action.port, inside(at, 'port'));
  const { scheme = '' } = action;
  if (scheme !== 'HTTP' && scheme !== 'HTTPS') yield at()('scheme').notSupported(scheme, ['HTTP', 'HTTPS']);
  for (const { name } of action.httpHeaders ?? [])
    if (!headerName.test(name ?? '')) yield at()('httpHeaders').invalid(name ?? '', headerNameText);
}

/** A number, or the name of one of the container's ports. */
function* validatePortReference(port: number | string | undefined, at: Place): Iterable<Issue> {
  if (typeof port === 'string') for (const fault of portNameFaults(port)) yield at().invalid(port, fault);
  else if (port === undefined || port < 1 || port > 65_535) yield at().invalid(port ?? 0, portNumberText);
}

function* validateSleep(action: SleepAction, at: Place, { gracePeriodSeconds = 0 }: HandlerRules): Iterable<Issue> {
  if (action.seconds < 0 || action.seconds > gracePeriodSeconds)
    yield at().invalid(
      action.seconds,
      `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`,
    );
}
