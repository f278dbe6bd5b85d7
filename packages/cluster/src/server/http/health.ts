import { isAnonymous } from '../../api/identities.ts';
import type { HealthCheck, ServedApi } from '../context/served-api.ts';
import { type Answer, textAnswer } from './codec/answer.ts';
import type { Route } from './route.ts';

export interface HealthRequest {
  readonly probe: 'livez' | 'readyz' | 'healthz';
  /** One check by name: `/readyz/store`. */
  readonly check: string | undefined;
  readonly verbose: boolean;
  readonly exclude: readonly string[];
}

export interface Asking {
  /** Whoever is known learns why a check fails; all others only that it does. */
  readonly isKnown: boolean;
}

/** `ok`, or every check with a plus or a minus when one fails or `?verbose` asks. */
export function healthAnswer(
  request: HealthRequest,
  checks: readonly HealthCheck[],
  asking: Asking = { isKnown: false },
): Answer {
  const { probe, check, verbose, exclude } = request;
  if (check !== undefined) return oneCheck(check, checks, asking);
  const counted = checks.filter(({ name }) => !exclude.includes(name));
  const failed = counted.some(({ failure }) => failure !== undefined);
  if (!failed && !verbose) return textAnswer(200, 'ok');
  const lines = checks.map(({ name, failure }) => {
    if (exclude.includes(name)) return `[+]${name} excluded: ok`;
    return failure === undefined ? `[+]${name} ok` : `[-]${name} failed: ${told(failure, asking)}`;
  });
  const surplus = exclude.filter((name) => !checks.some((each) => each.name === name));
  if (surplus.length > 0)
    lines.push(
      `warn: some health checks cannot be excluded: no matches for ${surplus.map((name) => `"${name}"`).join(',')}`,
    );
  const text = `${lines.join('\n')}\n${probe} check ${failed ? 'failed' : 'passed'}\n`;
  return textAnswer(failed ? 500 : 200, text);
}

function told(failure: string, { isKnown }: Asking): string {
  return isKnown ? failure : 'reason withheld';
}

function oneCheck(name: string, checks: readonly HealthCheck[], asking: Asking): Answer {
  const check = checks.find((candidate) => candidate.name === name);
  if (check === undefined)
    // A path of its own that is not there, which upstream answers as its library does.
    return textAnswer(404, '404 page not found\n');
  return check.failure === undefined
    ? textAnswer(200, 'ok')
    : textAnswer(500, `internal server error: ${name} check failed: ${told(check.failure, asking)}`);
}

export interface HealthSources {
  readonly api: Pick<ServedApi, 'checks'>;
  /** Whether no more connections are taken. */
  isClosing?(): boolean;
}

/** `/healthz`, `/livez`, `/readyz`, and each check by name below them, also when the server is full. */
export function healthRoutes(sources: HealthSources): readonly Route[] {
  return (['healthz', 'livez', 'readyz'] as const).map((probe) => ({
    path: `/${probe}`,
    covers: 'below',
    methods: ['GET', 'HEAD'],
    seat: 'none',
    answer({ below, query, user }) {
      const check = below.length === 0 ? undefined : below.join('/');
      const request = { probe, check, verbose: query.has('verbose'), exclude: query.getAll('exclude') };
      return healthAnswer(request, checksOf(probe, sources), { isKnown: !isAnonymous(user) });
    },
  }));
}

/** What a probe looks at. Whoever goes on over an old connection learns that this server ends. */
function checksOf(probe: HealthRequest['probe'], { api, isClosing }: HealthSources): readonly HealthCheck[] {
  const checks = api.checks(probe);
  if (probe !== 'readyz' || isClosing?.() !== true) return checks;
  const others = checks.filter(({ name }) => name !== 'shutdown');
  return [...others, { name: 'shutdown', failure: 'the server is closing' }];
}
