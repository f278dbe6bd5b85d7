import { endWithStarter, tell } from './asset-process.ts';
import { etcdTerms, startEtcd } from './assets/etcd.ts';
import { etcdDialect, parseGivenFlags } from './assets/given-flags.ts';
import { etcdFlags } from './assets/upstream-flags.ts';

/** The program `etcd` of `signalbox test-assets`. */
endWithStarter();
const given = parseGivenFlags(process.argv.slice(2), etcdDialect(etcdFlags));
if (given.is !== 'given') {
  tell('etcd', given.is === 'refused' ? given.message : `run etcd --${given.is}`);
  process.exit(2);
}
try {
  await startEtcd(etcdTerms(given.values));
} catch (error) {
  tell('etcd', error instanceof Error ? error.message : String(error));
  process.exit(1);
}
