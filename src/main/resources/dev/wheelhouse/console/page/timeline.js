// The picture of a rollout: ReplicaSets as areas over time, pods as lines, and marks for writes and events.

import { h, s, number, clock } from './dom.js';

const LEFT = 34;
const AREA = 150;
const LANE = 18;
const POD = 9;
const TOP = 10;

/** The value of a step function at a time. */
function valueAt(samples, at, field) {
  let value = 0;
  for (const sample of samples) {
    if (sample.at > at) {
      break;
    }
    value = sample[field];
  }
  return value;
}

/** The times at which any series changes, inside the window. */
function times(sets, start, end) {
  const all = new Set([start, end]);
  sets.forEach(set => set.samples.forEach(sample => {
    if (sample.at > start && sample.at < end) {
      all.add(sample.at);
    }
  }));
  return [...all].sort((a, b) => a - b);
}

function area(sets, index, field, moments, x, y) {
  const below = at => sets.slice(0, index).reduce((total, set) => total + valueAt(set.samples, at, field), 0);
  const upper = [];
  const lower = [];
  moments.forEach((at, i) => {
    const next = moments[i + 1] ?? at;
    const base = below(at);
    const top = base + valueAt(sets[index].samples, at, field);
    upper.push(`${x(at)},${y(top)}`, `${x(next)},${y(top)}`);
    lower.unshift(`${x(next)},${y(base)}`, `${x(at)},${y(base)}`);
  });
  return [...upper, ...lower].join(' ');
}

/** Round seconds for the axis. */
function ticks(start, end, most) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map(seconds => seconds * 1000);
  const step = steps.find(candidate => (end - start) / candidate <= most) ?? 7200_000;
  const all = [];
  for (let at = Math.ceil(start / step) * step; at < end; at += step) {
    all.push(at);
  }
  return all;
}

function lane(name, y, marks, x, width) {
  return [s('text', { x: 0, y: y + 4, class: 'axis' }, name), s('line',
    { x1: LEFT + 20, x2: width, y1: y, y2: y, class: 'rule' }),
    marks.map(mark => s('circle', { cx: x(mark.at), cy: y, r: mark.bad ? 4.5 : 3.2, class: mark.bad ? 'mark bad'
      : 'mark' }, s('title', {}, `${clock(mark.at)} ${mark.text}`)))];
}

/**
 * The picture and its legend.
 *
 * @param view the object with its sets, pods, events, writes and conditions
 * @param now the time of the right edge, in milliseconds
 * @param wanted the longest width of the window, in milliseconds
 * @param width the width in pixels
 */
export function timeline(view, now, wanted, width) {
  // A young object does not begin at the right edge.
  const begun = Math.min(now, ...view.sets.flatMap(set => set.samples.map(sample => sample.at)));
  const span = Math.min(wanted, Math.max(30_000, (now - begun) * 1.08));
  const sets = view.sets.filter(set => set.samples.some(sample => sample.at > now - span)
    || valueAt(set.samples, now, 'current') > 0);
  const start = now - span;
  const x = at => Math.round((LEFT + (Math.min(Math.max(at, start),
    now) - start) / span * (width - LEFT - 4)) * 10) / 10;
  const moments = times(sets, start, now);
  const most = Math.max(1, ...moments.map(at =>
    Math.max(...['current', 'wanted'].map(field => sets.reduce((total, set) => total + valueAt(set.samples, at, field),
    0)))));
  const y = value => Math.round((TOP + AREA - value / most * AREA) * 10) / 10;
  const inside = mark => mark.at >= start && mark.at <= now;
  const lanes = [
    ['writes', view.writes.map(write => ({ at: Date.parse(write.at),
      text: `${write.verb} ${write.resource} ${write.name}: ${write.why}`, bad: write.code >= 400 || !write.code }))],
    ['events', view.events.map(event => ({ at: event.at, text: `${event.reason}: ${event.message}`,
      bad: event.type === 'Warning' }))],
    ['status', view.conditions.filter(condition => condition.at).map(condition =>
      ({ at: condition.at, text: `${condition.type} is ${condition.status}: ${condition.reason}`,
      bad: condition.type === 'Progressing' && condition.status === 'False' }))],
  ].map(([name, marks]) => [name, marks.filter(inside)]);
  const pods = view.pods.filter(pod => pod.created < now && (pod.gone ?? now) >= start).slice(0, 24);
  const lanesAt = TOP + AREA + 26;
  const podsAt = lanesAt + lanes.length * LANE + (LANE - 4);
  const height = podsAt + pods.length * POD + 6;
  const colour = name => `set${sets.findIndex(set => set.name === name) % 6}`;
  const amount = (set, field) => number(valueAt(set.samples, now, field));
  const replicas = set => `${amount(set, 'ready')} of ${amount(set, 'wanted')} ready`;
  const label = `Replicas over the last ${Math.round(span / 1000)} seconds. `
    + sets.map(set => `${set.name}: ${replicas(set)}`).join('. ');
  return h('figure', { class: 'timeline', 'data-key': 'timeline' },
    s('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img', 'aria-label': label },
      [0, most].map(value => [s('text', { x: LEFT - 6, y: y(value) + 4, 'text-anchor': 'end', class: 'axis' },
        String(value)), s('line', { x1: LEFT, x2: width, y1: y(value), y2: y(value), class: 'rule' })]),
      sets.map((set, i) => [
        s('polygon', { class: `area pale set${i % 6}`, points: area(sets, i, 'current', moments, x, y) }),
        s('polygon', { class: `area set${i % 6}`, points: area(sets, i, 'ready', moments, x, y) })]),
      ticks(start, now, width / 90).map(at => [s('line',
        { x1: x(at), x2: x(at), y1: TOP + AREA, y2: TOP + AREA + 4, class: 'tick' }),
        s('text', { x: x(at), y: TOP + AREA + 16, 'text-anchor': 'middle', class: 'axis' }, clock(at))]),
      lanes.map(([name, marks], i) => lane(name, lanesAt + i * LANE, marks, x, width)),
      pods.length ? s('text', { x: 0, y: podsAt - 4, class: 'axis' }, 'pods') : null,
      pods.map((pod, i) => {
        const at = podsAt + 5 + i * POD;
        const end = pod.gone ?? now;
        const deleted = Math.min(pod.deleted ?? end, end);
        return s('g', { class: `pod ${pod.gone ? 'suspended' : pod.state.level.toLowerCase()}` },
          s('title', {}, `${pod.name}: ${pod.gone ? `went at ${clock(pod.gone)}` : pod.state.text}`),
          s('rect', { class: colour(pod.owner), x: LEFT - 12, y: at - 3, width: 7, height: 7 }),
          s('line', { class: 'waits', x1: x(pod.created), x2: x(pod.ready ?? end), y1: at, y2: at }),
          pod.ready ? s('line', { class: 'lives', x1: x(pod.ready), x2: x(deleted), y1: at, y2: at }) : null,
          deleted < end ? s('line', { class: 'ends', x1: x(deleted), x2: x(end), y1: at, y2: at }) : null);
      })),
    h('figcaption', {}, sets.map(set => h('span', { class: 'legend' }, h('i', { class: colour(set.name) }), set.revision
      ? `revision ${set.revision} ` : '',
      h('span', { class: 'mono' }, set.name), h('span', { class: 'muted' },
        ` ${set.images.join(', ')} · ${replicas(set)}`)))));
}
