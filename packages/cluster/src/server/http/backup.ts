import { streamAnswer } from './codec/answer.ts';
import type { Route } from './route.ts';

/** A backup of everything: it holds every secret and the authority's key. */
export function backupRoute(backup: () => Promise<AsyncIterable<Buffer>>): Route {
  return {
    path: '/signalbox/backup',
    covers: 'path',
    methods: ['GET'],
    seat: 'read',
    answer: async () => streamAnswer('application/gzip', await backup()),
  };
}
