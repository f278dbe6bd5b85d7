import type { Backend, BackendRecord } from '../store.ts';

/**
 * Keeps everything in this process. Takes microtasks only, so that a store on it runs under a virtual clock, and holds
 * records as they are, so that nothing is encoded unless somebody reads the bytes. Opening a second store on it after
 * closing the first is a restart.
 */
export function createMemoryBackend(): Backend {
  const records = new Map<string, BackendRecord>();
  let newest = 0;
  return {
    load: async () => ({ revision: newest, records: [...records.values()] }),
    async write({ revision, puts, deletes }) {
      newest = revision;
      for (const record of puts) records.set(record.key, record);
      for (const key of deletes) records.delete(key);
    },
    close: async () => undefined,
  };
}
