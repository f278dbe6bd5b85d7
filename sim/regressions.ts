/** A seed that once found a bug, and what it was. A changed workload changes what a seed does: then find another. */
export interface Regression {
  readonly name: string;
  readonly seed: string;
}

export const regressions: readonly Regression[] = [
  { name: 'a pod is put where one stands whose binding was answered with an error', seed: '5030' },
  { name: 'the same, in another mixture of faults', seed: '5256' },
  { name: 'a root of the operator never gets a status because its definition was heard of late', seed: '7098' },
  { name: 'a monitor that was there before any root never says that nobody takes it', seed: '420' },
  { name: 'a custom resource that goes while the plane starts keeps the garbage collector from starting', seed: '529' },
  { name: 'pods of a Node that was made again show no address of it', seed: '539' },
  { name: 'the address of a pod on a machine without power is given away when the plane starts', seed: '11' },
];
