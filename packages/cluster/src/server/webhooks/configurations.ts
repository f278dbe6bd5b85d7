import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../api/generated/admissionregistration-v1.ts';
import { mutatingwebhookconfigurations, validatingwebhookconfigurations } from '../../api/generated/kinds.ts';
import type { Store } from '../../store/store.ts';
import type { WriteListener } from '../context/context.ts';
import { resourcePrefix } from '../context/keys.ts';

export interface Hook<T extends MutatingWebhook | ValidatingWebhook = MutatingWebhook | ValidatingWebhook> {
  /** Tells it from all others, also from one of the same name. */
  readonly id: string;
  readonly webhook: T;
}

/** The webhooks that are configured now: those of one configuration in their order, the configurations by name. */
export interface Hooks extends WriteListener {
  mutating(): readonly Hook<MutatingWebhook>[];
  validating(): readonly Hook<ValidatingWebhook>[];
  /** Reads what is stored. */
  resume(): void;
}

export interface HooksOptions {
  readonly store: Store;
  /** Names of upstream's stages that ask nobody. */
  readonly without: readonly string[];
}

type Configuration<T> = Pick<MutatingWebhookConfiguration | ValidatingWebhookConfiguration, 'metadata'> & {
  readonly webhooks?: readonly T[];
};

/** Known by every write of a configuration: it holds from the answer on, and costs others nothing. */
export function createHooks({ store, without }: HooksOptions): Hooks {
  const kinds = {
    mutating: createKind<MutatingWebhook>(resourcePrefix(mutatingwebhookconfigurations)),
    validating: createKind<ValidatingWebhook>(resourcePrefix(validatingwebhookconfigurations)),
  };
  const all = [kinds.mutating, kinds.validating];
  return {
    mutating: without.includes('MutatingAdmissionWebhook') ? () => [] : kinds.mutating.hooks,
    validating: without.includes('ValidatingAdmissionWebhook') ? () => [] : kinds.validating.hooks,
    put({ key, value }) {
      for (const kind of all) if (key.startsWith(kind.prefix)) kind.put(value as Configuration<never>);
    },
    removed({ key, value }) {
      for (const kind of all) if (key.startsWith(kind.prefix)) kind.remove(value as Configuration<never>);
    },
    resume() {
      for (const kind of all) {
        const found = store.list(kind.prefix);
        if (!('expired' in found)) for (const { value } of found.items) kind.put(value as Configuration<never>);
      }
    },
  };
}

interface Kind<T extends MutatingWebhook | ValidatingWebhook> {
  readonly prefix: string;
  hooks(): readonly Hook<T>[];
  put(configuration: Configuration<T>): void;
  remove(configuration: Configuration<T>): void;
}

function createKind<T extends MutatingWebhook | ValidatingWebhook>(prefix: string): Kind<T> {
  const configurations = new Map<string, readonly Hook<T>[]>();
  let hooks: readonly Hook<T>[] = [];
  const arrange = (): void => {
    hooks = [...configurations].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, own]) => own);
  };
  return {
    prefix,
    hooks: () => hooks,
    put({ metadata, webhooks = [] }) {
      configurations.set(
        metadata.name,
        webhooks.map((webhook) => ({ id: `${metadata.name}/${webhook.name}`, webhook })),
      );
      arrange();
    },
    remove({ metadata }) {
      configurations.delete(metadata.name);
      arrange();
    },
  };
}
