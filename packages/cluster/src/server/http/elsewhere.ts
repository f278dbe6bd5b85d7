import { StatusError } from '../../api/status.ts';
import type { ApiPlace } from '../context/other-apis.ts';
import type { ServedApi } from '../context/served-api.ts';
import type { Answer } from './codec/answer.ts';
import { isWatch } from './codec/query.ts';
import type { Target } from './codec/target.ts';

/** A request that somebody else answers, path and all. */
export interface Elsewhere extends ApiPlace {
  /** Whether it lasts for as long as its client likes. */
  readonly isLasting: boolean;
}

/** Undefined: it is this server's own. Discovery of one version stays here, too: it is merged with the rest. */
export function elsewhereOf(api: ServedApi, { segments, query }: Target): Elsewhere | undefined {
  const [root, group, version, resource] = segments;
  if (root !== 'apis' || group === undefined || version === undefined || resource === undefined) return undefined;
  if (api.isElsewhere?.({ group, version }) !== true) return undefined;
  return { group, version, isLasting: isLasting(query) };
}

/** What cannot be read is refused by whoever answers. */
function isLasting(query: Target['query']): boolean {
  try {
    return isWatch(query);
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}

/** The same answer; its end is told once, also when nobody reads it to the end. */
export function endTold(answer: Answer, ended: () => void): Answer {
  const { body } = answer;
  if (body.is !== 'stream') {
    ended();
    return answer;
  }
  return { ...answer, body: { is: 'stream', pieces: told(body.pieces, ended) } };
}

async function* told(pieces: AsyncIterable<Buffer>, ended: () => void): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } finally {
    ended();
  }
}
