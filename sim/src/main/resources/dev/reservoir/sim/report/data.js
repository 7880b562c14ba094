/*
 * What the page shows of each run: reads the data in the page, and says what is charted (ROWS), and of whom (state).
 * Never draws and never asks for anything that is not in the page.
 */
// ---- The data ------------------------------------------------------------------------------------------------------

const data = JSON.parse(document.getElementById('data').textContent);
const runs = data.runs;
const compare = runs.length > 1;
const wholeRun = Math.max(...runs.map(run => run.durationMs)) / 1000;

/** Each number is the difference to the one before; [n] stands for n that are the same. */
function unpack(packed, points) {
  const values = new Float64Array(points);
  let value = 0;
  let i = 0;
  for (const item of packed ?? []) {
    if (Array.isArray(item)) {
      values.fill(value, i, i + item[0]);
      i += item[0];
    } else {
      value += item;
      values[i++] = value;
    }
  }
  return values;
}

const lengthOf = packed => packed.reduce((sum, item) => sum + (Array.isArray(item) ? item[0] : 1), 0);

/** All series begin with a point at 0, when nothing had begun. */
function unpackAll(group, points) {
  return Object.fromEntries(Object.entries(group).map(([key, packed]) =>
      [key, Float64Array.of(0, ...unpack(packed, points))]));
}

for (const run of runs) {
  const points = lengthOf(run.timesMs);
  run.times = Float64Array.of(0, ...unpack(run.timesMs, points)).map(ms => ms / 1000);
  for (const service of run.services) {
    for (const group of ['series', 'discards', 'failures']) {
      service[group] = unpackAll(service[group], points);
    }
  }
  run.seconds.connects = unpack(run.seconds.connects, run.seconds.points);
  run.seconds.refused = unpack(run.seconds.refused, run.seconds.points);
  run.seconds.times = run.seconds.connects.map((_, i) => i * run.seconds.perPoint);
}

const allServices = [...new Set(runs.flatMap(run => run.services.map(service => service.name)))];

const state = {
  chosen: new Set(allServices),
  from: 0,
  to: wholeRun,
  cumulative: false,
  hidden: new Set(),
};

// ---- Numbers as people read them -----------------------------------------------------------------------------------

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const count = value => grouped.format(value);
const percent = value => `${(100 * value).toFixed(1)} %`;

function compact(value) {
  if (value >= 1e6) {
    return `${+(value / 1e6).toFixed(2)}M`;
  }
  return value >= 1e4 ? `${+(value / 1e3).toFixed(1)}k` : count(value);
}

/** Microseconds with a fitting unit. */
function span(micros) {
  if (micros < 1e3) {
    return micros === 0 ? '0' : `${+micros.toPrecision(3)} µs`;
  }
  if (micros < 1e6) {
    return `${+(micros / 1e3).toPrecision(3)} ms`;
  }
  return micros < 6e8 ? `${+(micros / 1e6).toFixed(2)} s` : `${+(micros / 6e7).toFixed(1)} min`;
}

