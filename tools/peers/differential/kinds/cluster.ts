import { customResourceSchema, type JsonObject } from '@signalbox/cluster';
import { type Played, played } from './played.ts';

const isNamespaced = false;

function hasConditions({ status }: JsonObject): boolean {
  return (status as { readonly conditions?: readonly unknown[] } | undefined)?.conditions?.length !== undefined;
}

const text = { type: 'string' };
const whole = { type: 'integer' };
/** The index of built-in definitions does not have it. */
const apiService = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        ...{ group: text, version: text, groupPriorityMinimum: whole, versionPriority: whole, caBundle: text },
        insecureSkipTLSVerify: { type: 'boolean' },
        service: { type: 'object', properties: { name: text, namespace: text, port: whole } },
      },
    },
  },
};

/** Kinds without a namespace. */
export const clusterScoped: readonly Played[] = [
  played('v1 Namespace namespaces', {
    ...{ isNamespaced, hasStatus: true, isShared: true, examples: [{}] },
    doors: [{ path: 'finalize', definition: 'io.k8s.api.core.v1.Namespace', methods: ['PUT'] }],
  }),
  played('v1 Node nodes', {
    ...{ isNamespaced, hasStatus: true },
    examples: [
      {},
      {
        metadata: { labels: { app: 'a' } },
        spec: { podCIDR: '10.1.0.0/24', taints: [{ key: 'a', effect: 'NoSchedule' }] },
        status: { capacity: { cpu: '4', memory: '8Gi' }, conditions: [{ type: 'Ready', status: 'True' }] },
      },
    ],
  }),
  played('v1 PersistentVolume persistentvolumes', {
    ...{ isNamespaced, hasStatus: true },
    examples: [{ spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/data' } } }],
  }),
  played('scheduling.k8s.io/v1 PriorityClass priorityclasses', {
    ...{ isNamespaced, isShared: true, examples: [{ value: 10, description: 'a' }] },
  }),
  played('storage.k8s.io/v1 StorageClass storageclasses', {
    ...{ isNamespaced, examples: [{ provisioner: 'example.com/a', parameters: { a: 'b' } }] },
  }),
  played('storage.k8s.io/v1 VolumeAttributesClass volumeattributesclasses', {
    ...{ isNamespaced, examples: [{ driverName: 'example.com', parameters: { a: 'b' } }] },
  }),
  played('storage.k8s.io/v1 CSIDriver csidrivers', {
    ...{ isNamespaced, examples: [{ spec: { attachRequired: false, tokenRequests: [{ audience: 'a' }] } }] },
  }),
  played('storage.k8s.io/v1 CSINode csinodes', {
    ...{ isNamespaced, examples: [{ spec: { drivers: [{ name: 'example.com', nodeID: 'a' }] } }] },
  }),
  played('storage.k8s.io/v1 VolumeAttachment volumeattachments', {
    ...{ isNamespaced, hasStatus: true },
    examples: [{ spec: { attacher: 'example.com', nodeName: 'a', source: { persistentVolumeName: 'a' } } }],
  }),
  played('networking.k8s.io/v1 IngressClass ingressclasses', {
    ...{ isNamespaced, examples: [{ spec: { controller: 'example.com/a' } }] },
  }),
  played('networking.k8s.io/v1 ServiceCIDR servicecidrs', {
    ...{ isNamespaced, hasStatus: true, isShared: true },
    examples: [{ spec: { cidrs: ['192.0.2.0/28'] } }],
  }),
  played('networking.k8s.io/v1 IPAddress ipaddresses', {
    ...{ isNamespaced, isShared: true, named: (name) => name.replace('o-', '192.0.2.') },
    examples: [{ spec: { parentRef: { resource: 'services', namespace: 'played', name: 'a' } } }],
  }),
  played('node.k8s.io/v1 RuntimeClass runtimeclasses', {
    ...{ isNamespaced, examples: [{ handler: 'a', scheduling: { nodeSelector: { a: 'b' } } }] },
  }),
  played('resource.k8s.io/v1 DeviceClass deviceclasses', {
    ...{ isNamespaced, examples: [{ spec: {} }] },
  }),
  played('resource.k8s.io/v1 ResourceSlice resourceslices', {
    isNamespaced,
    examples: [
      {
        spec: {
          ...{ driver: 'example.com', nodeName: 'a', devices: [{ name: 'a' }] },
          pool: { name: 'a', generation: 1, resourceSliceCount: 1 },
        },
      },
    ],
  }),
  played('apiextensions.k8s.io/v1 CustomResourceDefinition customresourcedefinitions', {
    ...{ isNamespaced, hasStatus: true, isShared: true, isSettled: hasConditions },
    definition: 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition',
    named: (name) => `${name}.played.example.com`,
    examples: [
      {
        spec: {
          ...{ group: 'played.example.com', scope: 'Namespaced' },
          names: { plural: '{name}', singular: '{name}-s', kind: '{name}-k', listKind: '{name}-l' },
          versions: [
            {
              ...{ name: 'v1', served: true, storage: true, subresources: { status: {} } },
              schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
              additionalPrinterColumns: [{ name: 'A', type: 'string', jsonPath: '.spec.a' }],
            },
          ],
        },
      },
    ],
  }),
  played('apiregistration.k8s.io/v1 APIService apiservices', {
    ...{ isNamespaced, hasStatus: true, isShared: true, isSettled: hasConditions },
    schema: () => customResourceSchema(apiService),
    named: (name) => `v1.${name}.example.com`,
    examples: [
      {
        spec: {
          ...{ group: '{name}.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
          ...{ service: { name: 'a', namespace: 'played' }, insecureSkipTLSVerify: true },
        },
      },
    ],
  }),
];
