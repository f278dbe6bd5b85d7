import { systemClock } from '@signalbox/cluster';
import { endWithStarter, refuse, tell } from './asset-process.ts';
import { startApiServer } from './assets/api-server.ts';
import { apiServerTerms } from './assets/api-server-terms.ts';
import { besideApi } from './assets/controllers.ts';
import { apiServerDialect, parseGivenFlags } from './assets/given-flags.ts';
import { apiServerFlags } from './assets/upstream-flags.ts';

/**
 * The program `kube-apiserver` of `signalbox test-assets`. Its objects are in memory, so there is nothing to save: it ends
 * at once when it is told to, and with whoever started it.
 */
const program = 'kube-apiserver';
endWithStarter();
try {
  const given = parseGivenFlags(process.argv.slice(2), apiServerDialect(apiServerFlags));
  if (given.is !== 'given') refuse(given.is === 'refused' ? given.message : `run ${program} --${given.is}`);
  const terms = apiServerTerms(given.values);
  for (const note of terms.notes) tell(program, note);
  const { url } = await startApiServer({
    ...{ terms, beside: besideApi(process.env), clock: systemClock },
    report: ({ component, message, error }) =>
      tell(program, `${component}: ${message}${error instanceof Error ? `: ${error.message}` : ''}`),
  });
  tell(program, `Signalbox serves ${url}`);
} catch (error) {
  refuse(error instanceof Error ? error.message : String(error));
}
