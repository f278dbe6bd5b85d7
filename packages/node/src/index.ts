export { lacksOf, type MachineFacts, observeFacts } from './inside/preflight.ts';
export { type StartedInside, type StartInside, startInside } from './inside/start-inside.ts';
export { connectInside, type InsideClient } from './protocol/client.ts';
export { InsideFailure } from './protocol/failure.ts';
export type * from './protocol/inside.ts';
export type * from './protocol/launch.ts';
export type * from './protocol/network.ts';
export { type NodePlaces, nodePlaces } from './protocol/places.ts';
export type * from './protocol/volume.ts';
