import { expect, test } from 'vitest';
import type { Controller } from '../runtime/controller.ts';
import { endpointsliceController } from './endpointslice/controller.ts';
import { endpointsliceMirroring } from './endpointslicemirroring/controller.ts';
import { nodeIpamController } from './nodeipam/controller.ts';

/** Upstream calls some otherwise than the rest of it: who filters events by their source finds them by these. */
test.each<[Pick<Controller<never>, 'source'>, string]>([
  [endpointsliceController, 'endpoint-slice-controller'],
  [endpointsliceMirroring, 'endpoint-slice-mirroring-controller'],
  [nodeIpamController, 'cidrAllocator'],
])('events name their controller as upstream’s do', ({ source }, expected) => {
  expect(source).toBe(expected);
});
