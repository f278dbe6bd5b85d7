import type { Section } from '../scrape/http.ts';

/*
 * Jobs that somebody wrote into a Secret, since they may hold passwords. Most of such a job is none. What may be shown is
 * listed, so that a field that nobody thought of is hidden.
 */

/** The jobs with everything hidden but what is known to hold no secret; undefined: these are no jobs. */
export function maskedJobs(value: unknown, mask: string): readonly Section[] | undefined {
  if (!Array.isArray(value) || !value.every(isJob)) return undefined;
  return value.map((job) => maskedBy(jobFields, job, mask));
}

function isJob(value: unknown): value is Section {
  return isSection(value) && typeof value['job_name'] === 'string';
}

/** How a value is shown: as it is, hidden, or part by part. */
type Shown = (value: unknown, mask: string) => unknown;
type Fields = Readonly<Record<string, Shown>>;

const plain: Shown = (value, mask) => (isSimple(value) ? value : hidden(value, mask));

// A name and a password may stand before a host, and anything behind a question mark.
const place: Shown = (value, mask) => (isSimple(value) && /[@?]/.test(String(value)) ? mask : plain(value, mask));

const listOf =
  (shown: Shown): Shown =>
  (value, mask) =>
    Array.isArray(value) ? value.map((each) => shown(each, mask)) : hidden(value, mask);

const fields =
  (known: Fields): Shown =>
  (value, mask) =>
    isSection(value) ? maskedBy(known, value, mask) : hidden(value, mask);

/** A parameter of a request is often a token. */
const labels: Shown = (value, mask) => {
  if (!isSection(value)) return hidden(value, mask);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, isParameter(name) ? mask : plain(each, mask)]),
  );
};

const rule: Shown = (value, mask) => {
  if (!isSection(value)) return hidden(value, mask);
  const shown = maskedBy(ruleFields, value, mask);
  return isParameter(String(value['target_label'])) && 'replacement' in shown ? { ...shown, replacement: mask } : shown;
};

const ruleFields: Fields = {
  source_labels: listOf(plain),
  separator: plain,
  target_label: plain,
  regex: plain,
  modulus: plain,
  replacement: plain,
  action: plain,
};

const jobFields: Fields = {
  ...Object.fromEntries(
    [
      'job_name',
      'honor_labels',
      'honor_timestamps',
      'track_timestamps_staleness',
      'scrape_interval',
      'scrape_timeout',
      'scheme',
      'enable_compression',
      'follow_redirects',
      'enable_http2',
      'body_size_limit',
      'sample_limit',
      'label_limit',
      'label_name_length_limit',
      'label_value_length_limit',
      'target_limit',
      'keep_dropped_targets',
      'always_scrape_classic_histograms',
      'scrape_classic_histograms',
      'native_histogram_bucket_limit',
      'native_histogram_min_bucket_factor',
      'metric_name_validation_scheme',
    ].map((name) => [name, plain] as const),
  ),
  metrics_path: place,
  scrape_protocols: listOf(plain),
  static_configs: listOf(fields({ targets: listOf(place), labels })),
  kubernetes_sd_configs: listOf(
    fields({
      role: plain,
      api_server: place,
      namespaces: fields({ own_namespace: plain, names: listOf(plain) }),
      selectors: listOf(fields({ role: plain, label: plain, field: plain })),
      attach_metadata: fields({ node: plain }),
    }),
  ),
  relabel_configs: listOf(rule),
  metric_relabel_configs: listOf(rule),
};

function maskedBy(known: Fields, section: Section, mask: string): Section {
  return Object.fromEntries(
    Object.entries(section).map(([name, value]) => [name, (known[name] ?? hidden)(value, mask)]),
  );
}

/** What is hidden keeps its shape, and the names in it. */
function hidden(value: unknown, mask: string): unknown {
  if (Array.isArray(value)) return value.map((each) => hidden(each, mask));
  if (!isSection(value)) return mask;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, hidden(each, mask)]));
}

function isParameter(label: string): boolean {
  return label.startsWith('__param_');
}

function isSimple(value: unknown): boolean {
  return value === null || ['bigint', 'boolean', 'number', 'string'].includes(typeof value);
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
