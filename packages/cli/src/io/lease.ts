/** What the operators of one cluster agree through: one of them works, the others wait. */
export const operatorLease: { readonly namespace: string; readonly name: string } = {
  namespace: 'kube-system',
  name: 'signalbox-operator',
};
