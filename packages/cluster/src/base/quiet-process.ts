import { setEngineFlag } from './engine-flags.ts';

/**
 * Arguments of Node.js for a process that works in bursts and rests in between: new objects get four MiB instead of sixteen, which a
 * burst would fill and nobody would give back. It collects more often for it.
 */
export const quietProcess: readonly string[] = ['--max-semi-space-size=4'];

/**
 * WebAssembly is compiled once, fast and without a second look. All that there is of it reads the heads of HTTP messages (undici): the
 * second look takes a fifth of a second and 40 MiB when a process has made its first thousand requests. Before that is loaded.
 */
export function compileWasmOnce(): void {
  setEngineFlag({ set: '--no-wasm-tier-up', usual: '--wasm-tier-up' });
  setEngineFlag({ set: '--no-wasm-dynamic-tiering', usual: '--wasm-dynamic-tiering' });
}
