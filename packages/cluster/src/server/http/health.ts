import { failure } from '../../api/status.ts';
import { type Answer, statusAnswer, textAnswer } from './answer.ts';
import type { HealthRequest } from './decode.ts';
import type { HealthCheck } from './served-api.ts';

/** `ok`, or every check with a plus or a minus when one fails or `?verbose` asks. Reasons stay in the log, as upstream. */
export function healthAnswer(request: HealthRequest, checks: readonly HealthCheck[]): Answer {
  const { probe, check, verbose, exclude } = request;
  if (check !== undefined) return oneCheck(check, checks);
  const counted = checks.filter(({ name }) => !exclude.includes(name));
  const failed = counted.some(({ failure }) => failure !== undefined);
  if (!failed && !verbose) return textAnswer(200, 'ok');
  const lines = checks.map(({ name, failure }) => {
    if (exclude.includes(name)) return `[+]${name} excluded: ok`;
    return failure === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  const text = `${lines.join('\n')}\n${probe} check ${failed ? 'failed' : 'passed'}\n`;
  return textAnswer(failed ? 500 : 200, text);
}

function oneCheck(name: string, checks: readonly HealthCheck[]): Answer {
  const check = checks.find((candidate) => candidate.name === name);
  if (check === undefined)
    return statusAnswer(failure(404, 'NotFound', `there is no check ${JSON.stringify(name)}`, {}));
  return check.failure === undefined
    ? textAnswer(200, 'ok')
    : textAnswer(500, `internal server error: ${name} check failed: reason withheld`);
}
