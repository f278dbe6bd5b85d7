export type * from './protocol/inside.ts';
export type * from './protocol/launch.ts';
export type * from './protocol/network.ts';
export { type NodePlaces, nodePlaces } from './protocol/places.ts';
export type * from './protocol/volume.ts';