/** Seconds as a clock shows them: 4:05, 1:04:05, 0:04.2. */
function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  const whole = Math.floor(tenths / 10);
  const two = number => String(number).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest = two(whole % 60) + (tenths % 10 ? `.${tenths % 10}` : '');
  return hours ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`;
}

const words = label => label.replaceAll('_', ' ');

// ---- What is charted -----------------------------------------------------------------------------------------------

const chosenOf = run => run.services.filter(service => state.chosen.has(service.name));
const everyone = () => state.chosen.size === allServices.length;

/** The sum over the services chosen. */
function sum(run, group, key) {
  const total = new Float64Array(run.times.length);
  for (const service of chosenOf(run)) {
    service[group][key]?.forEach((value, i) => { total[i] += value; });
  }
  return total;
}

const total = (run, key) => sum(run, 'series', key);

function perSecond(run, key) {
  return total(run, key).map((value, i) => (i ? value / (run.times[i] - run.times[i - 1]) : 0));
}

/** What was counted, as it is to be shown: for each interval, or since the beginning. */
function counted(values) {
  let soFar = 0;
  return state.cumulative ? values.map(value => (soFar += value)) : values;
}

/** The worst wait of the services chosen; no number where nobody checked out. */
function waits(run, key) {
  const worst = new Float64Array(run.times.length).fill(NaN);
  for (const service of chosenOf(run)) {
    const { [key]: wait, checkouts, timeouts } = service.series;
    for (let i = 0; i < worst.length; i++) {
      if (checkouts?.[i] || timeouts?.[i]) {
        worst[i] = Math.max(Number.isNaN(worst[i]) ? 0 : worst[i], wait?.[i] ?? 0);
      }
    }
  }
  return worst;
}

function worstShare(run) {
  const worst = new Float64Array(run.times.length).fill(NaN);
  for (const { series } of chosenOf(run)) {
    series.target?.forEach((target, i) => {
      const share = target ? (series.usable?.[i] ?? 0) / target : NaN;
      worst[i] = Number.isNaN(worst[i]) ? share : Math.min(worst[i], Number.isNaN(share) ? Infinity : share);
    });
  }
  return worst;
}

function share(run) {
  const usable = total(run, 'usable');
  return total(run, 'target').map((target, i) => (target ? usable[i] / target : NaN));
}

const area = (key, name, color, values) => ({ key, name, color, values, shape: 'area' });
const line = (key, name, color, values) => ({ key, name, color, values, shape: 'line' });
const dashed = (key, name, color, values) => ({ key, name, color, values, shape: 'dashed' });

/** Every reason that any run has, so that a reason has the same colour everywhere. */
function reasons(group) {
  return [...new Set(runs.flatMap(run => run.services.flatMap(service => Object.keys(service[group]))))];
}

const byReason = group => run => reasons(group).map((reason, i) =>
    area(reason, words(reason), `p${i % 10}`, counted(sum(run, group, reason))));

const ended = run => run.ages.counts.reduce((all, number) => all + number, 0);
const samplesNote = run => span(run.sampleMs * run.samplesPerPoint * 1000);
const countedNote = () => (state.cumulative ? 'Since the beginning' : `In each ${samplesNote(runs[0])}`);

const ROWS = [
  {
    id: 'connections',
    title: 'Connections by state',
    note: () => 'Stacked',
    axis: 'count',
    series: run => [
      area('ready', 'ready', 'ready', total(run, 'ready')),
      area('inUse', 'in use', 'inUse', total(run, 'inUse')),
      area('validating', 'validating', 'validating', total(run, 'validating')),
      area('opening', 'opening', 'opening', total(run, 'opening')),
      area('closing', 'closing', 'closing', total(run, 'closing')),
      line('open', 'open at the database', 'quiet', total(run, 'open')),
      dashed('target', 'target', 'strong', total(run, 'target')),
    ],
    limits: run => [{ value: run.limits.cap, text: `cap ${count(run.limits.cap)}` }],
  },
  {
    id: 'connects',
    title: 'Connects per second',
    note: () => {
      const { perPoint } = runs[0].seconds;
      const busiest = perPoint > 1 ? `, the busiest second of each ${perPoint}` : '';
      return everyone() ? `Begun by the whole fleet${busiest}` : 'Opened or refused, of the services chosen';
    },
    axis: 'count',
    overlaid: true,
    step: () => (everyone() ? 'before' : 'after'),
    times: run => (everyone() ? run.seconds.times : run.times),
    series: run => {
      const refused = everyone() ? run.seconds.refused : perSecond(run, 'refused');
      const opened = everyone() ? null : perSecond(run, 'opened');
      return [
        area('connects', 'connects', 'inUse', opened ? opened.map((value, i) => value + refused[i]) : run.seconds.connects),
        area('refused', 'refused', 'refused', refused),
      ];
    },
    limits: run => [
      {
        value: run.limits.limiter,
        text: `limiter ${count(run.limits.limiter)}/s${run.limits.sharing === 'local' ? ' for each process' : ''}`,
      },
      { value: run.limits.rate, text: `database ${count(run.limits.rate)}/s` },
    ],
  },
  {
    id: 'share',
    title: 'Usable share of target',
    note: () => (state.chosen.size > 1 ? 'Together, and of the service that has the least' : ''),
    axis: 'share',
    series: run => [
      ...(state.chosen.size > 1 ? [line('least', 'the least', 'refused', worstShare(run))] : []),
      line('together', state.chosen.size > 1 ? 'together' : 'usable', 'ready', share(run)),
    ],
    limits: run => [{ value: run.limits.share, text: `expected ${percent(run.limits.share)}, starts aside`, below: true }],
  },
  {
    id: 'waits',
    title: 'Waits of checkouts',
    note: () => `Logarithmic${state.chosen.size > 1 ? ', the service that waits longest' : ''}`,
    axis: 'log',
    series: run => [
      line('p50', 'p50', 'ready', waits(run, 'p50')),
      line('p99', 'p99', 'inUse', waits(run, 'p99')),
      line('p999', 'p99.9', 'opening', waits(run, 'p999')),
      line('max', 'longest', 'refused', waits(run, 'max')),
    ],
  },
  {
    id: 'checkouts',
    title: 'Checkouts per second',
    note: () => 'Connections in use',
    axis: 'count',
    step: () => 'after',
    series: run => [area('checkouts', 'checkouts', 'inUse', perSecond(run, 'checkouts'))],
  },
  {
    id: 'nothing',
    title: 'Checkouts that found nothing',
    note: countedNote,
    axis: 'count',
    overlaid: true,
    step: () => (state.cumulative ? false : 'after'),
    series: run => [
      area('empties', 'found nothing ready', 'opening', counted(total(run, 'empties'))),
      area('timeouts', 'got nothing in time', 'refused', counted(total(run, 'timeouts'))),
    ],
  },
  {
    id: 'discards',
    title: 'Connections discarded, by reason',
    note: () => `${countedNote()}, stacked`,
    axis: 'count',
    step: () => (state.cumulative ? false : 'after'),
    // Shown in the legend even if there is only one.
    alwaysNamed: true,
    series: byReason('discards'),
  },
  {
    id: 'failures',
    title: 'Connects that failed, by reason',
    note: () => `${countedNote()}, stacked`,
    axis: 'count',
    step: () => (state.cumulative ? false : 'after'),
    // Shown in the legend even if there is only one.
    alwaysNamed: true,
    series: byReason('failures'),
  },
  {
    id: 'ages',
    title: 'Age of connections when they ended',
    note: () => `The whole fleet, the whole run: ${runs.map(run => count(ended(run))).join(', ')} ended`,
    axis: 'part',
    ages: true,
    times: run => Float64Array.from(run.ages.counts, (_, i) => (i + 0.5) * run.ages.stepMs / 1000),
    series: run => [area('ages', 'of those that ended', 'inUse',
        Float64Array.from(run.ages.counts, number => number / Math.max(1, ended(run))))],
  },
];

const timesOf = (row, run) => (row.times ? row.times(run) : run.times);
const keyOf = (row, series) => `${row.id}/${series.key}`;
const oldest = Math.max(...runs.map(run => run.ages.counts.length * run.ages.stepMs / 1000));
const rangeOf = row => (row.ages ? [0, oldest] : [state.from, state.to]);
const formatOf = row => ({ count, share: percent, part: percent, log: span })[row.axis];
