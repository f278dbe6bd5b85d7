import type { Dumps } from '../flowcontrol/dumps.ts';
import { textAnswer } from './codec/answer.ts';
import type { Route, RouteRequest } from './route.ts';

/** Who runs and who waits, as upstream shows it to whoever has to find out why. */
export function flowRoutes(dumps: Dumps): readonly Route[] {
  const route = (name: string, show: (request: RouteRequest) => string): Route => ({
    path: `/debug/api_priority_and_fairness/dump_${name}`,
    covers: 'path',
    methods: ['GET'],
    seat: 'read',
    isListed: false,
    answer: (request) => textAnswer(200, show(request)),
  });
  return [
    route('priority_levels', () => dumps.levels()),
    route('queues', () => dumps.queues()),
    route('requests', ({ query }) => dumps.requests({ hasDetails: (query.get('includeRequestDetails') ?? '') !== '' })),
  ];
}
