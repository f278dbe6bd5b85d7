import type { Random } from '../../base/random.ts';
import type { Store } from '../../store/store.ts';
import type { MutatorGroup } from '../admission/mutation-rounds.ts';
import type { CallServer } from '../context/call-server.ts';
import type { ServerContext } from '../context/context.ts';
import type { Converter } from '../context/conversion.ts';
import type { Reviewer } from '../context/reviewer.ts';
import type { Calling } from './call.ts';
import { createHooks, type Hooks } from './configurations.ts';
import { createWebhookConverter } from './converter.ts';
import { createWebhookReviewer, webhookMutators } from './reviewer.ts';

export interface Webhooks {
  readonly reviewer: Reviewer;
  readonly mutators: MutatorGroup;
  readonly converter: Converter;
  readonly hooks: Hooks;
}

export interface WebhooksOptions {
  readonly store: Store;
  readonly context: () => ServerContext;
  readonly callServer?: CallServer | undefined;
  readonly random: Random;
  /** Stages of admission that are left out, by upstream's names. */
  readonly withoutAdmission?: readonly string[] | undefined;
}

/** All that is asked of others over the network: about writes, and about versions of custom resources. */
export function createWebhooks(options: WebhooksOptions): Webhooks {
  const { store, context, callServer, random, withoutAdmission = [] } = options;
  const hooks = createHooks({ store, without: withoutAdmission });
  const calling = (): Calling => ({ context: context(), callServer, random });
  return {
    hooks,
    reviewer: createWebhookReviewer({ hooks, context, calling }),
    mutators: webhookMutators({ hooks, context, calling }),
    converter: createWebhookConverter(calling),
  };
}
