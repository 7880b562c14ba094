'use strict';

// The charts: one line for each side, the last two minutes, and a mark where something happened.
const SECONDS_SHOWN = 120;
const snapshots = [];

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
}

const marks = {
  id: 'marks',
  afterDatasetsDraw(chart) {
    const last = snapshots.at(-1);
    if (!last) {
      return;
    }
    const { ctx, chartArea: area, scales: { x } } = chart;
    ctx.save();
    ctx.strokeStyle = colour('quiet');
    ctx.setLineDash([3, 3]);
    for (const event of last.events) {
      if (event.atSeconds >= x.min && event.atSeconds <= x.max && !event.text.includes(' over')) {
        const at = x.getPixelForValue(event.atSeconds);
        ctx.beginPath();
        ctx.moveTo(at, area.top);
        ctx.lineTo(at, area.bottom);
        ctx.stroke();
      }
    }
    ctx.restore();
  },
};

function clock(seconds) {
  const whole = Math.floor(seconds);
  return Math.floor(whole / 60) + ':' + String(whole % 60).padStart(2, '0');
}

function line(label, hue, value, more) {
  return {
    label,
    hue,
    value,
    data: [],
    borderWidth: 2,
    pointRadius: 0,
    pointHitRadius: 8,
    spanGaps: false,
    ...more,
  };
}

function side(index, key) {
  return snapshot => snapshot.sides[index][key] < 0 ? null : snapshot.sides[index][key];
}

function latency(index, key) {
  return snapshot => snapshot.sides[index].latency[key] < 0 ? null : snapshot.sides[index].latency[key];
}

function makeChart(name, datasets, y) {
  const canvas = document.querySelector('canvas[data-chart=' + name + ']');
  return new Chart(canvas, {
    type: 'line',
    data: { datasets },
    plugins: [marks],
    options: {
      animation: false,
      responsive: true,
      maintainAspectRatio: false,
      parsing: false,
      interaction: { mode: 'index', intersect: false },
      scales: {
        x: {
          type: 'linear',
          ticks: { callback: clock, maxRotation: 0, stepSize: 15 },
        },
        y: { beginAtZero: true, ...y },
      },
      plugins: {
        legend: { position: 'bottom', labels: { boxWidth: 18, boxHeight: 2, font: { size: 12 } } },
        tooltip: { callbacks: { title: items => clock(items[0].parsed.x) } },
      },
    },
  });
}

function stepped(more) {
  return { stepped: 'before', ...more };
}

function seconds(value) {
  return value >= 1000 ? value / 1000 + ' s' : value + ' ms';
}

function makeCharts(names) {
  const [ours, theirs] = names;
  return [
    makeChart('latency', [
      line(ours + ' p99', 'reservoir', latency(0, 'p99Millis')),
      line(theirs + ' p99', 'hikari', latency(1, 'p99Millis')),
      line(ours + ' median', 'reservoir', latency(0, 'p50Millis'), { borderDash: [2, 3], borderWidth: 1.5 }),
      line(theirs + ' median', 'hikari', latency(1, 'p50Millis'), { borderDash: [2, 3], borderWidth: 1.5 }),
    ], { ticks: { callback: seconds } }),
    makeChart('workflows', [
      line(ours, 'reservoir', side(0, 'workflowsPerSecond')),
      line(theirs, 'hikari', side(1, 'workflowsPerSecond')),
    ]),
    makeChart('connects', [
      line(ours, 'reservoir', side(0, 'connects'), stepped({ fill: true, alpha: '33' })),
      line(theirs, 'hikari', side(1, 'connects'), stepped({ fill: true, alpha: '33' })),
      line(ours + ' refused', 'reservoir', side(0, 'refusals'), stepped({ borderDash: [5, 4] })),
      line(theirs + ' refused', 'bad', side(1, 'refusals'), stepped({ borderDash: [5, 4] })),
      line('limit', 'text', snapshot => snapshot.ratePerSecond, stepped({ borderWidth: 1 })),
    ]),
    makeChart('open', [
      line(ours, 'reservoir', side(0, 'open')),
      line(theirs, 'hikari', side(1, 'open')),
    ]),
  ];
}

function paintCharts(charts) {
  for (const chart of charts) {
    for (const set of chart.data.datasets) {
      set.borderColor = colour(set.hue);
      set.backgroundColor = colour(set.hue) + (set.alpha || '');
    }
    for (const axis of Object.values(chart.options.scales)) {
      axis.grid = { color: colour('grid') };
      axis.ticks.color = colour('quiet');
    }
    chart.options.plugins.legend.labels.color = colour('text');
  }
}

function showCharts(charts) {
  const end = Math.max(SECONDS_SHOWN / 2, snapshots.at(-1).seconds);
  for (const chart of charts) {
    for (const set of chart.data.datasets) {
      set.data = snapshots.map(snapshot => ({ x: snapshot.seconds, y: set.value(snapshot) }));
    }
    chart.options.scales.x.min = Math.max(0, end - SECONDS_SHOWN);
    chart.options.scales.x.max = end;
    chart.update('none');
  }
}
