import type { Texts } from './texts.ts';

/** PrometheusRule: served, and read by nobody here. */
export const ruleTexts: Texts = {
  PrometheusRule: {
    '': 'A PrometheusRule holds rules for recording and alerting. It is kept, but no Prometheus of this operator evaluates it.',
  },
  'PrometheusRule.spec': { groups: 'Rules that are evaluated one after the other, group by group.' },
  'PrometheusRule.spec.groups': {
    interval: 'How often. Default: the evaluationInterval of the one that evaluates it.',
    labels: 'Labels of everything that comes of it; those of a rule win.',
    limit: 'How many series or alerts a rule may make. Default 0: any number.',
    name: 'Its name, unique in the object.',
    partial_response_strategy: 'For Thanos: warn, or abort where a store is missing.',
    query_offset: 'How far in the past its queries look, for samples that come late.',
    rules: 'The rules.',
  },
  'PrometheusRule.spec.groups.rules': {
    alert: 'Name of the alert. One of alert and record.',
    annotations: 'What people read with an alert. Go templates.',
    expr: 'The query in PromQL.',
    for: 'How long it must hold before the alert fires.',
    keep_firing_for: 'How long the alert goes on firing afterwards.',
    labels: 'Labels that are added or replaced.',
    record: 'Name of the series that the result becomes. One of alert and record.',
  },
};
