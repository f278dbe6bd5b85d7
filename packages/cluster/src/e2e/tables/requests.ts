/** What the requests of the tables are made of. */
import type { AskOptions } from '../served-cluster.ts';

export const maps = '/api/v1/namespaces/default/configmaps';
export const secrets = '/api/v1/namespaces/default/secrets';
export const pods = '/api/v1/namespaces/default/pods';
export const daemonsets = '/apis/apps/v1/namespaces/default/daemonsets';
export const deployments = '/apis/apps/v1/namespaces/default/deployments';
export const services = '/api/v1/namespaces/default/services';
export const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Of a workload. */
export const template: Template = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'a', image: 'b' }] },
};
interface Template {
  readonly metadata: { readonly labels: object };
  readonly spec: { readonly containers: readonly { readonly name: string; readonly image: string }[] };
}

export const selector: { readonly matchLabels: { readonly app: string } } = { matchLabels: { app: 'x' } };
export type Body = string | Buffer | object;
export const post = (body: Body): AskOptions => ({ method: 'POST', body });
export const put = (body: Body): AskOptions => ({ method: 'PUT', body });
export const patch = (type: string, body: Body): AskOptions => ({
  method: 'PATCH',
  body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  headers: { 'content-type': `application/${type}` },
});
export const json = (body: unknown): AskOptions => patch('json-patch+json', body as object);
export const merge = (body: unknown): AskOptions => patch('merge-patch+json', body as object);
export const strategic = (body: unknown): AskOptions => patch('strategic-merge-patch+json', body as object);
export const map = (metadata: object, more: object = {}): AskOptions => post({ metadata, ...more });
export const pod = (container: object, spec: object = {}): AskOptions =>
  post({ metadata: { name: 'bad' }, spec: { containers: [{ name: 'a', image: 'b', ...container }], ...spec } });
export const widget = (spec: unknown, more: object = {}): AskOptions =>
  post({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'bad' }, spec, ...more });
export const widgets = '/apis/example.com/v1/namespaces/default/widgets';

export const crd = (change: {
  readonly name?: string;
  readonly spec?: object;
  readonly version?: object;
  readonly schema?: object;
}): AskOptions => {
  const schema = { type: 'object', properties: { spec: { type: 'object', ...change.schema } } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema }, ...change.version };
  return post({
    metadata: { name: change.name ?? 'gadgets.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'gadgets', kind: 'Gadget', singular: 'gadget', listKind: 'GadgetList' },
      versions: [version],
      ...change.spec,
    },
  });
};

/** code, reason, and what the message or the field of a cause must be. */
export type Row = readonly [
  what: string,
  path: string,
  options: AskOptions,
  code: number,
  reason: string,
  says: string,
];
