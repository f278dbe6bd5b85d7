import type { MutatingWebhook, RuleWithOperations } from '../../api/generated/admissionregistration-v1.ts';
import { mutatingwebhookconfigurations, validatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import { mutatingwebhookconfigurationDefinition } from '../../resources/admissionregistration/mutatingwebhookconfiguration.ts';
import { validatingwebhookconfigurationDefinition } from '../../resources/admissionregistration/validatingwebhookconfiguration.ts';
import type { ResourceDefinition } from '../../resources/resource.ts';
import { createTestServer, type TestServer, type TestServerOptions } from '../api-server.ts';
import { createFakeHooks, type FakeHooks } from './fake-hooks.ts';

/** A server and the webhooks that it may call. */
export interface WebhookWorld extends TestServer {
  readonly hooks: FakeHooks;
  /** Configures webhooks that are asked at `/NAME`, about everything that is done to ConfigMaps unless they say otherwise. */
  mutating(configuration: string, ...webhooks: readonly Partial<MutatingWebhook>[]): Promise<void>;
  validating(configuration: string, ...webhooks: readonly Partial<MutatingWebhook>[]): Promise<void>;
}

export async function createWebhookWorld(options: TestServerOptions = {}): Promise<WebhookWorld> {
  const hooks = createFakeHooks();
  const { definitions = [] } = options;
  const own = [mutatingwebhookconfigurationDefinition, validatingwebhookconfigurationDefinition];
  const server = await createTestServer({
    callServer: hooks,
    ...options,
    definitions: [...(own as unknown as readonly ResourceDefinition[]), ...definitions],
  });
  const configure = async (
    resource: typeof mutatingwebhookconfigurations | typeof validatingwebhookconfigurations,
    name: string,
    webhooks: readonly Partial<MutatingWebhook>[],
  ): Promise<void> => {
    await server.create(resource, { metadata: { name }, webhooks: webhooks.map(completed) });
  };
  return {
    ...server,
    hooks,
    mutating: (name, ...webhooks) => configure(mutatingwebhookconfigurations, name, webhooks),
    validating: (name, ...webhooks) => configure(validatingwebhookconfigurations, name, webhooks),
  };
}

export const everyConfigMap: RuleWithOperations = {
  apiGroups: [''],
  apiVersions: ['*'],
  operations: ['*'],
  resources: ['configmaps'],
};

function completed(webhook: Partial<MutatingWebhook>): Partial<MutatingWebhook> {
  const { name = 'a' } = webhook;
  return {
    clientConfig: { url: `https://hooks.example.com/${name}` },
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    rules: [everyConfigMap],
    ...webhook,
    name: `${name}.example.com`,
  };
}
